/** Digits that a number of JavaScript does not hold, on every way in and out: none of them makes another number of it. */

import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scriptedServer } from '../conformance/attacks/mcp-settings.ts';
import { servedTools } from '../src/agent/mcp/serve.ts';
import type { JsonObject } from '../src/core/json.ts';
import { dialectNames, renderCall } from '../src/dialects/index.ts';
import { createHarness, defineTool, registerTool } from '../src/index.ts';
import { type ScriptedServerTurn, startScriptedServer } from '../src/testing/index.ts';
import { verifies } from './requirements.ts';
import { runHalter } from './support/halter-process.ts';
import { everyNth } from './support/long.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';
import { testServer } from './support/test-server.ts';

const ID = '1187654321098765432';
/** Stands for the number where a value is rendered, since a value cannot hold it. */
const PLACE = 424_242;
const digits = (text: string): string => text.replaceAll(String(PLACE), ID);
/** Without what servers put around the digits of an escaped text. */
const bare = (text: string): string => text.replaceAll(/[\s\\"]/g, '');

const modelServer = async (turns: readonly ScriptedServerTurn[] | ScriptedServerTurn) => {
  const server = await startScriptedServer({
    turns: ({ number }) => (Array.isArray(turns) ? (turns[number] ?? { text: 'Done.' }) : turns) as ScriptedServerTurn,
  });
  onTestFinished(() => server.close());
  return server;
};

describe('halter parse', () => {
  const notations = dialectNames().filter((dialect) => dialect !== 'native');
  it.each(everyNth(notations, 3))('%s', async (dialect) => {
    verifies('K4');
    const text = digits(renderCall(dialect, { name: 'look', arguments: { id: PLACE, deep: { list: [PLACE] } } }));
    const { out } = await runHalter(['parse', '--dialect', dialect], { stdin: text });
    expect(out.split(ID).length - 1).toBeGreaterThanOrEqual(2);
    expect(out).not.toContain('11876543210987653');
  });
});

describe('halter render', () => {
  const template =
    '{% for m in messages %}{{ m.role }}: {{ m.content }}{% if m.tool_calls %}{{ m.tool_calls | tojson }}{% endif %}{% endfor %}';
  const history = (args: string): string =>
    `[{"role":"user","content":"go"},{"role":"assistant","content":"","tool_calls":[{"id":"a","type":"function","function":{"name":"look","arguments":${args}}}]},{"role":"tool","tool_call_id":"a","content":"ok"}]`;
  const asObject = history(`{"id":${ID},"deep":{"list":[${ID}]}}`);
  const asText = history(JSON.stringify(`{"id":${ID},"deep":{"list":[${ID}]}}`));
  const forms = ['native', 'hermes', 'mistral-args', 'llama4-pythonic', 'qwen3-coder', 'edison', 'template'];
  it.each(forms.flatMap((form) => [[form, 'an object', asObject] as const, [form, 'text', asText] as const]))(
    '%s, arguments as %s',
    async (form, _as, stdin) => {
      verifies('L2');
      const cwd = scratchFolder();
      putFiles(cwd, { 'a.jinja': template });
      const how = form === 'template' ? ['--template', 'a.jinja'] : ['--dialect', form];
      const { out, err } = await runHalter(['render', ...how], { cwd, stdin });
      expect(err).toBe('');
      expect(out.split(ID).length - 1).toBe(2);
    },
  );
});

describe('results of MCP servers', () => {
  const SCHEMA = { type: 'object', properties: { id: { type: 'integer' } }, required: ['id'] };
  const TOOL = { name: 'go', inputSchema: { type: 'object' } };
  const results = {
    alone: { content: [], structuredContent: { id: PLACE, deep: { list: [PLACE, 1.5] } } },
    'beside other text': { content: [{ type: 'text', text: 'Found.' }], structuredContent: { id: PLACE } },
    'as text too': {
      content: [{ type: 'text', text: `{"id":${PLACE}}` }],
      structuredContent: { id: PLACE },
    },
  };
  /** The scripted servers read their script as JSON, so the digits are put in where they write. */
  const overHttp = async (result: JsonObject, outputSchema: JsonObject | undefined, isStream: boolean) => {
    const answers: Record<string, (id: unknown) => JsonObject> = {
      initialize: () => ({
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 's', version: '1' },
      }),
      'tools/list': () => ({ tools: [{ ...TOOL, ...(outputSchema ? { outputSchema } : {}) }] }),
      'tools/call': () => result,
    };
    const server = http.createServer(async (request, response) => {
      let body = '';
      for await (const piece of request) body += String(piece);
      const { id, method } = (body === '' ? {} : JSON.parse(body)) as { id?: unknown; method?: string };
      const answer = answers[method ?? ''];
      if (request.method !== 'POST') return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      const said = answer ? { result: answer(id) } : { error: { code: -32_601, message: 'There is no such method.' } };
      const message = digits(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
      if (!isStream) return void response.end(message);
      const frame = `id: 12345678901234567890\nevent: message\ndata: ${message}\n\n`;
      const middle = frame.lastIndexOf(ID) + 5;
      response.write(frame.slice(0, middle));
      response.end(frame.slice(middle));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
  };
  const overPipes = (result: JsonObject, outputSchema: JsonObject | undefined) => {
    const scratch = scratchFolder();
    const script = { tools: [{ ...TOOL, ...(outputSchema ? { outputSchema } : {}) }], result };
    const { command, args } = (
      scriptedServer({ scratch }, 's', script)['mcpServers'] as { s: { command: string; args: string[] } }
    ).s;
    const relay = path.join(scratch, 'relay.mjs');
    putFiles(scratch, {
      'relay.mjs': `import { spawn } from 'node:child_process';
const child = spawn(process.argv[2], process.argv.slice(3), { stdio: ['inherit', 'pipe', 'inherit'] });
let text = '';
child.stdout.on('data', (piece) => { text += piece; const end = text.lastIndexOf('\\n') + 1; process.stdout.write(text.slice(0, end).replaceAll('${PLACE}', '${ID}')); text = text.slice(end); });
child.on('exit', (code) => process.exit(code ?? 1));`,
    });
    return { command: process.execPath, args: [relay, command, ...args] };
  };
  const ways = {
    'over pipes': overPipes,
    'as JSON': (r: JsonObject, s?: JsonObject) => overHttp(r, s, false),
    'as a stream': (r: JsonObject, s?: JsonObject) => overHttp(r, s, true),
  };
  const rows = Object.keys(ways).flatMap((way) =>
    Object.keys(results).flatMap((which) => [[which, way, undefined] as const, [which, way, SCHEMA] as const]),
  );
  it.each(rows)('structured content %s, %s, promised %j', async (which, way, schema) => {
    verifies('B10');
    const result = results[which as keyof typeof results] as unknown as JsonObject;
    const server = await ways[way as keyof typeof ways](result, schema);
    const { halter } = await testServer([], {
      allow: ['mcp__*'],
      mcp: { servers: { mcpServers: { s: server } } },
    });
    await halter.mcp.open();
    const answer = await halter.executeTool('mcp__s__go', {});
    expect(answer.error_message).toBe(null);
    expect(answer.data).toContain(ID);
    expect(answer.data).not.toContain('11876543210987653');
    expect(answer.data).not.toMatch(/[^\x20-\x7e\n]/);
  });
});

const call = { name: 'look', id: PLACE };
const HISTORIES: readonly { wire: string; path: string; body: object }[] = [
  ...[JSON.stringify({ id: PLACE }), { id: PLACE }].map((args) => ({
    wire: `chat completions, ${typeof args}`,
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: call.name, arguments: args } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    },
  })),
  {
    wire: 'messages',
    path: '/v1/messages',
    body: {
      model: 'm',
      max_tokens: 100,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: call.name, input: { id: PLACE } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'ok' }] },
      ],
    },
  },
  {
    wire: 'responses',
    path: '/v1/responses',
    body: {
      model: 'm',
      input: [
        { role: 'user', content: 'go' },
        { type: 'function_call', call_id: 'a', name: call.name, arguments: JSON.stringify({ id: PLACE }) },
        { type: 'function_call_output', call_id: 'a', output: 'ok' },
      ],
    },
  },
  {
    wire: 'Ollama',
    path: '/api/chat',
    body: {
      model: 'm',
      stream: false,
      messages: [
        { role: 'user', content: 'go' },
        { role: 'assistant', content: '', tool_calls: [{ function: { name: call.name, arguments: { id: PLACE } } }] },
        { role: 'tool', content: 'ok', tool_name: call.name },
      ],
    },
  },
];

describe('the gateway', () => {
  const gateway = async (turns: readonly ScriptedServerTurn[] | ScriptedServerTurn, dialect?: string) => {
    const model = await modelServer(turns);
    const server = await testServer([], {
      modelProvider: undefined,
      provider: 'openai',
      baseUrl: model.openaiUrl,
      model: 'm',
      ...(dialect === undefined ? {} : { dialect }),
    } as never);
    return { model, server };
  };

  it.each(HISTORIES.flatMap((row) => [undefined, 'hermes'].map((dialect) => ({ ...row, dialect }))))(
    'a call in the history: $wire, $dialect',
    async ({ path: route, body, dialect }) => {
      verifies('B7');
      const { model, server } = await gateway({ text: 'Done.' }, dialect);
      const response = await server.call('POST', route, digits(JSON.stringify(body)));
      expect(response.status).toBe(200);
      expect(bare(model.requests[0]?.text ?? '')).toContain(`id:${ID}`);
    },
  );

  const parametersOf = (type: string | undefined): JsonObject => ({
    type: 'object',
    properties: { id: type === undefined ? {} : { type } },
    required: ['id'],
  });
  const WIRES: readonly { wire: string; path: string; body(parameters: JsonObject): object }[] = [
    {
      wire: 'chat completions',
      path: '/v1/chat/completions',
      body: (parameters) => ({
        messages: [{ role: 'user', content: 'go' }],
        tools: [{ type: 'function', function: { name: 'look', parameters } }],
      }),
    },
    {
      wire: 'messages',
      path: '/v1/messages',
      body: (parameters) => ({
        max_tokens: 100,
        messages: [{ role: 'user', content: 'go' }],
        tools: [{ name: 'look', input_schema: parameters }],
      }),
    },
    {
      wire: 'responses',
      path: '/v1/responses',
      body: (parameters) => ({ input: 'go', tools: [{ type: 'function', name: 'look', parameters }] }),
    },
    {
      wire: 'Ollama',
      path: '/api/chat',
      body: (parameters) => ({
        messages: [{ role: 'user', content: 'go' }],
        tools: [{ type: 'function', function: { name: 'look', parameters } }],
      }),
    },
  ];
  const rows = WIRES.flatMap((row) =>
    [true, false].flatMap((stream) =>
      ['integer', 'number', undefined].flatMap((type) =>
        [undefined, 'hermes'].map((dialect) => ({ ...row, stream, type, dialect })),
      ),
    ),
  );
  it.each(everyNth(rows, 5))(
    'a call of the model, asked once: $wire, stream $stream, type $type, $dialect',
    async ({ path: route, body, stream, type, dialect }) => {
      verifies('B7');
      const args = `{"id":${ID}}`;
      const { model, server } = await gateway(
        dialect === undefined
          ? { calls: [{ name: 'look', arguments: args }] }
          : { text: `<tool_call>{"name":"look","arguments":${args}}</tool_call>` },
        dialect,
      );
      const response = await server.call('POST', route, { model: 'm', stream, ...body(parametersOf(type)) });
      expect(bare(await response.text())).toContain(`id:${ID}`);
      expect(model.requests).toHaveLength(1);
    },
  );
});

describe('programs', () => {
  const look = () => {
    const ran: unknown[] = [];
    const tool = defineTool({
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object', properties: { id: {}, text: { type: 'string' } } },
      risk: 'safe',
      run: (args) => {
        ran.push(args);
        return `{"found":${ID}}`;
      },
    });
    return { ran, tool };
  };

  it.each([`{"line_start":${ID}}`, '{"line_start":1e400}'])(
    'halter tools call and validate refuse %s',
    async (args) => {
      verifies('L3');
      const withPath = args.replace('{', '{"path":".",');
      for (const said of [
        await runHalter(['tools', 'call', 'read_file', withPath, '--allow', 'read_file']),
        await runHalter(['tools', 'validate'], { stdin: `{"tool":"read_file","args":${withPath}}` }),
      ]) {
        expect(said.code).not.toBe(0);
        expect(said.out + said.err).toMatch(/line_start .*too large/);
      }
    },
  );

  it.each([
    ['read_file', `{"path":"a.txt","line_start":${ID}}`],
    ['mcp__s__go', `{"any":{"list":[${ID}]}}`],
  ])('HTTP refuses what a value does not hold: %s', async (name, args) => {
    verifies('L3');
    const servers = scriptedServer({ scratch: scratchFolder() }, 's', {
      tools: [{ name: 'go', inputSchema: { type: 'object', additionalProperties: true } }],
    });
    const server = await testServer([], { allow: ['mcp__*', 'read_file'], mcp: { servers } });
    await server.halter.mcp.open();
    const response = await server.call('POST', '/api/tools/execute', `{"tool_name":"${name}","arguments":${args}}`);
    const said = (await response.json()) as { success: boolean; result: string };
    expect(said).toMatchObject({
      success: false,
      result: expect.stringMatching(/(?:line_start|any\.list\.0) is too large/),
    });
  });

  it.each(['text', 'object'])('a history of the library, arguments as %s', async (as) => {
    verifies('K4');
    const model = await modelServer({ text: 'Done.' });
    const { tool } = look();
    const args = as === 'text' ? `{"id":${ID}}` : { id: ID };
    const harness = createHarness({
      model: 'm',
      provider: 'openai',
      baseUrl: model.openaiUrl,
      workspace: scratchFolder(),
      storage: 'memory',
      tools: [tool],
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: args } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ] as never,
    });
    onTestFinished(() => harness.close());
    await harness.chat('on');
    expect(bare(model.requests[0]?.text ?? '')).toContain(`id:${ID}`);
  });

  it('what a result holds is handed on by $result with its digits, or not at all', async () => {
    verifies('K4');
    const { tool, ran } = look();
    const wants = (key: string) => ({
      calls: [{ name: 'look', arguments: `{"${key}":{"$result":"call_1","pointer":"/found"}}` }],
    });
    const model = await modelServer([
      { calls: [{ id: 'a', name: 'look', arguments: '{}' }] },
      wants('text'),
      wants('id'),
    ] as never);
    const harness = createHarness({
      model: 'm',
      provider: 'openai',
      baseUrl: model.openaiUrl,
      workspace: scratchFolder(),
      storage: 'memory',
      tools: [tool],
    });
    onTestFinished(() => harness.close());
    await harness.chat('go');
    expect(JSON.stringify(ran)).not.toContain('11876543210987653');
    expect(ran).toEqual([{}, { text: ID }]);
  });
});

it.each(['integer', 'number'])('an answer of --json-schema: %s', async (type) => {
  verifies('B8');
  const model = await modelServer({ text: `{"id":${ID}}` });
  const schema = JSON.stringify({ type: 'object', properties: { id: { type } }, required: ['id'] });
  const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
  const said = await runHalter(['run', 'go', '--json-schema', schema, ...reach]);
  expect(said.err).toBe('');
  expect(said.out.trim()).toBe(`{"id":${ID}}`);
  expect(model.requests.length).toBe(1);
});

it.each([
  ['9007199254740993', false],
  ['123456789012345678901234567890', false],
  ['9007199254740991', true],
  ['0.30000000000000004', true],
])('a program that uses the tools over MCP is told of a number that was rounded on its way: %s', async (json, runs) => {
  verifies('B10');
  const echo = registerTool('echo', 'Echo', ['n'], (n: number) => n, ['number']);
  const { halter } = await testServer([], { plugins: { tools: [echo], dialects: [], providers: {}, commands: [] } });
  const call = { signal: new AbortController().signal, report: () => {} };
  const answer = await servedTools(halter, '1').execute('echo', JSON.parse(`{"n":${json}}`), call);
  expect(answer).toMatchObject(
    runs
      ? { success: true, data: json }
      : { error_type: 'validation_failed', error_message: expect.stringContaining('n is too large') },
  );
});
