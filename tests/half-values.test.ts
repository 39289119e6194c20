/** Half a call is never run as a whole one, and half an answer is never handed out as a value: on every way out. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, AIMessageChunk } from '@langchain/core/messages';
import { ChatGenerationChunk, type ChatResult } from '@langchain/core/outputs';
import { generateText, type LanguageModel, Output, streamText, tool } from 'ai';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonSchema, JsonValue } from '../src/core/json.ts';
import { isCutBy } from '../src/dialects/ai-sdk/shapes.ts';
import { readCalls } from '../src/dialects/ai-sdk.ts';
import { repairedCall } from '../src/dialects/answer-reader/calls.ts';
import { readCalls as readLangChain } from '../src/dialects/langchain.ts';
import { jsonAnswer } from '../src/gateway/json-answer.ts';
import { outputFormat } from '../src/harness/structured-output.ts';
import { createHarness, defineTool } from '../src/index.ts';
import type { ParametersInput } from '../src/schema/index.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { inTurn, rounds } from './support/long.ts';
import { serving } from './support/serving.ts';

type Finish = 'length' | 'content_filter' | 'tool_calls' | 'stop' | null;
/** The arguments that the call comes out with; undefined: it is not made. */
type CallSurface = (args: string, finish: Finish) => Promise<unknown>;

const PAY = z.object({
  to: z.string().optional(),
  n: z.number().optional(),
  list: z.array(z.number()).optional(),
  deep: z.object({ ok: z.boolean().optional() }).optional(),
});
const SCHEMA = z.toJSONSchema(PAY);
const USAGE = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
const inSdk = (finish: Finish) => {
  const unified = { tool_calls: 'tool-calls', content_filter: 'content-filter', length: 'length', stop: 'stop' };
  return { unified: finish === null ? 'other' : unified[finish], raw: undefined };
};

/** Says it in the first answer, and "Done." afterwards. */
const serverOf = async (turn: object) => {
  const server = await startScriptedServer({ turns: ({ number }) => (number === 0 ? turn : { text: 'Done.' }) });
  onTestFinished(() => server.close());
  return server;
};
const callTurn = (args: string, finish: Finish) => ({ calls: [{ name: 'pay', arguments: args }], finish });

/** A call of the server's own field, or in its text. */
type Said = { args: string } | { text: string };

const harnessRun = async (said: Said, finish: Finish): Promise<unknown> => {
  const server = await serverOf('args' in said ? callTurn(said.args, finish) : { ...said, finish });
  let ran: unknown;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays.',
    risk: 'safe',
    parameters: PAY,
    run: (given) => {
      ran = given;
      return 'paid';
    },
  });
  const harness = createHarness({ model: 'openai/test-model', baseUrl: server.openaiUrl, tools: [pay] });
  await harness.chat('Go').result();
  await harness.close();
  return ran;
};

const harnessCall: CallSurface = (args, finish) => harnessRun({ args }, finish);

/** As a provider of the AI SDK hands over a call that its server read, or a text. */
const sdkModel = (part: { type: string; [field: string]: unknown }, finish: Finish) => {
  const end = { finishReason: inSdk(finish), usage: USAGE };
  const deltas =
    part.type === 'text'
      ? [
          { type: 'text-start', id: 't' },
          { type: 'text-delta', id: 't', delta: part['text'] },
          { type: 'text-end', id: 't' },
        ]
      : [part];
  return readCalls({
    specificationVersion: 'v3',
    provider: 'p',
    modelId: 'm',
    supportedUrls: {},
    doGenerate: async () => ({ content: [part], ...end, warnings: [] }),
    doStream: async () => ({
      stream: new ReadableStream({
        start(controller) {
          for (const each of [{ type: 'stream-start', warnings: [] }, ...deltas, { type: 'finish', ...end }])
            controller.enqueue(each);
          controller.close();
        },
      }),
    }),
  }) as unknown as LanguageModel;
};
const sdkRun =
  (isStream: boolean) =>
  async (said: Said, finish: Finish): Promise<unknown> => {
    let ran: unknown;
    const pay = tool({
      inputSchema: PAY,
      execute: (given) => {
        ran = given;
        return 'paid';
      },
    });
    const part =
      'args' in said
        ? { type: 'tool-call', toolCallId: 'c1', toolName: 'pay', input: said.args }
        : { type: 'text', text: said.text };
    const given = { model: sdkModel(part, finish), prompt: 'Go', tools: { pay } };
    const { toolCalls } = isStream ? streamText({ ...given, onError: () => {} }) : await generateText(given);
    await toolCalls;
    return ran;
  };

const sdkCall =
  (isStream: boolean): CallSurface =>
  (args, finish) =>
    sdkRun(isStream)({ args }, finish);

/** As LangChain hands over a call: whole, what is no JSON is apart; in chunks, it closes what is open itself. */
class Calling extends BaseChatModel {
  readonly args: string;
  readonly about: { finish_reason: Finish };
  constructor(args: string, finish: Finish) {
    super({});
    this.args = args;
    this.about = { finish_reason: finish };
  }
  _llmType(): string {
    return 'calling';
  }
  override async _generate(): Promise<ChatResult> {
    const invalid = [
      { name: 'pay', id: 'c1', args: this.args, error: 'Malformed.', type: 'invalid_tool_call' as const },
    ];
    const message = new AIMessage({ content: '', invalid_tool_calls: invalid, response_metadata: this.about });
    return { generations: [{ text: '', message, generationInfo: this.about }] };
  }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    const chunk = { name: 'pay', id: 'c1', args: this.args, index: 0, type: 'tool_call_chunk' as const };
    const called = new AIMessageChunk({ content: '', tool_call_chunks: [chunk] });
    yield new ChatGenerationChunk({ text: '', message: called });
    const message = new AIMessageChunk({ content: '', response_metadata: this.about });
    yield new ChatGenerationChunk({ text: '', message, generationInfo: this.about });
  }
}
/** The word comes in a chunk before the last. */
class Ending extends Calling {
  readonly end: object;
  constructor(args: string, end: object) {
    super(args, null);
    this.end = end;
  }
  override async _generate(): Promise<ChatResult> {
    const invalid = [
      { name: 'pay', id: 'c1', args: this.args, error: 'Malformed.', type: 'invalid_tool_call' as const },
    ];
    const message = new AIMessage({ content: '', invalid_tool_calls: invalid, ...this.end });
    return { generations: [{ text: '', message }] };
  }
  override async *_streamResponseChunks(): AsyncGenerator<ChatGenerationChunk> {
    const chunk = { name: 'pay', id: 'c1', args: this.args, index: 0, type: 'tool_call_chunk' as const };
    for (const fields of [{ tool_call_chunks: [chunk] }, this.end, {}])
      yield new ChatGenerationChunk({ text: '', message: new AIMessageChunk({ content: '', ...fields }) });
  }
}
const langChainCall =
  (isStream: boolean): CallSurface =>
  async (args, finish) => {
    const model = readLangChain(new Calling(args, finish));
    const bound = { tools: [{ name: 'pay', schema: SCHEMA }] } as never;
    let message: AIMessageChunk | undefined;
    if (!isStream) message = await model.invoke('Go', bound);
    else for await (const chunk of await model.stream('Go', bound)) message = message?.concat(chunk) ?? chunk;
    return message?.tool_calls?.[0]?.args;
  };

const CALL_SURFACES: [string, CallSurface][] = [
  ['chat()', harnessCall],
  ['the AI SDK', sdkCall(false)],
  ['the AI SDK, streamed', sdkCall(true)],
  ['LangChain', langChainCall(false)],
  ['LangChain, streamed', langChainCall(true)],
];

/** More of the value may have followed. */
const HALVES = [
  '{"to":"x","n":12',
  '{"n":12',
  '{"n":12,',
  '{"n":-1.',
  '{"list":[1,2',
  '{"list":[1,2,',
  '{"list":[',
  '{"to":"x","deep":{',
  '{"to":"x',
  '{"to":"x","n":',
  '{"to":"x","n"',
  '{',
];
/** Nothing but braces is missing. */
const UNCLOSED: [string, JsonValue][] = [
  ['{"n":12,"to":"x"', { n: 12, to: 'x' }],
  ['{"to":"x","list":[1,2]', { to: 'x', list: [1, 2] }],
  ['{"to":"x","deep":{"ok":true', { to: 'x', deep: { ok: true } }],
];
/** A bracket within is missing, and what comes behind it is there. */
const MISSING_WITHIN: [string, JsonValue][] = [
  ['{"list":[1,2}', { list: [1, 2] }],
  ['{"to":"x","list":[1,2 }', { to: 'x', list: [1, 2] }],
];
const OWN_ENDS: Finish[] = ['tool_calls', 'stop', null];

describe.each(CALL_SURFACES.map((row, at) => [...row, at] as const))(
  'a call of the server, %s',
  (_name, surface, at) => {
    // Usually each half is sent to one surface in turn.
    it.each(inTurn(HALVES, at, CALL_SURFACES.length))('%s is not made, however the answer ended', async (args) => {
      verifies('K5');
      for (const finish of [...OWN_ENDS, 'length', 'content_filter'] as const)
        expect([finish, await surface(args, finish)]).toEqual([finish, undefined]);
    });

    it.each(UNCLOSED)('%s is made where the model ended it, and not where it was cut', async (args, made) => {
      for (const finish of OWN_ENDS) expect([finish, await surface(args, finish)]).toEqual([finish, made]);
      for (const cut of ['length', 'content_filter'] as const)
        expect([cut, await surface(args, cut)]).toEqual([cut, undefined]);
    });

    it.each(MISSING_WITHIN)('%s is closed, and is made however the answer ended', async (args, made) => {
      verifies('K5');
      for (const finish of [...OWN_ENDS, 'length', 'content_filter'] as const)
        expect([finish, await surface(args, finish)]).toEqual([finish, made]);
    });

    it('a whole one is made, however the answer ended', async () => {
      for (const finish of [...OWN_ENDS, 'length'] as const)
        expect([finish, await surface('{"to":"x","n":12}', finish)]).toEqual([finish, { to: 'x', n: 12 }]);
    });
  },
);

/** Usually each half on one of them, in turn. */
const TEXT_SURFACES = [harnessRun, sdkRun(false), sdkRun(true)];
const TEXTS = HALVES.map((args, index) => [args, inTurn(TEXT_SURFACES, index % 3, TEXT_SURFACES.length)] as const);
it.each(TEXTS)('a call in the text that ends in %s is not made', async (args, surfaces) => {
  verifies('K5');
  const text = `<tool_call>{"name":"pay","arguments":${args}`;
  for (const finish of ['length', 'stop', null] as const)
    for (const surface of surfaces) expect([finish, await surface({ text }, finish)]).toEqual([finish, undefined]);
});

it('the gateway hands on no half call', async () => {
  verifies('K5');
  const answers: object[] = [];
  const upstream = await startScriptedServer({ turns: () => answers.shift() ?? { text: 'Done.' } });
  onTestFinished(() => upstream.close());
  const server = await serving(['--provider', 'openai', '--base-url', upstream.openaiUrl]);
  const asked = async (args: string, finish: Finish) => {
    answers.splice(0, answers.length, callTurn(args, finish));
    const tools = [{ type: 'function', function: { name: 'pay', description: 'Pays.', parameters: SCHEMA } }];
    const body = { model: 'test-model', messages: [{ role: 'user', content: 'Go' }], tools };
    const response = await server.call('POST', '/v1/chat/completions', body);
    return JSON.stringify(await response.json()).includes('"arguments"');
  };
  // Usually each half ends in two of the four ways, in turn.
  for (const [index, args] of HALVES.entries())
    for (const finish of inTurn<Finish>([...OWN_ENDS, 'length'], index % 2, 2))
      expect([args, finish, await asked(args, finish)]).toEqual([args, finish, false]);
  expect(await asked('{"n":12,"to":"x"', 'stop')).toBe(true);
});

/** The value; undefined where there is none. */
type ValueSurface = (schema: z.ZodType, text: string, finish: Finish) => Promise<unknown>;

const chatValue: ValueSurface = async (schema, text, finish) => {
  const server = await serverOf({ text, finish });
  const harness = createHarness({ model: 'openai/test-model', baseUrl: server.openaiUrl });
  const output = await harness
    .chat('Go', { schema })
    .result()
    .then(
      (result) => result.output,
      () => undefined,
    );
  await harness.close();
  // "Done." is what comes when it is asked for again.
  return output === 'Done.' ? undefined : output;
};
const sdkValue =
  (isStream: boolean): ValueSurface =>
  async (schema, text, finish) => {
    const given = { model: sdkModel({ type: 'text', text }, finish), prompt: 'Go', output: Output.object({ schema }) };
    const asked = async (): Promise<unknown> =>
      isStream ? streamText({ ...given, onError: () => {} }).output : (await generateText(given)).output;
    return asked().catch(() => undefined);
  };
const VALUE_SURFACES: [string, ValueSurface][] = [
  ['chat()', chatValue],
  ['the AI SDK', sdkValue(false)],
  ['the AI SDK, streamed', sdkValue(true)],
  ['the gateway', async (schema, text, finish) => gatewayValue(z.toJSONSchema(schema) as JsonSchema, text, finish)],
];
const gatewayValue = (schema: JsonSchema, text: string, finish: Finish): unknown => {
  const read = jsonAnswer(text, schema, finish === 'length' || finish === 'content_filter');
  return read.ok ? JSON.parse(read.value) : undefined;
};

const ANY = z.object({
  price: z.number().optional(),
  name: z.string().optional(),
  items: z.array(z.object({ n: z.string(), p: z.number().optional() })).optional(),
});
const HALF_VALUES = [
  '{"price":12',
  '{"items":[{"n":"a","p":1},{"n":"b"',
  '{"items":[{"n":"a","p":1},{"n":"b',
  '{"items":[{"n":"a"}]',
  '{"name":"x"',
  '{"name":"x",',
  '{',
  'Here it is:\n```json\n{"price":12',
  '```json\n{"price":12\n```',
  'First {"price":1} and then {"price":2',
];

describe.each(VALUE_SURFACES)('an answer as a value, %s', (_name, surface) => {
  it.each(HALF_VALUES)('%j is none, however it ended', async (text) => {
    verifies('K5');
    for (const finish of ['length', 'content_filter', 'stop', null] as const)
      expect([finish, await surface(ANY, text, finish)]).toEqual([finish, undefined]);
  });

  it.each<[string, JsonValue]>([
    ['{"items":[{"n":"a"}}', { items: [{ n: 'a' }] }],
    ['{"price":12,"items":[{"n":"a","p":1}}', { price: 12, items: [{ n: 'a', p: 1 }] }],
    ['```json\n{"items":[{"n":"a"}}\n```', { items: [{ n: 'a' }] }],
    ['Here: {"items":[{"n":"a"}}', { items: [{ n: 'a' }] }],
  ])('%j is closed, and is one however it ended', async (text, value) => {
    verifies('K5');
    for (const finish of ['length', 'content_filter', 'stop', null] as const)
      expect([finish, await surface(ANY, text, finish)]).toEqual([finish, value]);
  });

  it('a whole one is one, also where words behind it were cut', async () => {
    for (const text of ['{"price":12}', '```json\n{"price":12,}\n```', '{"price":12}\n\nNote tha'])
      for (const finish of ['length', 'stop', null] as const)
        expect([text, finish, await surface(ANY, text, finish)]).toEqual([text, finish, { price: 12 }]);
  });
});

it.each<[ParametersInput, string, unknown]>([
  [z.number(), '12', 12],
  [z.string(), 'hello wor', 'hello wor'],
  [z.string(), '"hello"', 'hello'],
  [z.string(), '"hello wor', undefined],
  [z.enum(['ab', 'abc']), 'ab', 'ab'],
  [z.enum(['C', 'C++', 'C#']), 'C', 'C'],
  [z.enum(['C', 'C++', 'C#']), 'C+', undefined],
  [z.enum(['ab', 'abc']), '"ab"', 'ab'],
  [z.enum(['ab', 'abc']), 'abc', 'abc'],
  [z.array(z.number()), '[1,2', undefined],
  [z.array(z.number()), '12', undefined],
])('a bare word or number is a value only where the model ended it: %#', async (schema, text, value) => {
  const format = outputFormat(schema);
  const [own, cut] = [await format.read(text), await format.read(text, true)];
  expect([own.ok ? own.value : undefined, cut.ok]).toEqual([value, false]);
});

it('no beginning of an object or a list is a value', async () => {
  verifies('K5');
  const any = outputFormat({});
  const whole = fc.jsonValue().filter((one) => typeof one === 'object' && one !== null);
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  await fc.assert(
    fc.asyncProperty(whole, share, fc.boolean(), async (value, at, isCut) => {
      const text = JSON.stringify(value);
      const part = text.slice(0, Math.floor(at * text.length));
      expect((await any.read(part, isCut)).ok).toBe(false);
      expect(jsonAnswer(part, {}, isCut).ok).toBe(false);
    }),
    { numRuns: rounds(500, 20_000) },
  );
});

it('no beginning of the arguments is a call where the answer was cut', async () => {
  verifies('K5');
  const surfaces = [sdkCall(true), langChainCall(false), langChainCall(true)];
  const whole = fc.record({ to: fc.string(), n: fc.integer(), list: fc.array(fc.integer()) });
  await fc.assert(
    fc.asyncProperty(whole, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), async (value, at) => {
      const text = JSON.stringify(value);
      const part = text.slice(0, Math.floor(at * text.length));
      for (const surface of surfaces) expect(await surface(part, 'length')).toBeUndefined();
    }),
    { numRuns: rounds(50, 500) },
  );
});

it.each([
  ['{"n":12', false, /complete/],
  ['{"n":12', true, /cut off/],
  ['{"n": @}', false, /not JSON/],
  ['{"n": @}', true, /not JSON/],
  ['[{"n": @}]', true, /not JSON/],
  ['12', true, /cut off/],
])('the words of a call whose arguments are %s (cut: %s) say what is wrong with them', (input, isCut, words) => {
  verifies('K5');
  const part = repairedCall({ type: 'tool-call', toolName: 'pay', toolCallId: 'c', input }, [{ name: 'pay' }], isCut);
  expect(part).toMatchObject({ problem: expect.stringMatching(words) });
});

it.each(['[1,2]', '"abc"', '[{"n":1}]'])('arguments that are whole and no object stay as they are: %s', (input) => {
  verifies('K5');
  for (const isCut of [false, true]) {
    const part = repairedCall({ type: 'tool-call', toolName: 'pay', toolCallId: 'c', input }, [{ name: 'pay' }], isCut);
    expect(part).toEqual({ type: 'tool-call', toolName: 'pay', toolCallId: 'c', input });
  }
});

const ENDS: [string, string, object, boolean][] = [
  ['OpenAI', 'length', { response_metadata: { finish_reason: 'length' } }, true],
  ['Anthropic', 'max_tokens', { response_metadata: { stop_reason: 'max_tokens' } }, true],
  ['Anthropic, beside', 'max_tokens', { additional_kwargs: { stop_reason: 'max_tokens' } }, true],
  ['Anthropic', 'refusal', { response_metadata: { stop_reason: 'refusal' } }, true],
  ['Anthropic', 'tool_use', { response_metadata: { stop_reason: 'tool_use' } }, false],
  ['Ollama', 'length', { response_metadata: { done_reason: 'length' } }, true],
  ['Google', 'MAX_TOKENS', { response_metadata: { finishReason: 'MAX_TOKENS' } }, true],
  ['Google', 'SAFETY', { response_metadata: { finishReason: 'SAFETY' } }, true],
  ['Google', 'STOP', { response_metadata: { finishReason: 'STOP' } }, false],
  ['Bedrock', 'guardrail_intervened', { response_metadata: { stopReason: 'guardrail_intervened' } }, true],
  ['Responses', 'cut', { response_metadata: { incomplete_details: { reason: 'max_output_tokens' } } }, true],
  ['Responses', 'whole', { response_metadata: { status: 'completed', incomplete_details: null } }, false],
  ['an unknown word', 'banana', { response_metadata: { finish_reason: 'banana' } }, true],
];
describe.each([false, true])('a call of LangChain whose braces are missing (streamed: %s)', (isStream) => {
  it.each(ENDS)('is made only where the model ended it: %s, %s', async (_client, _word, about, isCut) => {
    verifies('K5');
    const model = readLangChain(new Ending('{"n":12,"to":"x"', about));
    const bound = { tools: [{ name: 'pay', schema: SCHEMA }] } as never;
    let message: AIMessageChunk | undefined;
    if (!isStream) message = await model.invoke('Go', bound);
    else for await (const chunk of await model.stream('Go', bound)) message = message?.concat(chunk) ?? chunk;
    const calls = message?.tool_calls?.filter(({ args }) => Object.keys(args).length > 0);
    expect(calls).toHaveLength(isCut ? 0 : 1);
  });
});

describe('an end in the words of the AI SDK', () => {
  it.each<[unknown, boolean]>([
    ['length', true],
    ['content-filter', true],
    ['stop', false],
    ['tool-calls', false],
    ['other', false],
    ['unknown', false],
    [{ unified: 'length', raw: 'max_tokens' }, true],
    [{ unified: 'other', raw: 'banana' }, true],
    [{ unified: 'other', raw: 'model_context_window_exceeded' }, true],
    [{ unified: 'other', raw: undefined }, false],
    [{ unified: 'other', raw: 'eos' }, false],
    [undefined, false],
  ])('%j: cut %s', (finishReason, isCut) => {
    expect(isCutBy(finishReason)).toBe(isCut);
  });
});

it.each(['content_filter', 'banana'])(
  'what ended thoughts alone (%s) says nothing of the answer behind them',
  async (word) => {
    const first = { reasoning: 'Hm.', finish: word };
    verifies('K5');
    const server = await startScriptedServer({
      turns: ({ number }) => (number === 0 ? first : { text: '12', finish: 'stop' }),
    });
    onTestFinished(() => server.close());
    const harness = createHarness({ model: 'openai/test-model', baseUrl: server.openaiUrl });
    const { output } = await harness.chat('How many?', { schema: z.number() }).result();
    await harness.close();
    expect([output, server.requests.filter(({ path }) => path.endsWith('completions')).length]).toEqual([12, 2]);
  },
);
