/** What a person reads where halter cannot keep anything, or has nothing to keep it in. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter } from '../support/halter-process.ts';
import { MAIN } from '../support/program.ts';
import { scratchFolder } from '../support/scratch.ts';

const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;
const PATIENT = { timeout: 60_000 };

/** Root may write everywhere, so there it is done as somebody else. */
const command = isRoot
  ? ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', process.execPath, MAIN]
  : [process.execPath, MAIN];
const readable = (folder: string): boolean =>
  folder === path.dirname(folder) || ((fs.statSync(folder).mode & 0o001) !== 0 && readable(path.dirname(folder)));
const CANNOT = isRoot && !readable(path.dirname(MAIN)) ? ' (another user cannot read the program here)' : '';

/** A home that nobody can write into, and a folder to work in. */
const place = () => {
  const home = scratchFolder();
  const cwd = scratchFolder();
  fs.chmodSync(home, 0o555);
  fs.chmodSync(cwd, 0o777);
  onTestFinished(() => fs.chmodSync(home, 0o700));
  return { home, cwd, command };
};
const STACK = /\n\s+at |defect/;

describe.skipIf(CANNOT !== '')(`a home that cannot be written${CANNOT}`, () => {
  it('keeps no session and says what to do, and answers where nothing is to be kept', PATIENT, async () => {
    verifies('H10');
    const model = await startScriptedServer({ turns: () => ({ text: 'Hello there.' }) });
    onTestFinished(() => model.close());
    const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
    const where = place();
    const kept = await runHalter(['run', ...reach, 'hi'], where);
    expect(kept.code).toBe(1);
    expect(kept.err).toContain(path.join(where.home, '.local/share/halter/sessions'));
    expect(kept.err).toContain('Make that folder writable');
    expect(kept.err).toContain('`--no-session` goes on and keeps nothing.');
    const unkept = await runHalter(['run', '--no-session', ...reach, 'hi'], where);
    expect([unkept.code, unkept.out]).toEqual([0, 'Hello there.\n']);
    expect(kept.err + unkept.err).not.toMatch(STACK);
  });

  it.each(['/proc/data', '/dev/null/data'])('names --no-session where the data folder is %s', PATIENT, async (data) => {
    const model = await startScriptedServer({ turns: () => ({ text: 'Hello there.' }) });
    onTestFinished(() => model.close());
    const reach = ['--provider', 'openai', '--base-url', model.openaiUrl, '-m', 'test-model'];
    const kept = await runHalter(['run', ...reach, 'hi'], { env: { XDG_DATA_HOME: data } });
    expect(kept.code).toBe(1);
    expect(kept.err).toContain('`--no-session` goes on and keeps nothing.');
    const unkept = await runHalter(['run', '--no-session', ...reach, 'hi'], { env: { XDG_DATA_HOME: data } });
    expect([unkept.code, unkept.out]).toEqual([0, 'Hello there.\n']);
    expect(unkept.err).not.toContain('--no-session');
  });

  it.each([['config', 'set', 'offline', 'true'], ['trust']])('refuses to %s, and says what to do', async (...args) => {
    const { code, err } = await runHalter(args, place());
    expect(code).toBe(1);
    expect(err).toContain('Make that folder writable');
    expect(err).not.toMatch(STACK);
  });

  it('is what doctor finds, with everything else that does not work there', PATIENT, async () => {
    const { code, out, err } = await runHalter(['doctor', '--offline', '--json'], place());
    expect(code).toBe(1);
    const { checks } = JSON.parse(out) as { checks: { name: string; state: string; advice?: string }[] };
    for (const name of ['config', 'data', 'cache']) {
      expect(checks.find((check) => check.name === name)).toMatchObject({ state: 'problem' });
    }
    expect(err).not.toMatch(STACK);
  });
});

describe('a database that does not answer', () => {
  const LINES = ['run hi', 'serve --port 0', 'serve --port 0 --workers', 'worker', 'worker failed', 'sessions list'];

  it('ends every command that needs it with what to do', PATIENT, async () => {
    verifies('B12');
    const database = 'postgres://somebody:a-secret@127.0.0.1:1/halter';
    // Each tries for seconds, so they do it at the same time.
    const ended = LINES.map(async (line) => {
      const { code, err } = await runHalter(line.split(' '), { env: { HALTER_DATABASE_URL: database } });
      expect(code, line).toBe(1);
      expect(err, line).toContain('PostgreSQL at 127.0.0.1:1/halter cannot be reached');
      expect(err, line).toContain('HALTER_DATABASE_URL');
      expect(err, line).not.toContain('a-secret');
      expect(err, line).not.toMatch(STACK);
    });
    await Promise.all(ended);
  });
});

/** Loaded before the program: the optional engine cannot be loaded. */
const WITHOUT_ENGINE = `--import data:text/javascript,${encodeURIComponent(
  `import { registerHooks } from 'node:module';
   registerHooks({ resolve: (name, context, next) => {
     if (name !== 'node-llama-cpp') return next(name, context);
     throw Object.assign(new Error('not found'), { code: 'ERR_MODULE_NOT_FOUND' });
   } });`,
)}`;

it('fetches no model where nothing could run it, and says what could', async () => {
  const ran = await runHalter(['run', '--provider', 'embedded', '--offline', 'hi'], {
    env: { NODE_OPTIONS: WITHOUT_ENGINE },
  });
  expect(ran.code).not.toBe(0);
  expect(ran.err).toMatch(
    /The embedded engine \(found node-llama-cpp .*\) cannot be loaded: not found\..*npm install node-llama-cpp@/s,
  );
  expect(ran.err).toContain('--provider ollama');
});
