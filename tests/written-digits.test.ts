/** A number that its value does not tell is never another number in silence: each surface tells how it was written. */
import { expect, it, onTestFinished } from 'vitest';
import { createHarness, registerTool } from '../src/index.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

type Told = { name?: string; tool?: string; written?: string };

const serverFor = async (args: string, name: string) => {
  const server = await startScriptedServer({
    turns: ({ number }) => (number === 0 ? { calls: [{ id: 'a', name, arguments: args }] } : { text: 'Done.' }),
  });
  onTestFinished(() => server.close());
  return server;
};
const look = () => registerTool('look', 'Looks', ['n'], (n: unknown) => String(n), ['number']);

const inRun = (format: 'json' | 'stream-json') => async (args: string) => {
  const server = await serverFor(args, 'ls');
  const reach = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'm'];
  const { out } = await runHalter(['run', 'go', '--no-session', '--format', format, ...reach], {
    cwd: scratchFolder(),
  });
  const lines = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Told & { type?: string; tool_calls?: Told[] });
  return lines.flatMap((line) =>
    format === 'json' ? (line.tool_calls ?? []) : line.type === 'tool_call' ? [line] : [],
  );
};

const overHttp = async (args: string) => {
  const model = await serverFor(args, 'ls');
  const server = await testServer([], {
    modelProvider: undefined,
    provider: 'openai',
    baseUrl: model.openaiUrl,
    model: 'm',
  } as never);
  const response = await server.call('POST', '/api/chat', { message: 'Look here', mode: 'agent' });
  return ((await response.json()) as { tool_events: Told[] }).tool_events;
};

const inLibrary = async (args: string) => {
  const model = await serverFor(args, 'look');
  const harness = createHarness({
    model: 'm',
    provider: 'openai',
    baseUrl: model.openaiUrl,
    workspace: scratchFolder(),
    storage: 'memory',
    tools: [look()],
  });
  onTestFinished(() => harness.close());
  const chat = harness.chat('go');
  const events: Told[] = [];
  for await (const event of chat) if (event.type === 'tool_call') events.push(event);
  return [...events, ...(await chat.result()).toolCalls];
};

const SURFACES = { json: inRun('json'), 'stream-json': inRun('stream-json'), HTTP: overHttp, library: inLibrary };
/** Some of them are refused, and some are the same number in other words; each is told. */
const NUMBERS = ['1.0', '1e3', '1.10', '-0', '0.1234567890123456789', '9007199254740993', '1e400'];

it.each(Object.keys(SURFACES).flatMap((surface) => NUMBERS.map((number) => [surface, number] as const)))(
  '%s tells how %s was written',
  async (surface, number) => {
    verifies('K4');
    const key = surface === 'library' ? 'n' : 'max_entries';
    const told = await SURFACES[surface as keyof typeof SURFACES](`{"${key}": ${number}}`);
    expect(told.length).toBe(surface === 'library' ? 2 : 1);
    for (const { written } of told) expect(written).toBe(`{"${key}":${number}}`);
  },
);

it.each(Object.keys(SURFACES))('%s says nothing beside a value that tells all', async (surface) => {
  verifies('K4');
  const key = surface === 'library' ? 'n' : 'max_entries';
  const told = await SURFACES[surface as keyof typeof SURFACES](`{"${key}": 25}`);
  for (const call of told) expect(call).not.toHaveProperty('written');
});
