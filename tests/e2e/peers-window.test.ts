/** The model's window: nothing is cut by a server that says nothing, and a long conversation goes on. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { turns } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

const flagsOf = (server: ScriptedServer): string[] => ['--provider', 'ollama', '--base-url', server.url];
const SMALL = [{ id: 'test-model', context_length: 8_192, loaded_context_length: 8_192 }];
const start = async (options: ScriptedServerOptions): Promise<ScriptedServer> => {
  const server = await startScriptedServer({ models: SMALL, ...options });
  onTestFinished(() => server.close());
  return server;
};
type Message = { role: string; content: string };
const messagesOf = (server: ScriptedServer, number: number): Message[] =>
  server.requests.at(number)?.body['messages'] as Message[];

describe.each([
  ['openai', (server: ScriptedServer) => ['--provider', 'openai', '--base-url', server.openaiUrl]],
  ['ollama', (server: ScriptedServer) => ['--provider', 'ollama', '--base-url', server.url]],
] as const)('a window of 8,192 tokens, the %s form', (protocol, flags) => {
  const isMine = turns(protocol === 'openai' ? 0 : 1, 2);
  const test = (name: string, run: () => Promise<void>): void => {
    if (isMine()) it(name, run);
  };

  test('refuses a prompt that cannot fit, with the figures, and sends nothing', async () => {
    verifies('B7');
    const server = await start({ turns: [{ text: 'ok' }] });
    const stdin = 'The quick brown fox jumps over the lazy dog. '.repeat(2_000);
    const ran = await runHalter(['run', 'Review', '--format', 'json', ...flags(server)], { stdin });
    expect(ran.code).toBe(5);
    expect(ran.json()).toMatchObject({ error: { name: 'context_overflow' } });
    expect(ran.err).toMatch(/about 2\d,\d{3} tokens.*holds 8,192/);
    expect(server.requests).toHaveLength(0);
  });

  test('puts a long result aside, where read_file shows the rest without a question', async () => {
    verifies('B7');
    const place = '@results/c1.txt';
    const server = await start({
      turns: [
        { calls: [{ id: 'c1', name: 'bash', arguments: { command: 'seq 1 40000' } }] },
        { calls: [{ name: 'read_file', arguments: { path: place, line_start: 29_999, line_end: 30_001 } }] },
        { text: 'done' },
      ],
    });
    const home = scratchFolder();
    const cwd = scratchFolder();
    const args = ['run', 'Count', '--allow', 'bash', '--format', 'json', '--session', 'work', ...flags(server)];
    const ran = await runHalter(args, { home, cwd });
    expect(ran.code).toBe(0);
    const [counted, read] = ran.json()['tool_calls'] as { result: { data: string; metadata: { truncated: string } } }[];
    expect(counted?.result.data.length).toBeLessThan(9_000);
    expect(counted?.result.data).toMatch(/^1\n2\n[\s\S]*the whole is in @results\/c1\.txt[\s\S]*\n40000\n*$/);
    expect(counted?.result.metadata.truncated).toContain(place);
    expect(read?.result.data).toContain('29999: 29999\n30000: 30000\n30001: 30001');

    // It is there in the next run of the session as well, and no way out of its folder.
    const again = await start({
      turns: [
        {
          calls: [
            { name: 'read_file', arguments: { path: place, line_start: 40_000 } },
            { name: 'read_file', arguments: { path: '@results/../work.jsonl' } },
          ],
        },
        { text: 'done' },
      ],
    });
    const more = ['run', 'And?', '--format', 'json', '--on-ask', 'deny', '--session', 'work', ...flags(again)];
    const resumed = (await runHalter(more, { home, cwd })).json()['tool_calls'] as {
      result: { success: boolean; data: string; error_type: string };
    }[];
    expect(resumed[0]?.result).toMatchObject({ success: true, data: expect.stringContaining('40000: 40000') });
    expect(resumed[1]?.result).toMatchObject({ success: false, error_type: 'permission_denied' });
  });

  test('makes room when it gets tight: the oldest results become a line, the newest stay', async () => {
    verifies('B7');
    const cwd = scratchFolder();
    const names = ['a', 'b', 'c', 'd', 'e'];
    const text = (name: string) =>
      Array.from({ length: 90 }, (_, line) => `${name} ${line} ${'The quick brown fox jumps. '.repeat(3)}`).join('\n');
    putFiles(cwd, Object.fromEntries(names.map((name) => [`${name}.txt`, text(name)])));
    const server = await start({
      turns: [
        ...names.map((name) => ({ calls: [{ name: 'read_file', arguments: { path: `${name}.txt` } }] })),
        { text: 'All read.' },
      ],
    });
    const ran = await runHalter(
      ['run', 'Read them', '--allow', 'read_file', '--format', 'stream-json', ...flags(server)],
      {
        cwd,
      },
    );
    expect(ran.lines().at(-1)).toMatchObject({ exit_reason: 'answered', answer: 'All read.' });
    const warning = ran.lines().find(({ code }) => code === 'context_compacted');
    expect(warning?.['message']).toContain('reads again from the first result of read_file');
    const results = messagesOf(server, -1).filter(({ role }) => role === 'tool');
    expect(results).toHaveLength(5);
    expect(results[0]?.content).toMatch(/^\[the result of read_file .*a\.txt.* was dropped/);
    expect(results.at(-1)?.content).toContain('e 40 The quick');
    // Never past the window, by the server's own measure of four characters a token.
    for (const request of server.requests) expect(request.text.length / 4).toBeLessThan(8_192);
    // The instructions and the question are what they were.
    expect(messagesOf(server, -1).slice(0, 2)).toEqual(messagesOf(server, 0));
  });

  test('leaves out old turns where results are not enough, and keeps what they were about', async () => {
    verifies('B7');
    const home = scratchFolder();
    const cwd = scratchFolder();
    const long = (name: string) => `${name}: ${'The quick brown fox jumps over the lazy dog. '.repeat(170)}`;
    const server = await start({ turns: () => ({ text: 'Noted.' }) });
    let ran = await runHalter(['run', long('first'), '--session', 'work', ...flags(server)], { home, cwd });
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      ran = await runHalter(['run', long(name), '--session', 'work', ...flags(server)], { home, cwd });
      expect(ran.code).toBe(0);
    }
    const last = messagesOf(server, -1);
    const first = last.find(({ role }) => role === 'user')?.content ?? '';
    expect(first).toContain('Earlier in this conversation');
    expect(first).toMatch(/word for word:\n[\s\S]*first: The quick/);
    expect(last.at(-1)?.content.endsWith(long('fifth').trimEnd())).toBe(true);
    expect(server.requests.at(-1)?.text.length).toBeLessThan(4 * 8_192);
  });

  test('warns once where nothing can be dropped, and sends what still fits', async () => {
    verifies('B7');
    const server = await start({ turns: [{ text: 'ok' }] });
    const stdin = 'The quick brown fox jumps over the lazy dog. '.repeat(560);
    const ran = await runHalter(['run', 'Review', ...flags(server)], { stdin });
    expect(ran).toMatchObject({ code: 0, out: 'ok\n' });
    expect(ran.err.match(/nearly full/g)).toHaveLength(1);
    expect(server.requests).toHaveLength(1);
  });

  test('is shown part by part by halter context, before and in a session', async () => {
    verifies('B7', 'Z17');
    const home = scratchFolder();
    const cwd = scratchFolder();
    const server = await start({ turns: [{ calls: [{ name: 'ls', arguments: {} }] }, { text: 'Nothing is here.' }] });
    const before = await runHalter(['context', ...flags(server)], { home, cwd });
    expect(before.code).toBe(0);
    expect(before.out).toMatch(/^instructions +\d+ +\d+\.\d %$/m);
    expect(before.out).toMatch(/^ {2}grep_search +\d+ /m);
    expect(before.out).toMatch(/^the window +8,192 +100\.0 %$/m);
    await runHalter(['run', 'What is here?', '--session', 'work', ...flags(server)], { home, cwd });
    const after = await runHalter(['context', '-c', '--json', ...flags(server)], { home, cwd });
    expect(after.json()).toMatchObject({
      session_id: 'work',
      model: 'test-model',
      context_length: 8_192,
      counted_tokens: expect.any(Number),
    });
    const parts = after.json()['parts'] as { label: string; tokens: number }[];
    for (const label of ['your messages', 'answers', 'calls', 'tool results']) {
      expect(parts.find((part) => part.label === label)?.tokens).toBeGreaterThan(0);
    }
    expect(server.requests).toHaveLength(2);
  });
});

it('asks Ollama for the window that the person wants, the same in every request', async () => {
  verifies('B7');
  const models = [{ id: 'test-model', context_length: 65_536 }];
  const server = await start({ models, turns: [{ calls: [{ name: 'ls', arguments: {} }] }, { text: 'ok' }] });
  await runHalter(['run', 'x', '--context-length', '32768', ...flagsOf(server)]);
  const windows = server.requests.map(({ body }) => (body['options'] as { num_ctx: number }).num_ctx);
  expect(windows).toEqual([32_768, 32_768]);
});
