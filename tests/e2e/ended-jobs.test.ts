/** A command in the background ends with halter. Whoever comes back to the session reads that, and so does the model. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const ENDED = 'job_1 (sleep 600) does not run any more: it was ended with halter.';

it.each([
  ['is killed', (pid: number) => void process.kill(pid, 'SIGKILL')],
  ['is left', undefined],
] as const)('a job whose halter %s', async (_what, kill) => {
  verifies('B5');
  const calls = [{ name: 'bash', arguments: { command: 'sleep 600', background: true } }];
  const server = await startScriptedServer({ turns: [{ calls }, { text: 'Started.' }, { text: 'I see.' }] });
  onTestFinished(() => server.close());
  const [cwd, home] = [scratchFolder(), scratchFolder()];
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
  const opened = (args: string[]) => {
    const app = openApp([...args, ...flags], { folder: cwd, home });
    onTestFinished(async () => {
      app.close();
      await app.ended;
    });
    return app;
  };
  const first = opened([]);
  await first.until('test-model ·');
  first.type('go\r');
  await first.until('Started.');
  if (kill) kill(first.pid);
  else {
    first.type('/exit\r');
    await first.until('Ended with halter: job_1 (sleep 600)');
  }
  await first.ended;

  const again = opened(['-c']);
  await again.until(ENDED);
  again.type('and now?\r');
  await again.until('I see.');
  expect(server.requests[2]?.text).toContain(ENDED);
  const { out } = await runHalter(['sessions', 'list'], { cwd, home });
  const shown = await runHalter(['sessions', 'show', out.split(/\s/)[0] as string], { cwd, home });
  expect(shown.out.split(ENDED)).toHaveLength(2);
});

it('a job of a run that ended is told of on standard error by the next one', async () => {
  const calls = [{ name: 'bash', arguments: { command: 'sleep 600', background: true } }];
  const server = await startScriptedServer({
    turns: [{ calls }, { text: 'Started.' }, { text: 'I see.' }, { text: 'Yes.' }],
  });
  onTestFinished(() => server.close());
  const at = { cwd: scratchFolder(), home: scratchFolder() };
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
  await runHalter(['run', 'go', ...flags], at);
  const next = await runHalter(['run', '-c', 'and now?', ...flags], at);
  expect(next).toMatchObject({ code: 0, out: 'I see.\n', err: expect.stringContaining(ENDED) });
  expect((await runHalter(['run', '-c', 'and now?', ...flags], at)).err).not.toContain(ENDED);
});
