/** `halter run` for a session whose server is away: nothing that was said to it is lost. */
import { expect, it } from 'vitest';
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
