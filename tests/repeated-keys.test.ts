/** A key twice in a call: nobody knows which value was meant, so the call goes back, from every way in. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createParser, dialectNames, renderCall } from '../src/dialects/index.ts';
import { createHarness, defineTool } from '../src/index.ts';
import { type ScriptedServerTurn, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const TOOL = {
  name: 'look',
  description: 'Looks.',
  parameters: {
    type: 'object',
    properties: { key_a: { type: 'string' }, deep: { type: 'object', additionalProperties: true } },
  },
} as const;
const twice = (text: string): string => text.replaceAll('key_b', 'key_a');
const FLAT = { key_a: 'one', key_b: 'two' };
const DEEP = { deep: { key_a: 'one', key_b: 'two' } };
const SAME = { key_a: 'one', key_b: 'one' };
const notations = dialectNames().filter((dialect) => dialect !== 'native');

describe.each(notations)('%s', (dialect) => {
  const calls = (args: typeof FLAT | typeof DEEP | typeof SAME, size: number) => {
    const text = twice(renderCall(dialect, { name: 'look', arguments: args }));
    const parser = createParser({ dialect, tools: [TOOL] });
    for (let at = 0; at < text.length; at += size) parser.push(text.slice(at, at + size));
    return parser.end().result;
  };

  it.each([1, 1_000])('of two values none is lost, in pieces of %i', (size) => {
    verifies('K4');
    // Where values are text up to a mark, a mark of the same key is text of the value.
    for (const args of [FLAT, DEEP])
      for (const made of calls(args, size).calls) expect(made.argumentsText).toMatch(/one.*two/s);
  });

  it('the same value twice is no fault of its own', () => {
    for (const { reason } of calls(SAME, 1).broken) expect(reason).toBe(undefined);
  });
});

const ARGUMENTS = '{"key_a":"one","key_a":"two"}';
const TURNS: readonly (readonly [string, ScriptedServerTurn, string | undefined])[] = [
  ['the field of a server', { calls: [{ name: 'look', arguments: ARGUMENTS }] }, undefined],
  ['text', { text: `<tool_call>{"name":"look","arguments":${ARGUMENTS}}</tool_call>` }, 'hermes'],
  ['text that is found', { text: `<tool_call>{"name":"look","arguments":${ARGUMENTS}}</tool_call>` }, undefined],
  ['bare JSON', { text: `{"name":"look","arguments":${ARGUMENTS}}` }, 'zoo'],
];

it.each(TURNS)('a model is told of the key: %s', async (_what, turn, dialect) => {
  verifies('K4');
  const model = await startScriptedServer({ turns: ({ number }) => (number === 0 ? turn : { text: 'Done.' }) });
  onTestFinished(() => model.close());
  const ran: unknown[] = [];
  const harness = createHarness({
    model: 'm',
    provider: 'openai',
    baseUrl: model.openaiUrl,
    workspace: scratchFolder(),
    storage: 'memory',
    tools: [defineTool({ ...TOOL, risk: 'safe', run: (args) => String(ran.push(args)) })],
    ...(dialect === undefined ? {} : { dialect: dialect === 'zoo' ? 'plain-json' : dialect }),
  });
  onTestFinished(() => harness.close());
  await harness.chat('go');
  expect(ran).toEqual([]);
  expect(model.requests[1]?.text).toMatch(/key_a\W+ stands twice/);
});

it('the gateway asks again', async () => {
  verifies('B7');
  const model = await startScriptedServer({
    turns: ({ number }) => ({ calls: [{ name: 'look', arguments: number === 0 ? ARGUMENTS : '{"key_a":"one"}' }] }),
  });
  onTestFinished(() => model.close());
  const server = await testServer([], {
    modelProvider: undefined,
    provider: 'openai',
    baseUrl: model.openaiUrl,
  } as never);
  const response = await server.call('POST', '/v1/chat/completions', {
    model: 'm',
    messages: [{ role: 'user', content: 'go' }],
    tools: [{ type: 'function', function: TOOL }],
  });
  expect(await response.text()).toContain('{\\"key_a\\":\\"one\\"}');
  // Decoding under the schema is tried before it is asked in words.
  expect(model.requests.at(-1)?.text).toContain('stands twice');
});

it('programs are told', async () => {
  verifies('L3');
  const args = '{"path":"a.txt","path":"b.txt"}';
  const told = [
    (await runHalter(['tools', 'call', 'ls', args])).out,
    (await runHalter(['tools', 'validate'], { stdin: `{"tool":"ls","args":${args}}` })).out,
    (await runHalter(['parse'], { stdin: `<tool_call>{"name":"ls","arguments":${args}}</tool_call>` })).err,
    await (
      await (await testServer([])).call('POST', '/api/tools/execute', `{"tool_name":"ls","arguments":${args}}`)
    ).text(),
  ];
  for (const text of told) expect(text).toMatch(/path\\?" stands twice/);
});

const LS = '{"path":"one","path":"two"}';
const NATIVE: ScriptedServerTurn = { calls: [{ name: 'ls', arguments: LS }] };
it.each([
  { what: 'the field of a server', turn: NATIVE, preset: undefined },
  { what: 'the field of a server', turn: NATIVE, preset: 'local-harness' },
  { what: 'marks', turn: { text: `<tool_call>{"name":"ls","arguments":${LS}}</tool_call>` }, preset: undefined },
  { what: 'bare JSON', turn: { text: `{"name":"ls","arguments":${LS}}` }, preset: 'zoo-keeper' },
  { what: 'JSON among words', turn: { text: `I look.\n{"name":"ls","arguments":${LS}}` }, preset: 'zoo-keeper' },
  { what: 'bare JSON', turn: { text: '{"tool":"web_search","args":{"query":"one","query":"two"}}' }, preset: 'edison' },
])('none of the values is told as what was called with: $what ($preset)', async ({ turn, preset }) => {
  verifies('E12');
  const model = await startScriptedServer({ turns: ({ number }) => (number % 2 === 0 ? turn : { text: 'Done.' }) });
  onTestFinished(() => model.close());
  const flags = preset === undefined ? [] : ['--preset', preset];
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model', ...flags];
  const ran = (await runHalter(['run', 'go', ...reach, '--format', 'json'])).json();
  expect(ran['tool_calls']).toMatchObject([{ arguments: {}, result: { success: false } }]);
  const server = await testServer([], {
    modelProvider: undefined,
    provider: 'openai',
    baseUrl: model.openaiUrl,
    preset,
  } as never);
  const reply = await server.json<{ tool_events: { args: object }[] }>('POST', '/api/chat', {
    message: 'go',
    mode: 'agent',
  });
  expect(reply.tool_events.map(({ args }) => args)).toEqual([{}]);
  expect(JSON.stringify(reply.tool_events)).toContain('stands twice');
});
