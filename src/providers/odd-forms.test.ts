/** Answers in a form that the protocol does not have: what they say is read, or is an error, and never lost in silence. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { steepness } from '../../tests/support/processor-time.ts';
import type { JsonObject } from '../core/json.ts';
import { overNetwork, PROVIDERS, type Told, tell } from '../testing/scripted-server/table.ts';
import type { ScriptedTurn } from '../testing/scripted-server/turn.ts';

const STORY: ScriptedTurn = {
  text: 'It is sünny. {"not": "a value"} 😀',
  calls: [{ name: 'ls', arguments: { path: 'a]}"b' }, id: 'call_a' }],
};
const called = (told: Told) =>
  told.outcome.ok ? told.outcome.answer.calls.map(({ name, arguments: args }) => [name, args]) : told.outcome.error;

type Write = (events: readonly string[]) => string;
const pretty = (event: string): string => JSON.stringify(JSON.parse(event), null, 2);
const asEvent = (text: string): string => `${text.replaceAll(/^/gm, 'data: ')}\n\n`;

const FORMS: readonly [string, Write][] = [
  ['one a line', (events) => events.map((event) => `${event}\n`).join('')],
  ['one a line, ended by carriage returns', (events) => events.map((event) => `${event}\r`).join('')],
  ['one a line, behind a byte order mark', (events) => `\uFEFF${events.map((event) => `${event}\n`).join('')}`],
  ['side by side', (events) => events.join('')],
  ['side by side, with blanks', (events) => `${events.join(' \t')}\n`],
  ['a list', (events) => `[${events.join(',')}]`],
  ['a list over many lines', (events) => `[\n${events.map(pretty).join(',\n')}\n]\n`],
  ['over many lines', (events) => events.map((event) => `${pretty(event)}\n`).join('')],
  ['events', (events) => events.map(asEvent).join('')],
  ['events, ended by carriage returns', (events) => events.map(asEvent).join('').replaceAll('\n', '\r')],
  ['events with comments and ids', (events) => events.map((event) => `: ping\nid: 1\n${asEvent(event)}`).join('')],
  ['events over many lines', (events) => events.map((event) => asEvent(pretty(event))).join('')],
  ['several in one event', (events) => asEvent(events.join(''))],
  ['a list in one event', (events) => asEvent(`[${events.join(',')}]`)],
  [
    'an end in the last event',
    (events) => `${events.slice(0, -1).map(asEvent).join('')}data: ${events.at(-1)}[DONE]\n\n`,
  ],
];

const eventsOf = (written: string): string[] =>
  written
    .split('\n')
    .map((line) => line.replace(/^data: /, ''))
    .filter((line) => line.startsWith('{'));

const cut = (text: string, size: number): string[] => {
  const letters = [...text];
  return Array.from({ length: Math.ceil(letters.length / size) }, (_, index) =>
    letters.slice(index * size, (index + 1) * size).join(''),
  );
};

describe.each(PROVIDERS)('$name', ({ name, contentType, write }) => {
  const headers = { 'content-type': contentType };
  const play = (body: string, size = body.length): Promise<Told> =>
    tell(overNetwork(name, () => ({ headers, chunks: cut(body, size) })).make);

  it.each(FORMS)('reads objects that are %s', async (_, form) => {
    verifies('Z15');
    const body = form(eventsOf(write(STORY)));
    for (const size of [body.length, 5]) {
      const told = await play(body, size);
      expect(called(told)).toEqual([['ls', { path: 'a]}"b' }]]);
      expect(told.text).toBe(STORY.text);
      expect(told.parts.filter(({ type }) => type === 'warning')).toEqual([]);
    }
  });

  it('reads the list of calls where it is its one entry', async () => {
    const body = write(STORY).replaceAll(/"tool_calls":\[(\{.*?\}\})\]/g, '"tool_calls":$1');
    expect(body).toContain('"tool_calls":{');
    expect(called(await play(body))).toEqual([['ls', { path: 'a]}"b' }]]);
  });

  it('skips one broken object among whole ones, and says so', async () => {
    const events = eventsOf(write({ text: 'Hello.' }));
    const told = await play(['{"broken": [', ...events].map((event) => `data: ${event}\n`).join(''));
    expect(told.text).toBe('Hello.');
    expect(told.parts.filter(({ type }) => type === 'warning')).toHaveLength(1);
  });

  it.each(['{"detail":"Not authenticated"}', '{\n  "message": "no credits"\n}', '[{"status":"failed"}]'])(
    'says what came in the place of an answer: %s',
    async (body) => {
      const told = await play(body);
      expect(told.outcome).toMatchObject({ ok: false, error: { code: 'protocol' } });
      if (!told.outcome.ok) expect(told.outcome.error.message).toContain(/"(\w[^"]+)"[^"]*$/.exec(body)?.[1]);
    },
  );

  it('costs time in proportion to the length', async () => {
    const event = eventsOf(write({ text: 'x' }))[0] ?? '';
    expect(await steepness(1_000, (count) => play(`${event.repeat(count)}\n`))).toBeUndefined();
  });
});

type Delta = JsonObject;
const named = (more: JsonObject, index: number | string = 0, id?: string): Delta => ({
  index,
  ...(id === undefined ? {} : { id }),
  function: more,
});
const args = (city: string): string => JSON.stringify({ city });
const PIECES: readonly [string, readonly Delta[], readonly (readonly [string, JsonObject])[]][] = [
  [
    'indexes as text',
    [
      named({ name: 'ls', arguments: '' }, '0', 'a'),
      named({ name: 'ls', arguments: '' }, '1', 'b'),
      named({ arguments: args('Paris') }, '0'),
      named({ arguments: args('Oslo') }, '1'),
    ],
    [
      ['ls', { city: 'Paris' }],
      ['ls', { city: 'Oslo' }],
    ],
  ],
  [
    'the name behind the arguments',
    [named({ arguments: args('Paris') }, 0, 'a'), named({ name: 'ls' })],
    [['ls', { city: 'Paris' }]],
  ],
  [
    'the name among the arguments',
    [named({ arguments: '{"city":' }, 0, 'a'), named({ name: 'ls', arguments: '"Paris"}' })],
    [['ls', { city: 'Paris' }]],
  ],
  [
    'the name of one call behind, and another call',
    [
      named({ arguments: args('Paris') }, 0, 'a'),
      named({ name: 'ls' }),
      named({ name: 'ls', arguments: args('Oslo') }, 0, 'b'),
    ],
    [
      ['ls', { city: 'Paris' }],
      ['ls', { city: 'Oslo' }],
    ],
  ],
  [
    'a call that names nothing before one that does',
    [named({ arguments: '{}' }, 0, 'a'), named({ name: 'ls', arguments: args('Oslo') }, 0, 'b')],
    [
      ['', {}],
      ['ls', { city: 'Oslo' }],
    ],
  ],
];

describe("calls in OpenAI's stream", () => {
  it.each(PIECES)('have %s', async (_, deltas, expected) => {
    verifies('Z15');
    const events = [
      ...deltas.map((delta) => ({ delta: { tool_calls: [delta] } })),
      { delta: {}, finish_reason: 'tool_calls' },
    ];
    const body = events.map((choice) => `data: ${JSON.stringify({ choices: [{ index: 0, ...choice }] })}\n\n`).join('');
    const headers = { 'content-type': 'text/event-stream' };
    const told = await tell(overNetwork('openai', () => ({ headers, chunks: [body] })).make);
    expect(called(told)).toEqual(expected);
    const names = told.parts.flatMap((part) => (part.type === 'tool_call_delta' && part.name ? [part.name] : []));
    expect(names).toEqual(expected.map(([name]) => name).filter((name) => name !== ''));
  });
});
