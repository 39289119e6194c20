/** What an answer is said to have cost: every request that was sent for it, on every wire, as a whole and as a stream. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { framesOf, NAME, type Wanted, WIRES, type WireCase } from '../../../tests/support/wire-cases.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Usage } from '../../core/message.ts';
import type { ModelError, ModelOutcome, ModelProvider } from '../../core/model-port.ts';
import { promptTokens } from '../../gateway/usage.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../testing/index.ts';
import type { GatewayRecord } from './state.ts';

const CALLED = { calls: [{ name: NAME, arguments: { city: 'Oslo' } }] };
const MISFIT = { calls: [{ name: NAME, arguments: { days: 1 } }] };
const HALF = { text: '<tool_call>{"name": "get_weather", "arguments": {"city": "Par', finish: 'length' as const };
const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'], additionalProperties: false };
const UNSUPPORTED = { error: { code: 'tools_unsupported' as const, message: 'no tools', status: 400 } };

type Case = {
  title: string;
  turns: readonly ScriptedProviderSource[];
  wanted?: Wanted;
  more?: Partial<ModelProvider>;
  fails?: true;
  /** Only where words were handed on before. */
  streamed?: true;
  /** A request that the server refused read nothing. */
  refused?: number;
};
const BROKEN: ModelError = { code: 'disconnected', message: 'It broke.' };
const CASES: readonly Case[] = [
  { title: 'one request', turns: [{ text: 'Sunny.' }] },
  { title: 'an empty answer', turns: [{ text: '' }, { text: 'Sunny.' }] },
  { title: 'answers that stay empty', turns: [{ text: '' }, { text: '' }], fails: true },
  { title: 'an announcement', turns: [{ text: "I'll check the weather now." }, CALLED], wanted: { tools: true } },
  { title: 'half a call', turns: [HALF, CALLED], wanted: { tools: true } },
  { title: 'calls that do not fit', turns: [MISFIT, MISFIT, CALLED], wanted: { tools: true } },
  {
    title: 'a call that is decoded under its schema',
    turns: [{ text: 'No.' }, { text: '{"city": "Oslo"}' }],
    wanted: { tools: true, choice: 'required' },
    more: { constrains: true },
  },
  {
    title: 'an answer that does not fit its schema',
    turns: [{ text: 'no' }, { text: '{"a": 1}' }],
    wanted: { schema: SCHEMA },
  },
  { title: 'a server without tools', turns: [UNSUPPORTED, { text: 'Sunny.' }], wanted: { tools: true }, refused: 1 },
  {
    title: 'an end that the caller named',
    turns: [{ text: ['Sunny', '. END', ' and more'] }],
    wanted: { fields: { stop: ['END'] } },
  },
  {
    title: 'a stream that breaks',
    turns: [{ text: 'It is', error: BROKEN }],
    fails: true,
    streamed: true,
  },
  {
    title: 'a stream that breaks in a call',
    turns: [
      { text: '<tool_call>{"na', error: BROKEN },
      { text: '<tool_call>{"na', error: BROKEN },
    ],
    wanted: { tools: true },
    fails: true,
  },
  {
    title: 'a refusal',
    turns: [{ error: { code: 'bad_request', message: 'No.', status: 400 } }],
    fails: true,
    refused: 1,
  },
];

const EACH = 100;
type Count = (usage: Usage) => Usage | undefined;
/** How a server counts. */
const COUNTS: Readonly<Record<string, Count>> = {
  all: (usage) => ({ ...usage, prompt_tokens: EACH, completion_tokens: 10 }),
  'what it read beside what it had': (usage) => ({ ...usage, prompt_tokens: EACH - 90, cached_tokens: 90 }),
  'no prompt that it had': (usage) => ({ ...usage, prompt_tokens: 0 }),
  nothing: () => undefined,
};

/** A server that counts in its way, and how much it was really sent. */
const counting = (turns: readonly ScriptedProviderSource[], count: Count, more: Partial<ModelProvider> = {}) => {
  const scripted = scriptedProvider(turns, { models: [{ id: 'm' }] });
  const sent: number[] = [];
  const stream: ModelProvider['stream'] = async (request, emit, signal) => {
    const outcome: ModelOutcome = await scripted.stream(request, emit, signal);
    const wasRefused = !outcome.ok && outcome.error.status !== undefined;
    const usage = outcome.ok && outcome.answer.usage ? count(outcome.answer.usage) : undefined;
    const told = usage?.prompt_tokens ? usage.prompt_tokens + (usage.prompt_tokens < EACH ? 90 : 0) : undefined;
    sent.push(wasRefused ? 0 : (told ?? promptTokens(request.messages, request.tools)));
    return outcome.ok ? { ok: true, answer: { ...outcome.answer, usage } } : outcome;
  };
  return { provider: { ...scripted, ...more, stream }, sent };
};

const number = (value: unknown): number => (typeof value === 'number' ? value : 0);
const USAGE: Readonly<Record<string, (told: JsonObject) => { read: number; written: number }>> = {
  'chat completions': (told) => ({ read: number(told['prompt_tokens']), written: number(told['completion_tokens']) }),
  responses: (told) => ({ read: number(told['input_tokens']), written: number(told['output_tokens']) }),
  messages: (told) => ({
    read:
      number(told['input_tokens']) +
      number(told['cache_read_input_tokens']) +
      number(told['cache_creation_input_tokens']),
    written: number(told['output_tokens']),
  }),
  "Ollama's chat": (told) => ({ read: number(told['prompt_eval_count']), written: number(told['eval_count']) }),
};

/** The last that is said of it, wherever it stands. */
const usageIn = (wire: WireCase, body: string): { read: number; written: number } | undefined => {
  const told = framesOf(body).flatMap(({ data }) => {
    const inner = isObject(data['response']) ? data['response'] : data;
    if (wire.name === "Ollama's chat") return data['done'] === true ? [data] : [];
    return isObject(inner['usage']) ? [inner['usage']] : [];
  });
  const last = told.at(-1);
  return last && USAGE[wire.name]?.(last);
};

type Row = { wire: WireCase; stream: boolean; one: Case; count: Count; name: string };
const rowsOf = (wire: WireCase, stream: boolean, counts: string): Row[] =>
  CASES.filter(({ wanted, streamed }) => (stream || !streamed) && (!wanted?.choice || wire.canRequire)).map((one) => ({
    wire,
    stream,
    one,
    count: COUNTS[counts] as Count,
    name: `${wire.name}, ${stream ? 'streamed' : 'whole'}, the server counts ${counts}: ${one.title}`,
  }));
/** Every wire, and on one of them every way to count. */
const ROWS: readonly Row[] = [
  ...WIRES.flatMap((wire) => [false, true].flatMap((stream) => rowsOf(wire, stream, 'all'))),
  ...Object.keys(COUNTS).flatMap((counts) => (counts === 'all' ? [] : rowsOf(WIRES[0] as WireCase, false, counts))),
];

describe('the cost of all requests is told', () => {
  it.each(ROWS)('on $name', async ({ wire, stream, one, count }) => {
    verifies('B2');
    const { provider, sent } = counting(one.turns, count, one.more);
    const records: GatewayRecord[] = [];
    const server = await testServer([], { modelProvider: provider, onGateway: (record) => records.push(record) });
    const body = wire.body({ ...one.wanted, stream });
    if (wire.name === 'chat completions' && stream) body['stream_options'] = { include_usage: true };
    const response = await server.call('POST', wire.path, body);
    const text = await response.text();
    const total = sent.reduce((sum, tokens) => sum + tokens, 0);
    expect(sent).toHaveLength(one.turns.length);
    expect(records).toMatchObject([{ requests: sent.length, failed: one.fails === true }]);
    expect(records[0]?.prompt_tokens).toBeGreaterThanOrEqual(total);
    if (one.refused === sent.length) expect(records[0]?.prompt_tokens).toBe(0);
    if (one.fails) return;
    if (!stream) expect(response.headers.get('x-halter-requests')).toBe(String(sent.length));
    const told = usageIn(wire, stream ? text : `${text}\n`);
    expect(told?.read).toBe(records[0]?.prompt_tokens);
    expect(told?.written).toBe(records[0]?.completion_tokens);
    expect(told?.written).toBeGreaterThan(0);
  });
});
