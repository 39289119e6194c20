import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamLines } from '../agent/loop/call-model/stream-lines.ts';
import type { JsonValue } from '../core/json.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import type { ParametersInput } from '../schema/index.ts';
import { type ScriptedProviderTurn, scriptedProvider } from '../testing/index.ts';
import { type ChatEvent, createChatEvents } from './chat-events.ts';
import { createHarness } from './create-harness.ts';
import { HARNESS_LIMITS } from './limits.ts';
import { readPartialJson } from './partial-json.ts';
import { PartialOutput } from './partial-output.ts';

const piecesOf = (text: string, size: number): string[] =>
  Array.from({ length: Math.ceil(text.length / size) }, (_, index) => text.slice(index * size, (index + 1) * size));

/** What is told of an answer that comes in these pieces, and how many characters were read for it. */
const play = (pieces: readonly string[]): { told: JsonValue[]; characters: number } => {
  const told: JsonValue[] = [];
  let characters = 0;
  const read = (text: string): JsonValue | undefined => {
    characters += text.length;
    return readPartialJson(text);
  };
  const output = new PartialOutput(read);
  const updates = [
    ...pieces.map((delta) => ({ type: 'text_delta', delta }) as const),
    { type: 'run_stopped' } as const,
  ];
  for (const update of updates) {
    const part = output.hear(update);
    if (part !== undefined) told.push(part);
  }
  return { told, characters };
};

/** The same, read at every piece. */
const playEach = (pieces: readonly string[]): JsonValue[] => {
  const told: JsonValue[] = [];
  let text = '';
  for (const piece of pieces) {
    text += piece;
    const part = readPartialJson(text);
    if (part !== undefined && JSON.stringify(part) !== JSON.stringify(told.at(-1) ?? null)) told.push(part);
  }
  return told;
};

const inOnePiece = (text: string): ScriptedProviderTurn => ({ text: [text] });

const SHORT = HARNESS_LIMITS.partialOutputCharacters;
const values = (maxLength: number) =>
  fc.array(fc.record({ name: fc.string({ maxLength: 40 }), tags: fc.array(fc.string({ maxLength: 8 })) }), {
    minLength: 1,
    maxLength,
  });

describe('the value of an answer that still comes', () => {
  it('is told at every piece while it is short', () => {
    const short = values(20).filter((value) => JSON.stringify(value).length < SHORT);
    fc.assert(
      fc.property(short, fc.integer({ min: 1, max: 9 }), (value, size) => {
        const pieces = piecesOf(JSON.stringify(value), size);
        expect(play(pieces).told).toEqual(playEach(pieces));
      }),
      { numRuns: 30 },
    );
  });

  it('is told of a long one as it would be at every piece, in fewer parts, and is whole in the end', () => {
    const long = values(200).map((value) => [...value, { name: 'x'.repeat(SHORT), tags: [] }, ...value]);
    fc.assert(
      fc.property(long, fc.integer({ min: 50, max: 400 }), (value, size) => {
        const pieces = piecesOf(JSON.stringify(value), size);
        const each = playEach(pieces).map((part) => JSON.stringify(part));
        const told = play(pieces).told.map((part) => JSON.stringify(part));
        let at = -1;
        for (const part of told) {
          at = each.indexOf(part, at + 1);
          expect(at, part).toBeGreaterThanOrEqual(0);
        }
        expect(told.at(-1)).toBe(JSON.stringify(value));
      }),
      { numRuns: 20 },
    );
  });

  it('costs a multiple of a long text', () => {
    const costOf = (length: number): number => {
      const text = JSON.stringify({ text: 'word '.repeat(length / 5) });
      return play(piecesOf(text, 4)).characters / text.length;
    };
    expect(costOf(160_000)).toBeLessThan(costOf(40_000) * 1.2);
  });

  it('costs a few readings of a long text', () => {
    const text = JSON.stringify({ list: Array.from({ length: 20_000 }, (_, n) => ({ n })) });
    expect(play(piecesOf(text, 40)).characters / text.length).toBeLessThan(7);
  });

  it('is not read while nobody reads the events, and is told to whoever reads them later', () => {
    let reads = 0;
    const output = new PartialOutput((text) => {
      reads += 1;
      return readPartialJson(text);
    });
    const events = createChatEvents(() => 0);
    events.begin(
      { session_id: 's', workspace: '/', tools: [] },
      { lines: createStreamLines(), output, approvalIdOf: () => undefined },
    );
    for (const delta of piecesOf(JSON.stringify({ list: ['one', 'two'] }), 2))
      events.hear({ type: 'text_delta', delta });
    expect(reads).toBe(0);
    const told: ChatEvent[] = [];
    for (let event = events.next(); event !== undefined; event = events.next()) told.push(event);
    const parts = told.filter((event) => event.type === 'partial_output');
    expect(parts.at(-1)).toMatchObject({ output: { list: ['one', 'two'] } });
    expect(parts.length).toBeGreaterThan(2);
  });

  it.each([
    ['that needs no mending', `{"list": [${'{"n": 1}, '.repeat(20_000)}`, true],
    ['that needs mending, and is left to the end', `{"list": [${"{'n': 1}, ".repeat(20_000)}`, false],
    ['with brackets without end', `{"n":${'['.repeat(5_000)}`, false],
  ])('is told of a long text %s', (_name, text, isTold) => {
    expect(text.length < 10_000 || text.length > HARNESS_LIMITS.partialOutputMendedCharacters).toBe(true);
    expect(readPartialJson(text) !== undefined).toBe(isTold);
  });

  const text = { type: 'string' } as const;
  const list = { type: 'object', properties: { n: { type: 'array' } } } as const;
  it.each<[string, ParametersInput, ScriptedProviderTurn, unknown[]]>([
    ['a text', text, { text: 'Some words.' }, ['Some words.']],
    ['a text in quotes', text, { text: '"Some words."' }, ['Some words.']],
    ['one of some words', { type: 'string', enum: ['yes', 'no'] }, { text: 'yes' }, ['yes']],
    ['a number', { type: 'number' }, { text: '4.5' }, [4.5]],
    ['true', { type: 'boolean' }, { text: 'true' }, [true]],
    ['null', { type: 'null' }, { text: 'null' }, [null]],
    [
      'an object in one piece, with words on both sides',
      list,
      inOnePiece('Sure! ```json\n{"n": [1]}\n``` Done.'),
      [{ n: [1] }],
    ],
    ['an object in one piece', list, inOnePiece('{"n": [1]}'), [{ n: [1] }]],
  ])('is told once it is whole, where nothing could be told before: %s', async (_name, schema, turn, told) => {
    const look = {
      name: 'look',
      description: 'Looks',
      parameters: { type: 'object', properties: {} },
      run: () => 'seen',
    };
    const provider = scriptedProvider([{ text: 'I look first.', calls: [{ name: 'look', arguments: {} }] }, turn]);
    const harness = createHarness({ model: 'm', provider, tools: [defineTool({ ...look, risk: 'safe' })] });
    const parts: unknown[] = [];
    const chat = harness.chat('Go.', { schema });
    for await (const event of chat) if (event.type === 'partial_output') parts.push(event.output);
    expect(parts).toEqual(told);
    expect((await chat).output).toEqual(told.at(-1));
    await harness.close();
  });
});
