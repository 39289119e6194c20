/**
 * halter is killed in the middle of a command whose changes lie in a layer. Whoever looks at the session afterwards reads
 * whether they count, and where they are if not: the person on each surface, and the model.
 */
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { detectSandbox } from '../../src/sandbox/index.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { openApp } from '../support/app-in-pty.ts';
import { type Ran, runHalter, startHalter } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

let isLayered = false;
beforeAll(async () => {
  isLayered = (await detectSandbox()).kind === 'bubblewrap';
});

/** Ends the program at a moment of its work on the folder: `when` is a condition on a call of `rename`. */
const killingAtRename = (when: string): string => `
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
const rename = fs.rename;
let renamed = 0;
fs.rename = async (from, to) => {
  if (String(from).includes('/layers/')) {
    renamed += 1;
    if (${when}) process.kill(process.pid, 'SIGKILL');
  }
  await rename(from, to);
};
syncBuiltinESMExports();`;

/** What it prints stands nowhere in its line. */
const LOOK = 'echo told to l$(echo ook); sleep 600';
const LONG = `echo new > a.txt; echo new > b.txt; ${LOOK}`;
const SHORT = 'echo new > a.txt; echo new > b.txt';

type Moment = {
  command: string;
  /** Killed there by itself; absent: when the command has printed. */
  atRename?: string;
  holds: [a: string, b: string];
  /** Of the calls without a result, before anybody goes on. */
  unended: string;
  verdict: string;
  kept: Record<string, string>;
};
const MOMENTS: Record<string, Moment> = {
  'while it runs': {
    command: LONG,
    holds: ['old\n', 'old\n'],
    unended: 'what it changed in files was not applied',
    verdict: 'bash: what it changed in files was not applied. What it had written is kept in ',
    kept: { 'a.txt': 'new\n', 'b.txt': 'new\n' },
  },
  'before it wrote': {
    command: LOOK,
    holds: ['old\n', 'old\n'],
    unended: 'what it changed in files was not applied',
    verdict: 'bash: what it changed in files was not applied. Nothing of it is left.',
    kept: {},
  },
  'while its changes are put in place': {
    command: SHORT,
    atRename: 'renamed === 2',
    holds: ['new\n', 'old\n'],
    unended: 'what it changed in files was being applied, and not all of it may be',
    verdict:
      'and not all of it may be. a.txt: applied; it holds what was to be written; b.txt: not applied; it is as it was before. What may be missing is kept in ',
    kept: { 'b.txt': 'new\n' },
  },
};

const world = async (command: string, more: { timeout_ms?: number } = {}) => {
  const calls = [{ name: 'bash', arguments: { command, ...more } }];
  const server = await startScriptedServer({ turns: [{ calls }, { text: 'I see.' }] });
  onTestFinished(() => server.close());
  const [cwd, home] = [scratchFolder(), scratchFolder()];
  putFiles(cwd, { 'a.txt': 'old\n', 'b.txt': 'old\n' });
  const flags = ['--provider', 'openai', '--base-url', server.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
  return { server, cwd, home, flags };
};

const killed = async ({ command, atRename }: Moment, at: Awaited<ReturnType<typeof world>>): Promise<void> => {
  const args = ['run', 'go', '--session', 's', '--format', 'stream-json', ...at.flags];
  if (atRename !== undefined) {
    const hook = path.join(scratchFolder(), 'hook.mjs');
    fs.writeFileSync(hook, killingAtRename(atRename));
    const program = [process.execPath, '--import', pathToFileURL(hook).href, MAIN];
    const ran = await runHalter(args, { ...at, command: program });
    expect(ran.signal, `${command}\n${ran.err}`).toBe('SIGKILL');
    return;
  }
  const running = startHalter(args, at);
  await running.said('told to look');
  running.child.kill('SIGKILL');
  await running.finished;
};

describe.each(Object.entries(MOMENTS))('halter that is killed %s', (_moment, moment) => {
  it('says of its command what counts, and where the rest is', async (context) => {
    verifies('B5');
    if (!isLayered) context.skip('bubblewrap does not work here');
    const at = await world(moment.command);
    await killed(moment, at);
    const content = ['a.txt', 'b.txt'].map((name) => fs.readFileSync(path.join(at.cwd, name), 'utf8'));
    expect(content).toEqual(moment.holds);
    const shown = (): Promise<Ran> => runHalter(['sessions', 'show', 's'], at);
    expect((await shown()).out).toContain(
      `no result: it still runs, or halter was ended while it ran; ${moment.unended}`,
    );

    const next = await runHalter(['run', 'And now?', '-c', ...at.flags], at);
    expect(next, next.err).toMatchObject({ code: 0, out: 'I see.\n' });
    const told = at.server.requests[1]?.text ?? '';
    for (const text of [next.err, told, (await shown()).out]) expect(text).toContain(moment.verdict);
    const [, kept] = /is kept in (\S+)\./.exec(next.err) ?? [];
    for (const [name, text] of Object.entries(moment.kept))
      expect(fs.readFileSync(path.join(kept ?? '', name), 'utf8')).toBe(text);
    expect(kept === undefined).toBe(Object.keys(moment.kept).length === 0);
  });
});

it.for(['SIGTERM', 'SIGHUP'] as const)(
  'says after %s that the command was stopped in the middle',
  async (signal, context) => {
    verifies('B5');
    if (!isLayered) context.skip('bubblewrap does not work here');
    const at = await world(LONG);
    const running = startHalter(['run', 'go', '--session', 's', '--format', 'stream-json', ...at.flags], at);
    await running.said('told to look');
    running.child.kill(signal);
    await running.finished;
    const next = await runHalter(['run', 'And now?', '-c', ...at.flags], at);
    const verdict = 'bash: it was stopped in the middle; it had changed a.txt and b.txt by then.';
    const shown = (await runHalter(['sessions', 'show', 's'], at)).out;
    for (const text of [at.server.requests[1]?.text, shown]) expect(text).toContain(verdict);
    expect(next.code).toBe(0);
    expect(shown).not.toContain('Execution Time: 0ms');
  },
);

it('says after Esc what the command had changed, to the person and to the model', async (context) => {
  verifies('B5');
  if (!isLayered) context.skip('bubblewrap does not work here');
  const at = await world(LONG);
  const app = openApp(['--session', 's', ...at.flags], { folder: at.cwd, home: at.home });
  onTestFinished(async () => {
    app.close();
    await app.ended;
  });
  await app.until('test-model ·');
  app.type('go\r');
  await app.until('told to look');
  app.type('\u001b');
  await app.until('Stopped.');
  await app.until('bash was stopped in the middle; it had changed a.txt and b.txt by then.');
  app.type('and now?\r');
  await app.until('I see.');
  expect(at.server.requests[1]?.text).toContain('it had changed a.txt and b.txt by then');
  const shown = (await runHalter(['sessions', 'show', 's'], at)).out;
  expect(shown).toContain('(bash was stopped in the middle; it had changed a.txt and b.txt by then.)');
});

it('says of a command that took too long what it had changed', async (context) => {
  verifies('B5');
  if (!isLayered) context.skip('bubblewrap does not work here');
  const at = await world(LONG, { timeout_ms: 1_000 });
  const ran = await runHalter(['run', 'go', '--session', 's', ...at.flags], at);
  expect(ran.err).toContain('was ended (it had changed a.txt and b.txt by then)');
});

it('says so in the terminal that goes on with the session', async (context) => {
  verifies('B5');
  if (!isLayered) context.skip('bubblewrap does not work here');
  const at = await world(LONG);
  await killed(MOMENTS['while it runs'] as Moment, at);
  const app = openApp(['-c', ...at.flags], { folder: at.cwd, home: at.home });
  onTestFinished(async () => {
    app.close();
    await app.ended;
  });
  await app.until('in files was not applied');
  await app.until('halter was ended in the middle of this run.');
});

it('keeps what was written also where another session is opened first', async (context) => {
  verifies('B5');
  if (!isLayered) context.skip('bubblewrap does not work here');
  const at = await world(LONG);
  await killed(MOMENTS['while it runs'] as Moment, at);
  const calls = [{ name: 'bash', arguments: { command: 'true' } }];
  const other = await startScriptedServer({ turns: [{ calls }, { text: 'Done.' }] });
  onTestFinished(() => other.close());
  const flags = ['--provider', 'openai', '--base-url', other.openaiUrl, '-m', 'test-model', '--allow', 'bash'];
  expect((await runHalter(['run', 'go', '--session', 'other', ...flags], at)).code).toBe(0);
  const next = await runHalter(['run', 'And now?', '--session', 's', ...at.flags], at);
  const [, kept] = /is kept in (\S+)\./.exec(next.err) ?? [];
  expect(fs.readFileSync(path.join(kept ?? '', 'a.txt'), 'utf8')).toBe('new\n');
});
