/** What a tool of an MCP server returned reaches the model as it was written, and what the model wrote reaches the tool so. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHarness } from '../src/index.ts';
import { restoreDigits, structuredText, withStructuredText } from '../src/mcp/kept-digits.ts';
import { startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { inTurn } from './support/long.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const KINDS = ['pipes', 'json', 'stream'] as const;
type Kind = (typeof KINDS)[number];
type Settings = Record<string, { command: string; args: string[] } | { type: 'http'; url: string }>;

const TOOL = { name: 'go', inputSchema: { type: 'object', additionalProperties: true } };
const SERVER = path.join(import.meta.dirname, 'support/written-mcp-server.mjs');

const started = async (
  kind: Kind,
  result: string,
  tool: object = TOOL,
): Promise<{ servers: Settings; heard(): string }> => {
  const folder = scratchFolder();
  putFiles(folder, { 'script.json': JSON.stringify({ result, tool }), heard: '' });
  const args = [SERVER, path.join(folder, 'script.json'), path.join(folder, 'heard'), kind];
  const heard = (): string => fs.readFileSync(path.join(folder, 'heard'), 'utf8');
  if (kind === 'pipes') return { servers: { s: { command: process.execPath, args } }, heard };
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  return { servers: { s: { type: 'http', url: `http://127.0.0.1:${String(port).trim()}/mcp` } }, heard };
};

/** As they are written, and where blanks are left out. */
const VALUES: [written: string, reaches?: string][] = [
  ['{"a":1.0}'],
  ['{"a":1e2}'],
  ['{"a":1E+2}'],
  ['{"a":-0}'],
  ['{"a":-0.0}'],
  ['{"a":12345678901234567890}'],
  ['{"a":0.1000}'],
  ['{"a":3.14159265358979323846}'],
  ['{"a":1e400}'],
  ['{"a":1,"a":2}'],
  ['{"a":{"b":[1.0,{"c":2.50}]}}'],
  ['{ "a" : 1.0 ,\n "b" : "x  y" }', '{"a":1.0,"b":"x  y"}'],
  ['{"a":"1.0 \\"structuredContent\\":{\\"b\\":2.0}"}'],
  ['{"structuredContent":1.0}'],
  ['{"1.0":"\\\\"}'],
  ['{"z":1,"a":2,"10":3,"9":4}'],
];
const lastOf = (requests: readonly { body: object }[]): string => {
  const { messages = [] } = (requests.at(-1)?.body ?? {}) as { messages?: { content: string }[] };
  return messages.at(-1)?.content ?? '';
};
const CALL = { calls: [{ name: 'mcp__s__go', arguments: {} }] };

/** Usually each value is played in one kind and by one of three ways. */
const WAYS = 3;
const valuesOf = (kind: number, way: number) => inTurn(VALUES, kind * WAYS + way, KINDS.length * WAYS);

describe.each(KINDS.map((kind, index) => [kind, index] as const))('over %s', (kind, index) => {
  it.each(valuesOf(index, 0))(
    'a structured result reaches the model of the library: %s',
    async (written, reaches = written) => {
      verifies('B10');
      const { servers } = await started(kind, `{"content":[],"structuredContent":${written}}`);
      const model = await startScriptedServer({ turns: [CALL, { text: 'Done.' }] });
      onTestFinished(() => model.close());
      const harness = createHarness({
        model: 'test-model',
        provider: 'openai',
        baseUrl: model.openaiUrl,
        workspace: scratchFolder(),
        storage: 'memory',
        mcpServers: servers,
        permissions: { allow: ['mcp__*'] },
      });
      onTestFinished(() => harness.close());
      const { toolCalls } = await harness.chat('go');
      expect(toolCalls[0]?.result).toMatchObject({ success: true, data: reaches });
      expect(lastOf(model.requests)).toContain(reaches);
    },
  );

  it.each(valuesOf(index, 1))(
    'and that of the HTTP route, in a preset or outside it: %s',
    async (written, reaches = written) => {
      verifies('B10');
      for (const preset of inTurn([undefined, 'zoo-keeper'] as const, index % 2, 2)) {
        const { servers } = await started(kind, `{"content":[],"structuredContent":${written}}`);
        const first = preset === undefined ? CALL : { text: '{"name":"mcp__s__go","arguments":{}}' };
        const turns = [first, { text: 'Done.' }];
        const server = await testServer((_request, number) => turns[number] ?? { text: 'Done.' }, {
          preset,
          allow: ['mcp__*'],
          mcp: { servers: { mcpServers: servers } },
        });
        await server.halter.mcp.open();
        const reply = await server.json<{ tool_events: { result: { data: string } }[] }>('POST', '/api/chat', {
          message: 'go',
          mode: 'agent',
        });
        expect(reply.tool_events[0]?.result.data).toBe(reaches);
        expect(JSON.stringify(server.provider.requests.at(-1)?.messages).replaceAll('\\', '')).toContain(
          reaches.replaceAll('\\', ''),
        );
      }
    },
  );

  it.each(valuesOf(index, 2))('text that repeats it is said once, as the server wrote it: %s', async (written) => {
    verifies('B10');
    const text = JSON.stringify(written);
    const { servers } = await started(
      kind,
      `{"content":[{"type":"text","text":${text},"annotations":{"priority":1.0}}],"structuredContent":${written}}`,
    );
    const server = await testServer([], { allow: ['mcp__*'], mcp: { servers: { mcpServers: servers } } });
    await server.halter.mcp.open();
    const result = await server.halter.executeTool('mcp__s__go', {});
    expect(result).toMatchObject({ success: true, data: written });
  });

  const HIDDEN: [written: string, reaches: string][] = [
    ['{"a":"x\u{e0041}\u{e0042}y"}', '{"a":"xy"}'],
    ['{"a":"\\u202ex\\u2066"}', '{"a":"x"}'],
    ['{"a":"\\udb40\\udc41x"}', '{"a":"x"}'],
    ['{"a":"\\ud800x\\udc00\\udc00","b":"\\\\ud800"}', '{"a":"x","b":"\\\\ud800"}'],
    ['{"k\u2067":1.0,"l":[{"m":"\u202d"}]}', '{"k":1.0,"l":[{"m":""}]}'],
    ['{"a":"\u{1f469}\u200d\u{1f467} \u2764\ufe0f"}', '{"a":"\u{1f469}\u200d\u{1f467} \u2764\ufe0f"}'],
  ];
  it.each(inTurn(HIDDEN, index, KINDS.length))(
    'what is hidden in a structured result is left out as of text, and said once: %j',
    async (written, reaches) => {
      verifies('B10');
      for (const content of ['', `{"type":"text","text":${JSON.stringify(written)}}`]) {
        const { servers } = await started(kind, `{"content":[${content}],"structuredContent":${written}}`);
        const turns = [CALL, { text: 'Done.' }];
        const server = await testServer((_request, number) => turns[number] ?? { text: 'Done.' }, {
          allow: ['mcp__*'],
          mcp: { servers: { mcpServers: servers } },
        });
        await server.halter.mcp.open();
        const reply = await server.json<{ tool_events: { result: { data: string } }[] }>('POST', '/api/chat', {
          message: 'go',
          mode: 'agent',
        });
        const data = reply.tool_events[0]?.result.data ?? '';
        // In a text an escape is seen.
        expect(data).toBe(/\\u/.test(written) && content !== '' ? written : reaches);
      }
    },
  );

  const ARGUMENTS = [
    '{"a":1.0}',
    '{"a":1e2}',
    '{"a":-0}',
    '{"a":0.10}',
    '{"a":[1.0,{"b":2.50}]}',
    '{"a":"1.0"}',
    '{"a":3}',
  ];
  it.each(inTurn(ARGUMENTS, index, KINDS.length))(
    'arguments reach the server as the model wrote them: %s',
    async (written) => {
      verifies('B10');
      const { servers, heard } = await started(kind, '{"content":[{"type":"text","text":"ok"}]}');
      const turns = [{ calls: [{ id: 'a', name: 'mcp__s__go', arguments: written }] }, { text: 'Done.' }];
      const model = await startScriptedServer({ turns: turns as never });
      onTestFinished(() => model.close());
      const home = scratchFolder();
      putFiles(path.join(home, '.config/halter'), { 'mcp.json': JSON.stringify({ mcpServers: servers }) });
      const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
      const ran = await runHalter(['run', 'go', ...reach, '--allow', 'mcp__*'], { home });
      expect(ran.code, ran.err).toBe(0);
      expect(heard()).toContain(`"arguments":${written}`);
      expect(heard()).not.toContain('halter-');
      const { servers: again, heard: heardAgain } = await started(kind, '{"content":[]}');
      const server = await testServer([], { allow: ['mcp__*'], mcp: { servers: { mcpServers: again } } });
      await server.halter.mcp.open();
      await server.call('POST', '/api/tools/execute', `{"tool_name":"mcp__s__go","arguments":${written}}`);
      expect(heardAgain()).toContain(`"arguments":${written}`);
    },
  );

  it('a resource is text, and stays as it is', async () => {
    verifies('B10');
    const written = '{"a":1.0,"b":1e2,"a":12345678901234567890}';
    const { servers } = await started(kind, `{"contents":[{"uri":"x://y","text":${JSON.stringify(written)}}]}`);
    const server = await testServer([], { allow: ['mcp_resource'], mcp: { servers: { mcpServers: servers } } });
    await server.halter.mcp.open();
    const result = await server.halter.executeTool('mcp_resource', { server: 's', uri: 'x://y' });
    expect(result.data).toContain(written);
  });
});

it.each([
  '{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":12345678901234567890,"b":"',
  '"structuredContent" 12345678901234567890 "',
  '{"structuredContent":"',
])('what is no message comes back as it is, and at once: %s', (line) => {
  verifies('B10');
  expect(withStructuredText(line)).toBe(line);
});

/** The messages as the protocol's reader has them, with the text that is known of each. */
const BIG = (digit: number): string => `{"a":${digit}2345678901234567890}`;
it.each<[string, string, (string | undefined)[]]>([
  ['one result', `{"id":1,"result":{"structuredContent":${BIG(1)}}}`, [BIG(1)]],
  [
    'two results',
    `[{"id":1,"result":{"structuredContent":${BIG(1)}}},{"id":2,"result":{"content":[],"structuredContent":${BIG(2)}}}]`,
    [BIG(1), BIG(2)],
  ],
  [
    'an error between results',
    ` [ {"id":1,"result":{"structuredContent":${BIG(1)}}} , {"id":2,"error":{"structuredContent":${BIG(9)}}},\n{"result":{"structuredContent":${BIG(3)}},"id":3} ]`,
    [BIG(1), undefined, BIG(3)],
  ],
  ['the key twice', `{"id":1,"result":{"structuredContent":${BIG(1)},"structuredContent":${BIG(2)}}}`, [BIG(2)]],
  [
    'the result twice',
    `{"result":{"structuredContent":${BIG(1)}},"id":1,"result":{"structuredContent":${BIG(2)}}}`,
    [BIG(2)],
  ],
  [
    'a key of the same name before it',
    `{"params":{"structuredContent":${BIG(9)}},"id":1,"result":{"structuredContent":${BIG(1)}}}`,
    [BIG(1)],
  ],
  ['a request', `{"id":1,"method":"x","params":{"structuredContent":${BIG(9)}}}`, [undefined]],
  ['a key further in', `{"id":1,"result":{"content":[{"structuredContent":${BIG(9)}}]}}`, [undefined]],
  ['a key that is spelt with escapes', `{"id":1,"r\\u0065sult":{"structured\\u0043ontent":${BIG(1)}}}`, [BIG(1)]],
  ['a result that is no object', '{"id":1,"result":[{"structuredContent":1.0}]}', [undefined]],
  ['lists in a list', '[[{"id":1,"result":{"structuredContent":1.0}}]]', [undefined]],
  ['nothing in it', '[{},{"id":1,"result":{}},[],"structuredContent"]', [undefined, undefined, undefined, undefined]],
])('of each message its own result is kept as written: %s', (_name, line, written) => {
  verifies('B10');
  const read = JSON.parse(withStructuredText(line)) as { result?: object }[] | { result?: object };
  const known = [read].flat().map(({ result = {} }) => structuredText(restoreDigits(result as never)));
  expect(known).toEqual(written);
});
