/** A server that refuses the shape of an answer, or tools, in words of its own: the answer comes all the same, on every surface. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHarness, defineTool } from '../src/index.ts';
import { createProvider } from '../src/providers/index.ts';
import { type ScriptedServerTurn, scriptedNetwork, startScriptedServer } from '../src/testing/index.ts';
import { PROVIDERS, quiet } from '../src/testing/scripted-server/table.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';
import { NAME, WIRES } from './support/wire-cases.ts';

const SCHEMA = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] };
type Body = Record<string, unknown>;
/** The person has to be told of the shape where nothing else holds the model to it. */
const shaped = (body: Body): string =>
  JSON.stringify(body['messages']).includes(JSON.stringify(JSON.stringify(SCHEMA)).slice(1, -1)) ? '{"a": 4}' : 'Four.';
const CALL = `<tool_call>\n{"name": "${NAME}", "arguments": {"city": "Paris"}}\n</tool_call>`;

const refusal = (status: number, message: string): ScriptedServerTurn => ({
  status,
  body: JSON.stringify({ error: { message } }),
});
const FORMAT_REFUSALS = [
  refusal(400, 'This response_format type is unavailable now'),
  refusal(400, 'no'),
  refusal(422, 'json_schema unsupported'),
  refusal(501, 'Not implemented'),
];
const TOOL_REFUSALS = [
  refusal(400, 'Unrecognized request argument supplied: tools'),
  refusal(422, "Additional properties are not allowed ('tools' was unexpected)"),
  refusal(501, 'Not implemented'),
];

/** `answer` says what comes where the field is not in the body. */
const refusing = (field: string, refused: ScriptedServerTurn, answer: (body: Body) => string) => {
  const bodies: Body[] = [];
  const row = PROVIDERS.find(({ name }) => name === 'openai');
  const network = scriptedNetwork((asked) => {
    if (asked.url.endsWith('/models')) return { chunks: ['{"data":[{"id":"m"}]}'] };
    if (!asked.url.endsWith('/chat/completions')) return undefined;
    const body = JSON.parse(Buffer.from(asked.body as Uint8Array).toString()) as Body;
    bodies.push(body);
    if (body[field] !== undefined) return { status: refused.status ?? 400, chunks: [refused.body ?? ''] };
    if (body['stream'] === false) {
      const message = { role: 'assistant', content: answer(body) };
      return { chunks: [JSON.stringify({ choices: [{ index: 0, message, finish_reason: 'stop' }] })] };
    }
    return { headers: { 'content-type': row?.contentType ?? '' }, chunks: [row?.write({ text: answer(body) }) ?? ''] };
  });
  return { bodies, provider: createProvider('openai', { ...quiet([]), network }) };
};

const harnessWith = (provider: ReturnType<typeof refusing>['provider'], tools: 'none' | 'one' = 'none') => {
  const own = defineTool({
    name: NAME,
    description: 'The weather of a city.',
    risk: 'safe',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    run: () => 'sunny',
  });
  const harness = createHarness({
    model: 'm',
    provider,
    workspace: scratchFolder(),
    tools: tools === 'one' ? [own] : [],
    io: { onWarning: () => {} },
  });
  onTestFinished(() => harness.close());
  return harness;
};

describe.each(FORMAT_REFUSALS)('a shape that is refused as $status $body', (refused) => {
  it('the library', async () => {
    verifies('L2');
    const { provider, bodies } = refusing('response_format', refused, shaped);
    const harness = harnessWith(provider);
    const answered = await harness.chat('q', { schema: SCHEMA });
    expect([answered.output, bodies.length]).toEqual([{ a: 4 }, 2]);
    expect(answered.warnings.map(({ code }) => code)).toEqual(['field_refused']);
    expect((await harness.chat('q', { schema: SCHEMA })).output).toEqual({ a: 4 });
    expect(bodies.length).toBe(3);
  });

  it.each(WIRES.flatMap((wire) => [false, true].map((stream) => [wire.name, stream, wire] as const)))(
    'the gateway by %s, streamed: %s',
    async (_name, stream, wire) => {
      const { provider, bodies } = refusing('response_format', refused, shaped);
      const { call } = await testServer([], { modelProvider: provider });
      const body = { ...wire.body({ schema: SCHEMA }), ...(stream ? { stream } : {}) };
      const answered = await call('POST', wire.path, body);
      expect([answered.status, await answered.text()]).toEqual([200, expect.stringMatching(/a\\?": ?4|"a|4/)]);
      expect(bodies.map((sent) => sent['response_format'] !== undefined)).toEqual([true, false]);
    },
  );

  it('the command line', async () => {
    await using server = await startScriptedServer({
      turns: ({ body }) => (body['response_format'] === undefined ? { text: shaped(body) } : refused),
    });
    const flags = ['--provider', 'openai', '--base-url', server.openaiUrl];
    const ran = await runHalter(['run', 'q', '--json-schema', JSON.stringify(SCHEMA), ...flags]);
    expect(ran).toMatchObject({ code: 0, out: '{"a": 4}\n' });
  });
});

describe.each(TOOL_REFUSALS)('tools that are refused as $status $body', (refused) => {
  it('the library', async () => {
    verifies('L2');
    const { provider } = refusing('tools', refused, ({ messages }) =>
      JSON.stringify(messages).includes('sunny') ? 'It is sunny.' : CALL,
    );
    const answered = await harnessWith(provider, 'one').chat('Weather in Paris?');
    expect([answered.answer, answered.toolCalls.length]).toEqual(['It is sunny.', 1]);
    expect(answered.warnings.map(({ code }) => code)).toContain('tools_injected');
  });

  it.each(WIRES.map((wire) => [wire.name, wire] as const))('the gateway by %s', async (_name, wire) => {
    const { provider } = refusing('tools', refused, () => CALL);
    const { json } = await testServer([], { modelProvider: provider });
    const told = wire.whole(await json('POST', wire.path, wire.body({ tools: true })));
    expect(told.calls).toEqual([{ name: NAME, args: { city: 'Paris' } }]);
  });
});
