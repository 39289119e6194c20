/** A session that goes on in a looser mode than it was in says so before its next message runs. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { runHalter } from '../support/halter-process.ts';
import { scratchFolder } from '../support/scratch.ts';

const TOLD = /This session was in the mode (\w+)\. It goes on in (\w+), in which halter was started/;

const scene = async () => {
  const server = await startScriptedServer({ turns: Array.from({ length: 4 }, () => ({ text: 'I see.' })) });
  onTestFinished(() => server.close());
  const at = { cwd: scratchFolder(), home: scratchFolder() };
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model'];
  return { at, flags };
};

it.each([
  ['plan', 'ask', true],
  ['plan', 'auto', true],
  ['ask', 'yolo', true],
  ['edit', 'auto', true],
  ['auto', 'plan', false],
  ['plan', 'plan', false],
])('on standard error of a run, from %s to %s: %s', async (before, now, isTold) => {
  verifies('H4');
  const { at, flags } = await scene();
  await runHalter(['run', 'go', '--mode', before, ...flags], at);
  const { err, out } = await runHalter(['run', '-c', 'on', '--mode', now, ...flags], at);
  expect(out).toBe('I see.\n');
  expect(TOLD.exec(err)?.slice(1)).toEqual(isTold ? [before, now] : undefined);
  if (isTold) expect(err).toContain(`--mode ${before} goes back.`);
});

it('in the terminal app', async () => {
  verifies('H4');
  const { at, flags } = await scene();
  await runHalter(['run', 'go', '--plan', ...flags], at);
  const app = openApp(['-c', '--mode', 'auto', ...flags], { folder: at.cwd, home: at.home });
  onTestFinished(async () => {
    app.close();
    await app.ended;
  });
  await app.until('This session was in the mode plan.');
  app.type('/exit\r');
  await app.ended;
});
