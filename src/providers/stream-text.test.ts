/** Properties of the parts that read streams: for any text, cut anywhere. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { rounds } from '../../tests/support/long.ts';
import type { ModelPart } from '../core/model-port.ts';
import { createJsonEnds, finishCall, parseArgumentsOnly } from './arguments.ts';
import { createLineSplitter } from './lines.ts';
import { OllamaReader } from './ollama/ollama-stream.ts';
import { OpenAIReader } from './openai/openai-stream.ts';

/** Text with all that JSON, SSE and the markers of the readers care about. */
const text = fc.string({
  unit: fc.oneof(
    fc.constantFrom('"', '\\', '\n', '\r', '{', '}', '[', ']', ',', ':', ' ', 'é', '\u2028', '😀'),
    fc.string({ minLength: 1, maxLength: 1 }),
  ),
  maxLength: 12,
});
const cuts = fc.array(fc.nat(), { maxLength: 8 });
const cutAt = (whole: string, positions: readonly number[]): string[] => {
  const at = [0, ...positions.map((position) => position % (whole.length + 1)).toSorted((a, b) => a - b), whole.length];
  return at.slice(1).map((end, index) => whole.slice(at[index], end));
};

const words = { endpoint: 'http://test', startHint: '' };
const settings = { model: 'm', words, repairArguments: undefined, random: () => 0.5, offered: new Set(['ls']) };
const joined = (parts: readonly ModelPart[], type: ModelPart['type']): string =>
  parts
    .filter((part) => part.type === type)
    .map((part) => ('delta' in part ? part.delta : 'arguments_delta' in part ? part.arguments_delta : ''))
    .join('');

const step = fc.record({ kind: fc.constantFrom('text', 'text', 'text', 'reasoning', 'arguments', 'comment'), text });

it('an OpenAI stream says what was put in, whatever it is and however it is cut', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), cuts, fc.boolean(), (steps, positions, blanks) => {
      const event = (value: object): string =>
        `data: ${blanks ? JSON.stringify(value, null, 1).replaceAll('\n', ' ') : JSON.stringify(value)}\n\n`;
      const delta = (value: object, finish: string | null = null): string =>
        event({ id: 'x', choices: [{ index: 0, delta: value, finish_reason: finish }] });
      const first = { index: 0, id: 'a', function: { name: 'ls', arguments: '{"t":' } };
      const body = [
        delta({ tool_calls: [first] }),
        ...steps.map((one) => {
          if (one.kind === 'text') return delta({ content: one.text });
          if (one.kind === 'reasoning') return delta({ reasoning_content: one.text });
          if (one.kind === 'comment') return ': keep-alive\n\n';
          return delta({ tool_calls: [{ index: 0, function: { arguments: one.text } }] });
        }),
        delta({}, 'tool_calls'),
        'data: [DONE]\n\n',
      ].join('');
      const parts: ModelPart[] = [];
      const reader = new OpenAIReader(settings, 'text/event-stream', (part) => parts.push(part));
      for (const chunk of cutAt(body, positions)) reader.push(chunk);
      const result = reader.end();
      const put = (kind: string): string => steps.map((one) => (one.kind === kind ? one.text : '')).join('');
      expect(joined(parts, 'text_delta')).toBe(put('text'));
      expect(joined(parts, 'reasoning_delta')).toBe(put('reasoning'));
      expect(joined(parts, 'tool_call_delta')).toBe(`{"t":${put('arguments')}`);
      expect(result.ok).toBe(true);
    }),
    { numRuns: rounds(83, 2_500) },
  );
});

it('an Ollama stream says what was put in, whatever it is and however it is cut', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), cuts, (steps, positions) => {
      const line = (message: object, number: number): string =>
        `${JSON.stringify({ model: 'm', created_at: `t${number}`, message: { role: 'assistant', content: '', ...message }, done: false })}\n`;
      const body = [
        ...steps.map((one, number) =>
          line(one.kind === 'reasoning' ? { thinking: one.text } : { content: one.text }, number),
        ),
        '{"done":true}\n',
      ].join('');
      const parts: ModelPart[] = [];
      const reader = new OllamaReader(settings, (part) => parts.push(part));
      for (const chunk of cutAt(body, positions)) reader.push(chunk);
      expect(reader.end().ok).toBe(true);
      const thought = steps.filter((one) => one.kind === 'reasoning');
      const said = steps.filter((one) => one.kind !== 'reasoning');
      expect(joined(parts, 'reasoning_delta')).toBe(thought.map((one) => one.text).join(''));
      expect(joined(parts, 'text_delta')).toBe(said.map((one) => one.text).join(''));
    }),
    { numRuns: rounds(83, 2_500) },
  );
});

it('no bytes make a reader throw', () => {
  const fragment = fc.oneof(
    text,
    fc.constantFrom(
      'data: ',
      '\n\n',
      '\n',
      '{"choices":[',
      '{"delta":{',
      '"tool_calls":[',
      '"error":',
      '{"message":{',
      '"done":true}',
      '[DONE]',
      'null',
    ),
    fc.json(),
    fc.json().map((json) => `data: ${json}\n\n`),
    fc.json().map((json) => `data: {"choices":[{"delta":${json},"message":${json}}]}\n\n`),
    fc
      .json()
      .map((json) => `data: {"choices":[{"delta":{"tool_calls":[${json},{"index":0,"function":${json}}]}}]}\n\n`),
    fc.json().map((json) => `{"message":{"tool_calls":[${json},{"function":${json}}],"content":${json}}}\n`),
  );
  fc.assert(
    fc.property(fc.array(fragment, { maxLength: 20 }), (fragments) => {
      for (const make of [
        (one: typeof settings, emit: () => void) => new OllamaReader(one, emit),
        (one: typeof settings, emit: () => void) => new OpenAIReader(one, '', emit),
      ]) {
        const reader = make(settings, () => undefined);
        for (const one of fragments) if (!reader.error) reader.push(one);
        if (!reader.error) reader.end();
      }
    }),
    { numRuns: rounds(333, 10_000) },
  );
});

it('lines are the same however a text is cut', () => {
  fc.assert(
    fc.property(text, cuts, (whole, positions) => {
      const lines: string[] = [];
      const splitter = createLineSplitter((line) => lines.push(line), 1_000_000);
      for (const chunk of cutAt(whole, positions)) splitter.push(chunk);
      splitter.end();
      const expected = whole.split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(lines).toEqual(expected.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line)));
    }),
  );
});

it('glued objects come apart at their ends, and only there', () => {
  const object = fc.dictionary(fc.string(), fc.jsonValue(), { minKeys: 1 });
  fc.assert(
    fc.property(fc.array(object, { minLength: 2, maxLength: 4 }), cuts, (objects, positions) => {
      const texts = objects.map((value) => JSON.stringify(value));
      const ends = createJsonEnds();
      for (const chunk of cutAt(texts.join(''), positions)) ends.scan(chunk);
      let sum = 0;
      expect(ends.ends).toEqual(
        texts.map((one) => {
          sum += one.length;
          return sum;
        }),
      );
      const calls = finishCall(
        { id: 'a', name: 'ls', arguments: texts.join(' '), repairs: [] },
        { repairArguments: parseArgumentsOnly, cutBy: undefined },
      );
      expect(calls.map((call) => JSON.stringify(call.arguments))).toEqual(texts);
    }),
  );
});

it.each([
  ['behind', '{"t":"a b"}\nThis reads it.'],
  ['before', 'Here it is: {"t":"a b"}'],
  ['on both sides', 'I will call {"t":"a b"} now.'],
])('words %s the arguments are no part of them', (_where, sent) => {
  const [call, ...others] = finishCall(
    { name: 'ls', arguments: sent, repairs: [] },
    { repairArguments: parseArgumentsOnly, cutBy: undefined },
  );
  expect(others).toEqual([]);
  expect(call).toMatchObject({ arguments: { t: 'a b' }, repairs: [{ kind: 'words_around' }] });
  expect(call).not.toHaveProperty('malformed');
});

it.each(['{"t":"a"} or {"t":"b" ...', '{"t": [1} words', 'words alone', '{"t":"a"} [and more]'])(
  'what could be meant in two ways stays broken: %s',
  (sent) => {
    const calls = finishCall(
      { name: 'ls', arguments: sent, repairs: [] },
      { repairArguments: parseArgumentsOnly, cutBy: undefined },
    );
    expect(calls.some(({ malformed }) => malformed !== undefined)).toBe(true);
  },
);

it('arguments that the token limit cut are known as half a call', () => {
  const [call] = finishCall(
    { name: 'ls', arguments: '{"t":"a', repairs: [] },
    { repairArguments: parseArgumentsOnly, cutBy: 'the token limit' },
  );
  expect(call?.malformed).toMatchObject({ cut: true });
});
