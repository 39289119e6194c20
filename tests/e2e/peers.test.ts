/**
 * What real programs get wrong with local models, row by row: the real command line against a scripted server, in both
 * protocols. A model that is a little off still gets its call run, and what cannot be mended is said in words.
 */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  type ScriptedServer,
  type ScriptedServerOptions,
  type ScriptedServerTurn,
  startScriptedServer,
} from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type Ran, type RunOptions, runHalter, startHalter } from '../support/halter-process.ts';
import { inTurn, turns } from '../support/long.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const start = async (options: ScriptedServerOptions): Promise<ScriptedServer> => {
  const server = await startScriptedServer(options);
  onTestFinished(() => server.close());
  return server;
};
const PROTOCOLS = [
  ['openai', (server: ScriptedServer) => ['--provider', 'openai', '--base-url', server.openaiUrl]],
  ['ollama', (server: ScriptedServer) => ['--provider', 'ollama', '--base-url', server.url]],
] as const;
type Flags = (typeof PROTOCOLS)[number][1];

type Call = {
  name: string;
  arguments: Record<string, unknown>;
  repairs: { kind: string }[];
  result: { success: boolean; data: string | null; error_type: string; error_message: string | null };
};
const callsOf = (ran: Ran): Call[] => ran.json()['tool_calls'] as Call[];
const kindsOf = (ran: Ran): string[] => callsOf(ran).flatMap(({ repairs }) => repairs.map(({ kind }) => kind));

const helloFolder = (): string => {
  const folder = scratchFolder();
  putFiles(folder, { 'hello.txt': 'Hello from the file.\n', 'other.txt': 'Another one.\n' });
  return folder;
};
const ask = (server: ScriptedServer, flags: Flags, more: readonly string[] = [], options: RunOptions = {}) =>
  runHalter(['run', 'What is in hello.txt?', '--format', 'json', '--allow', 'read_file', ...more, ...flags(server)], {
    cwd: helloFolder(),
    ...options,
  });

const read = { name: 'read_file', arguments: { path: 'hello.txt' } };
const answer = { text: 'It says hello.' };
const json = JSON.stringify(read);

/** One call that is a little off: it runs all the same, and the repair is recorded. */
const MENDED: readonly [string, ScriptedServerTurn, string | undefined][] = [
  ['a bare JSON call as text', { text: json }, 'text_call'],
  ['a fenced JSON call as text', { text: `\`\`\`json\n${json}\n\`\`\`` }, 'text_call'],
  ['a <tool_call> as text', { text: `<tool_call>\n${json}\n</tool_call>` }, 'text_call'],
  ['a [TOOL_CALLS] call as text', { text: '[TOOL_CALLS]read_file[ARGS]{"path": "hello.txt"}' }, 'text_call'],
  ['a <function=…> call as text', { text: '<function=read_file>{"path": "hello.txt"}</function>' }, 'text_call'],
  ['a call as text with its name in another case', { text: json.replace('read_file', 'ReadFile') }, 'tool_name'],
  ['a name in another case', { calls: [{ ...read, name: 'Read_File' }] }, 'tool_name'],
  ['a name in camel case', { calls: [{ ...read, name: 'ReadFile' }] }, 'tool_name'],
  ['a trailing comma', { calls: [{ ...read, arguments: '{"path": "hello.txt",}' }] }, 'trailing_comma'],
  ['a missing brace', { calls: [{ ...read, arguments: '{"path": "hello.txt"' }] }, 'missing_closer'],
  ['arguments as a JSON object', { calls: [read], argumentsAsObject: true }, undefined],
  ['arguments as JSON text', { calls: [read], argumentsAsText: true }, undefined],
  [
    'an integer as text',
    { calls: [{ ...read, arguments: { path: 'hello.txt', line_start: '1', line_end: '1' } }] },
    'type_coercion',
  ],
  [
    'a call at the end of mere reasoning',
    { reasoning: `I need the file.\n<tool_call>\n${json}\n</tool_call>` },
    'call_in_reasoning',
  ],
];

describe.each(PROTOCOLS)('against a server of the %s form', (protocol, flags) => {
  const place = PROTOCOLS.findIndex(([name]) => name === protocol);
  const isMine = turns(place, PROTOCOLS.length);
  const test = (name: string, run: () => Promise<void>): void => {
    if (isMine()) it(name, run);
  };

  it.each(inTurn(MENDED, place, PROTOCOLS.length))('runs %s', async (_name, turn, repair) => {
    verifies('K5', 'L4', 'Z15');
    const server = await start({ turns: [turn, answer] });
    const ran = await ask(server, flags);
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.json()).toMatchObject({ answer: 'It says hello.', tools_used: ['read_file'] });
    expect(callsOf(ran)).toMatchObject([{ name: 'read_file', arguments: { path: 'hello.txt' } }]);
    expect(callsOf(ran)[0]?.result).toMatchObject({ success: true, data: '1: Hello from the file.' });
    if (repair !== undefined) expect(kindsOf(ran)).toContain(repair);
    expect(server.requests).toHaveLength(2);
  });

  test('answers an unknown tool with the nearest names and the list', async () => {
    verifies('K7');
    const server = await start({ turns: [{ calls: [{ ...read, name: 'read_a_file' }] }, answer] });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(0);
    const message = callsOf(ran)[0]?.result.error_message ?? '';
    expect(message).toContain('Did you mean read_file');
    for (const name of ['ls', 'bash', 'grep_search']) expect(message).toContain(name);
    expect(server.requests[1]?.text).toContain('Did you mean read_file');
  });

  test('runs both of two calls that came under one index', async () => {
    const other = { name: 'read_file', arguments: { path: 'other.txt' } };
    const server = await start({ turns: [{ calls: [read, other], sameIndex: true }, answer] });
    const ran = await ask(server, flags);
    expect(callsOf(ran).map(({ result }) => result.data)).toEqual(['1: Hello from the file.', '1: Another one.']);
  });

  test('runs nothing that the token limit cut, and says how to go on', async () => {
    verifies('K4');
    const cut = '{"path": "big.txt", "content": "half of the';
    const server = await start({
      turns: [{ calls: [{ name: 'write_file', arguments: cut }], finish: 'length' }, answer],
    });
    const folder = helloFolder();
    const ran = await ask(server, flags, ['--yolo'], { cwd: folder });
    expect(fs.existsSync(path.join(folder, 'big.txt'))).toBe(false);
    expect(callsOf(ran)[0]?.result).toMatchObject({ success: false, error_type: 'parse_error' });
    expect(callsOf(ran)[0]?.result.error_message).toMatch(/cut off by the token limit.*smaller parts/);
  });

  test('names the nearest path for one that is misspelt', async () => {
    const server = await start({ turns: [{ calls: [{ ...read, arguments: { path: 'helo.txt' } }] }, answer] });
    const ran = await ask(server, flags);
    expect(callsOf(ran)[0]?.result).toMatchObject({ error_type: 'not_found' });
    expect(callsOf(ran)[0]?.result.error_message).toContain('hello.txt');
  });

  test('reminds a model once that announced a call and made none', async () => {
    const server = await start({ turns: [{ text: "I'll now read the file." }, { calls: [read] }, answer] });
    const ran = await ask(server, flags);
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.json()).toMatchObject({ answer: 'It says hello.', tools_used: ['read_file'] });
    expect(kindsOf(ran)).toContain('announced_call');
    expect(server.requests).toHaveLength(3);
    // The reminder was for that one request: what is kept has no trace of it.
    const [first, reminder, last] = server.requests.map(({ body }) => body['messages'] as { content: string }[]);
    expect(reminder?.slice(0, first?.length)).toEqual(first);
    expect(last?.slice(0, first?.length)).toEqual(first);
    const text = reminder?.at(-1)?.content ?? '?';
    expect(JSON.stringify(last)).not.toContain(text.slice(0, 30));
  });

  test('reminds only once, and takes what is said then', async () => {
    const server = await start({ turns: () => ({ text: 'Let me check the file.' }) });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(0);
    expect(server.requests).toHaveLength(2);
  });

  test('asks once more after an empty reply, and then says so', async () => {
    const mended = await start({ turns: [{ text: '' }, answer] });
    expect(await ask(mended, flags)).toMatchObject({ code: 0 });
    expect(mended.requests[1]?.body['messages']).toEqual(mended.requests[0]?.body['messages']);
    const server = await start({ turns: () => ({ text: '' }) });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(5);
    expect(ran.err).toContain('empty');
    expect(server.requests).toHaveLength(2);
  });

  test('asks once more after mere reasoning that leads to nothing, and then says so', async () => {
    const thought = { reasoning: 'The person wants to know what is in the file. Let me think about it.' };
    const mended = await start({ turns: [thought, answer] });
    expect((await ask(mended, flags)).json()).toMatchObject({ answer: 'It says hello.' });
    const server = await start({ turns: () => thought });
    expect(await ask(server, flags)).toMatchObject({ code: 5, err: expect.stringContaining('empty') });
    expect(server.requests).toHaveLength(2);
  });

  test('runs no call without a name, and says what the names are', async () => {
    verifies('Z6');
    const server = await start({ turns: [{ calls: [{ name: '', arguments: {} }] }, answer] });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(0);
    expect(callsOf(ran)[0]?.result).toMatchObject({ success: false, error_type: 'validation_failed' });
    expect(callsOf(ran)[0]?.result.error_message).toContain('read_file');
  });

  it.each([
    ['the same call', 1],
    ['two calls in turns', 2],
  ])('stops %s for ever', async (_name, period) => {
    verifies('B9');
    const paths = ['hello.txt', 'other.txt'];
    const server = await start({
      turns: ({ number }) => ({ calls: [{ ...read, arguments: { path: paths[number % period] as string } }] }),
    });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(4);
    expect(ran.json()).toMatchObject({ exit_reason: 'loop' });
    expect(server.requests).toHaveLength(3 * period);
    expect(server.requests.at(-1)?.text).toContain('made this very call before');
  });

  test('warns loudly when the server has read less than was sent', async () => {
    verifies('B7');
    const long = `${'The quick brown fox jumps over the lazy dog. '.repeat(1_500)}`;
    const server = await start({
      turns: [{ text: 'ok', usage: { prompt_tokens: 2_048, completion_tokens: 1 } }],
      models: [{ id: 'test-model', context_length: 131_072, loaded_context_length: 131_072 }],
    });
    const ran = await runHalter(['run', 'Review', ...flags(server)], { stdin: long });
    expect(ran).toMatchObject({ code: 0, out: 'ok\n' });
    expect(ran.err).toContain('read only 2,048 tokens');
    expect(ran.err).toContain('larger window');
  });

  test('waits for a silent server, and sends nothing twice', async () => {
    const gate = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    const server = await start({
      turns: () => {
        reached.resolve();
        return { ...answer, headersGate: gate.promise };
      },
    });
    const args = ['run', 'hello', '--format', 'json', ...flags(server)];
    const running = startHalter(args, { cwd: helloFolder() });
    await reached.promise;
    expect(server.requests).toHaveLength(1);
    expect(running.child.exitCode).toBeNull();
    gate.resolve();
    expect(await running.finished).toMatchObject({ code: 0 });
    expect(server.requests).toHaveLength(1);
  });

  test('ends with exit code 3 and the request as JSON where it would have to ask and nobody is there', async () => {
    verifies('B11', 'Z8');
    const server = await start({ turns: [{ calls: [read] }, answer] });
    const ran = await runHalter(['run', 'x', '--format', 'json', ...flags(server)], { cwd: helloFolder() });
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({
      exit_reason: 'permission_required',
      permission_request: { name: 'read_file', arguments: { path: 'hello.txt' }, rule: 'folder:read' },
    });
  });

  test('sends the requests of the conversation and no other', async () => {
    verifies('B4');
    const server = await start({ turns: [{ calls: [read] }, answer] });
    await ask(server, flags);
    expect(server.requests).toHaveLength(2);
    expect(server.paths.filter((line) => line.startsWith('POST') && !line.endsWith('/api/show'))).toHaveLength(2);
  });

  test('keeps each request a prefix of the next: inside a turn, across turns, on resume and across midnight', async () => {
    verifies('B4', 'B5');
    const server = await start({ turns: [{ calls: [read] }, answer, { calls: [read] }, answer, answer] });
    const home = scratchFolder();
    const cwd = helloFolder();
    const tomorrow = path.join(scratchFolder(), 'tomorrow.mjs');
    fs.writeFileSync(
      tomorrow,
      `const real = Date; const later = 36 * 3600e3;
       globalThis.Date = class extends real {
         constructor(...args) { super(...(args.length === 0 ? [real.now() + later] : args)); }
         static now() { return real.now() + later; }
       };`,
    );
    await ask(server, flags, ['--session', 'work'], { home, cwd });
    await ask(server, flags, ['--session', 'work'], { home, cwd });
    await ask(server, flags, ['-c'], { home, cwd, command: [process.execPath, '--import', tomorrow, MAIN] });
    expect(server.requests).toHaveLength(5);
    const bodies = server.requests.map(
      ({ body }) => body as { messages: unknown[]; tools: unknown; options?: unknown },
    );
    for (const [index, next] of bodies.entries()) {
      const before = bodies[index - 1];
      if (before === undefined) continue;
      // Byte for byte, as the server reads them.
      const head = (body: (typeof bodies)[number]) => JSON.stringify(body.messages).slice(0, -1);
      expect(head(next).startsWith(head(before))).toBe(true);
      expect(next.messages.length).toBeGreaterThan(before.messages.length);
      expect(JSON.stringify([next.tools, next.options])).toBe(JSON.stringify([before.tools, before.options]));
    }
  });

  test('keeps the instructions of a session that goes on with another window, and names what else differs', async () => {
    verifies('B4', 'B5');
    const [home, cwd] = [scratchFolder(), helloFolder()];
    const small = { id: 'test-model', context_length: 8_192, loaded_context_length: 8_192 };
    const large = { id: 'test-model', context_length: 65_536, loaded_context_length: 65_536 };
    const [one, other] = [
      await start({ turns: [answer], models: [small] }),
      await start({ turns: [answer, answer], models: [large] }),
    ];
    await ask(one, flags, ['--session', 'work'], { home, cwd });
    expect(await ask(other, flags, ['--session', 'work'], { home, cwd })).toMatchObject({ code: 0, err: '' });
    const changed = await ask(other, flags, ['--session', 'work', '--tools', 'ls,read_file'], { home, cwd });
    expect(changed.err).toMatch(/differs from the list of tools, at \w+ on/);
    const systems = [...one.requests, ...other.requests].map(
      ({ body }) => (body['messages'] as { content: string }[])[0]?.content,
    );
    expect(new Set(systems).size).toBe(1);
  });

  test('says how much of a prompt a server can have kept, and how much it did', async () => {
    verifies('B4');
    const usage = (prompt_tokens: number) => ({ usage: { prompt_tokens, completion_tokens: 1, cached_tokens: 900 } });
    const server = await start({
      turns: [
        { calls: [read], ...usage(1_500) },
        { ...answer, ...usage(1_700) },
      ],
    });
    const ran = await runHalter(['run', 'x', '--format', 'stream-json', '--allow', 'read_file', ...flags(server)], {
      cwd: helloFolder(),
    });
    const [first, second] = ran.lines().filter(({ type }) => type === 'usage');
    expect(first).not.toHaveProperty('shared_tokens');
    expect(second).toMatchObject({ prompt_tokens: 1_700, shared_tokens: 1_500 });
    if (server.requests[0]?.protocol === 'openai') expect(second).toMatchObject({ cached_tokens: 900 });
  });

  test('has the server decode arguments under the schema before it gives up on them', async () => {
    verifies('B1', 'K4');
    const bad = { calls: [{ ...read, arguments: { file: 'hello.txt' } }] };
    const server = await start({ turns: [bad, bad, { text: '{"path": "hello.txt"}' }, answer] });
    const ran = await ask(server, flags);
    expect(ran.code).toBe(0);
    expect(callsOf(ran).at(-1)).toMatchObject({ name: 'read_file', result: { success: true } });
    expect(ran.json()).toMatchObject({ answer: 'It says hello.', repairs: { 'test-model': { constrained: 1 } } });
    const [, , constrained, last] = server.requests.map(({ body }) => body);
    expect(constrained).not.toHaveProperty('tools');
    expect(JSON.stringify(constrained?.['format'] ?? constrained?.['response_format'])).toContain('"path"');
    // The conversation goes on as if nothing had been between.
    expect(last).toHaveProperty('tools');
    expect(ran.err).not.toContain('differs');
  });

  test('takes what such a server answers instead, and gives up after the corrections that are allowed', async () => {
    verifies('K4', 'K7');
    const bad = { calls: [{ ...read, arguments: { file: 'hello.txt' } }] };
    const refusal = await start({ turns: [bad, bad, { text: 'I cannot read it.' }] });
    expect((await ask(refusal, flags)).json()).toMatchObject({ answer: 'I cannot read it.' });
    const unable = await start({
      turns: [bad, bad, { status: 400, body: '{"error":"json_schema is not supported"}' }, { calls: [read] }, answer],
    });
    expect((await ask(unable, flags)).json()).toMatchObject({ answer: 'It says hello.' });
    const stubborn = await start({ turns: () => bad });
    const ran = await ask(stubborn, flags);
    expect(ran.code).toBe(1);
    expect(ran.json()).toMatchObject({ error: { code: 503 } });
    expect(stubborn.requests).toHaveLength(3);
  });
});
