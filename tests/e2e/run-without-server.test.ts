/** `halter run` for a session whose server is away: nothing that was said to it is lost. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const gone = 'http://127.0.0.1:9/v1';

it.each([
  ['-c', () => ['-c']],
  ['--session', (id: string) => ['--session', id]],
] as const)('keeps what is said with %s, once, and sends it with the next message', async (_flag, choice) => {
  verifies('B5');
  const cwd = scratchFolder();
  const HOME = scratchFolder();
  const server = await startScriptedServer({ turns: [{ text: 'Hello.' }, { text: 'It is Zebulon.' }] });
  const run = (words: string, url: string, flags: readonly string[] = []) =>
    runHalter(
      ['run', words, ...flags, '--format', 'json', '--provider', 'openai', '-m', 'test-model', '--base-url', url],
      {
        cwd,
        env: { HOME },
      },
    );
  try {
    const first = await run('Hello', server.openaiUrl);
    const flags = choice(String(first.json()['session_id']));
    for (let at = 0; at < 2; at += 1) {
      const away = await run('The code word is Zebulon', gone, flags);
      expect(away.code).toBe(5);
      expect(away.err).toContain('Your message is kept in the session');
    }
    const again = await run('What is the code word?', server.openaiUrl, flags);
    expect(again.json()).toMatchObject({ answer: 'It is Zebulon.' });
    const sent = JSON.stringify(server.requests.at(-1)?.body['messages']);
    expect(sent.split('The code word is Zebulon')).toHaveLength(2);
    expect(sent).toContain('What is the code word?');
  } finally {
    await server.close();
  }
});

it('says that a session which never began holds nothing, and of no earlier work in it', async () => {
  verifies('B5');
  const flags = ['--provider', 'openai', '-m', 'test-model', '--base-url', gone, '--session', 'fresh'];
  const ran = await runHalter(['run', 'Hello', ...flags], { cwd: scratchFolder(), env: { HOME: scratchFolder() } });
  expect(ran.code).toBe(5);
  expect(ran.err).toContain('Your message is in no session. The session fresh has not begun');
  expect(ran.err).not.toContain('earlier run');
});

/** A llama.cpp server that loads its model: it refuses everything, `/health` too, so many times. */
const loadingServer = async (refusals: number) => {
  const server = createServer((request, response) => {
    const said = (status: number, value: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    if (refusals > 0) {
      refusals -= 1;
      return said(503, { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } });
    }
    if (request.url === '/v1/models') return said(200, { data: [{ id: 'm' }] });
    if (request.url === '/v1/chat/completions')
      return said(200, { choices: [{ message: { content: 'Hello.' }, finish_reason: 'stop' }] });
    return said(404, { error: { message: 'File Not Found' } });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

it.each(['llama-cpp', 'openai'])('waits for a server that loads its model, which %s finds', async (provider) => {
  verifies('B5');
  for (const named of [['-m', 'm'], []]) {
    const flags = ['--provider', provider, '--base-url', await loadingServer(6), ...named];
    const ran = await runHalter(['run', 'Hello', '--no-tools', '--format', 'stream-json', ...flags], {
      cwd: scratchFolder(),
      env: { HOME: scratchFolder() },
    });
    expect(ran.code, ran.err).toBe(0);
    expect(ran.out).toContain('The server is loading the model.');
    expect(ran.out).toContain('Hello.');
  }
});

it('is ended while a server loads its model, by its own limit', async () => {
  const flags = ['--provider', 'llama-cpp', '-m', 'm', '--base-url', await loadingServer(1_000), '--max-time', '1'];
  const ran = await runHalter(['run', 'Hello', ...flags], { cwd: scratchFolder(), env: { HOME: scratchFolder() } });
  expect(ran.code).toBe(4);
});

it('tells which model answers where the server has none of that name', async () => {
  verifies('B7');
  const server = await startScriptedServer({ turns: [{ text: 'Hello.' }], serves: ['llama-cpp', 'openai'] });
  onTestFinished(() => server.close());
  const flags = ['--provider', 'llama-cpp', '-m', 'another', '--base-url', server.url];
  const ran = await runHalter(['run', 'Hello', ...flags], { cwd: scratchFolder(), env: { HOME: scratchFolder() } });
  expect(ran.err).toContain('has no model another: its only one, test-model, answers.');
});

it('says nothing of a session where a run begins one, and keeps none', async () => {
  const cwd = scratchFolder();
  const HOME = scratchFolder();
  const flags = ['--provider', 'openai', '-m', 'test-model', '--base-url', gone];
  for (const choice of [[], ['-c']]) {
    const ran = await runHalter(['run', 'Hello', ...choice, ...flags], { cwd, env: { HOME } });
    expect(ran.code).toBe(5);
    expect(ran.err).not.toContain('kept');
  }
  expect((await runHalter(['sessions', 'list'], { cwd, env: { HOME } })).out).not.toContain('Hello');
});
