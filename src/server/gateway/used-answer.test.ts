/**
 * Of several answers of the model one is handed on. Its end is told, and in its words: what a filter cut is a filter's cut,
 * also of a call and under a schema; how an answer ended that was thrown away is nobody's business.
 */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { HALF, type Protocol, talk, type Upstream, WRITTEN } from '../../../tests/support/ended-answers.ts';
import { everyNth } from '../../../tests/support/long.ts';
import { NAME, WIRES } from '../../../tests/support/wire-cases.ts';

const FILTERED: Readonly<Record<string, unknown>> = {
  '/v1/chat/completions': 'content_filter',
  '/v1/responses': 'incomplete',
  '/v1/messages': 'refusal',
  '/api/chat': 'content_filter',
};
const SCHEMA = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const PROTOCOLS: readonly Protocol[] = ['openai', 'ollama'];

const ROWS = PROTOCOLS.flatMap((protocol) =>
  WIRES.flatMap((wire) =>
    [false, true].map((stream) => [protocol, wire.name + (stream ? ', streamed' : ''), wire, stream] as const),
  ),
);

/** Answers one after the other; the last one again and again. */
const inTurn =
  (...answers: Upstream[]) =>
  (number: number): Upstream =>
    answers[Math.min(number, answers.length) - 1] as Upstream;

describe.each(ROWS)('%s, %s', (protocol, _name, wire, stream) => {
  it.each<[string, Upstream]>([
    ['half a value', { text: HALF, finish: 'content_filter' }],
    ['words', { text: 'I cannot', finish: 'SAFETY' }],
    ['nothing', { text: '', finish: 'content_filter' }],
  ])(
    'says under a schema that a filter cut the answer, and hands on nothing that does not fit: %s',
    async (_, said) => {
      verifies('Z15');
      const told = await talk(protocol, wire, stream, said, { schema: SCHEMA });
      expect(told).toMatchObject({ status: 200, text: '', finish: FILTERED[wire.path], faults: [] });
      expect(told.error).toBeUndefined();
    },
  );

  it('hands on the value that fits when it is asked again after a filter', async () => {
    verifies('Z15');
    const answers = inTurn({ text: HALF, finish: 'content_filter' }, { text: '{"city": "Paris"}', finish: 'stop' });
    const told = await talk(protocol, wire, stream, answers, { schema: SCHEMA });
    expect(told).toMatchObject({ text: '{"city": "Paris"}', finish: wire.finish.answered, faults: [] });
  });

  it.each<[string, Upstream]>([
    ['in the field for calls', { args: HALF, finish: 'content_filter' }],
    ['in the text', { text: WRITTEN, finish: 'content_filter' }],
  ])('says of half a call that a filter cut it: %s', async (_, half) => {
    verifies('Z15');
    const told = await talk(protocol, wire, stream, half);
    expect(told).toMatchObject({ calls: [], finish: FILTERED[wire.path], faults: [] });
    expect(told.text).toMatch(/filter/);
    expect(told.text).not.toMatch(/broke off|max_tokens/);
  });

  it.each<[string, Upstream]>([
    ['a filter', { text: '', finish: 'content_filter' }],
    ['an unknown word', { text: '', finish: 'banana' }],
    ['the limit', { text: '', finish: 'length' }],
  ])(
    'does not tell how an answer ended that was thrown away, after a call that fits no tool: %s',
    async (_, second) => {
      verifies('Z15');
      const misfit = { args: '{"city": 5, "days": "many"}', finish: 'tool_calls' };
      const told = await talk(protocol, wire, stream, inTurn(misfit, second));
      expect(told.calls).toMatchObject([{ name: NAME }]);
      expect(told).toMatchObject({ finish: wire.finish.called, faults: [] });
      expect(told.guards).not.toMatch(/filtered|unknown_end/);
      expect(told.text).not.toContain('banana');
    },
  );

  it.each<[string, Upstream]>([
    ['a filter', { text: '', finish: 'content_filter' }],
    ['an unknown word', { text: '', finish: 'banana' }],
  ])('tells of half a call that the limit cut it, where the answer after it was nothing: %s', async (_, second) => {
    verifies('Z15');
    const told = await talk(protocol, wire, stream, inTurn({ args: HALF, finish: 'length' }, second));
    expect(told).toMatchObject({ calls: [], finish: wire.finish.cut, faults: [] });
    expect(told.text).toContain('max_tokens');
    expect(told.guards).not.toMatch(/filtered|unknown_end/);
  });
});

const FINISHES = ['stop', 'length', 'content_filter', 'banana', 'tool_calls', null] as const;
const TRIES = FINISHES.flatMap((first) => FINISHES.map((second) => [first, second] as const));
const GUARD_OF: Readonly<Record<string, string>> = {
  content_filter: 'filtered_noticed',
  banana: 'unknown_end_noticed',
};
/** What the gateway asks about again, where the model ended its answer itself. */
const THROWN_AWAY = [
  '<tool_call>{"name": "fly", "arguments": {}}</tool_call>',
  'Ok.\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\nI did.',
  "I'll now look at the weather.",
];
const WHOLE_VALUE = '{"city": "Paris"}';
/** How a client is told of an answer that ended with such a word, with the value whole. */
const toldOf = (word: (typeof FINISHES)[number], { path, finish }: (typeof WIRES)[number]): unknown => {
  if (word === 'content_filter') return FILTERED[path];
  return word === 'length' ? finish.cut : finish.answered;
};
const AGAIN = everyNth(
  ROWS.flatMap(([protocol, name, wire, stream]) =>
    TRIES.map(([first, second]) => [first, second, protocol, name, wire, stream] as const),
  ),
  23,
);

describe('an answer that had to be asked for twice ended as the second one did', () => {
  it.each(AGAIN)('%s, then %s under a schema: %s, %s', async (first, second, protocol, _, wire, stream) => {
    verifies('Z15');
    for (const thrownAway of [HALF, 'I would say Paris.', '{"town": 1}']) {
      const answers = inTurn({ text: thrownAway, finish: first }, { text: WHOLE_VALUE, finish: second });
      const told = await talk(protocol, wire, stream, answers, { schema: SCHEMA });
      expect(told).toMatchObject({ text: WHOLE_VALUE, finish: toldOf(second, wire), faults: [] });
      expect(told.guards).toBe(GUARD_OF[second ?? ''] ?? '');
    }
  });

  it.each(AGAIN)('%s, then %s outside one: %s, %s', async (first, second, protocol, _, wire, stream) => {
    verifies('Z15');
    for (const thrownAway of THROWN_AWAY) {
      const answers = inTurn({ text: thrownAway, finish: first }, { text: 'Which city?', finish: second });
      const told = await talk(protocol, wire, stream, answers);
      const isAskedAgain = told.text.includes('Which city?');
      const last = isAskedAgain ? second : first;
      expect(told, thrownAway).toMatchObject({ calls: [], finish: toldOf(last, wire), faults: [] });
      // The headers of a stream are gone by then.
      if (!stream) expect(told.guards.includes('unknown_end'), thrownAway).toBe(last === 'banana');
      if (!stream) expect(told.guards.includes('filtered'), thrownAway).toBe(last === 'content_filter');
    }
  });
});

const STOP = 'ENDED';
const TOLD_STOP = { finish: 'stop_sequence', stopSequence: STOP };
const OWN_END = { finish: 'end_turn', stopSequence: undefined };
/** The two answers of the model, whether a schema is asked for, and what is told. */
const STOPPED: [what: string, first: string, second: string, isShaped: boolean, told: object][] = [
  ['the first one, under a schema', `Paris ${STOP} or so`, WHOLE_VALUE, true, { text: WHOLE_VALUE, ...OWN_END }],
  ['the second one, under a schema', 'Paris.', `${WHOLE_VALUE}${STOP}`, true, { text: WHOLE_VALUE, ...TOLD_STOP }],
  ['both, under a schema', `Paris ${STOP}`, `${WHOLE_VALUE}${STOP}`, true, { text: WHOLE_VALUE, ...TOLD_STOP }],
  ['words behind a refused call', THROWN_AWAY[0] ?? '', `Which city?${STOP} or`, false, TOLD_STOP],
  ['a refused call', `${THROWN_AWAY[0]}${STOP}`, 'Which city?', false, OWN_END],
];
const MESSAGES = ROWS.filter(([, , wire]) => wire.path === '/v1/messages');

describe.each(MESSAGES)(
  'a stop sequence is told where it ended what is handed on: %s, %s',
  (protocol, _, wire, stream) => {
    it.each(STOPPED)('it ended %s', async (_what, first, second, isShaped, expected) => {
      verifies('Z15');
      const answers = inTurn({ text: first, finish: 'stop' }, { text: second, finish: 'stop' });
      const wanted = isShaped ? { schema: SCHEMA } : { tools: true };
      const told = await talk(protocol, wire, stream, answers, { ...wanted, fields: { stop_sequences: [STOP] } });
      expect(told).toMatchObject({ ...expected, faults: [] });
    });
  },
);
