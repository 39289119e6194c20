/** What `npm test` and `.ci/run` say at their end about what failed. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { cutOff } from '../scripts/cut-run.ts';
import { processesOf } from '../scripts/test-processes.ts';
import { ROOT } from './source-files.ts';
import { scratchFolder } from './support/scratch.ts';

const run = promisify(execFile);

const FAILING = `
describe('a group', () => {
  it('passes', () => {});
  it('differs', () => expect({ colour: 'red' }).toEqual({ colour: 'blue' }));
  it('throws with a cause', () => { throw new TypeError('outside', { cause: new Error('inside') }); });
  it('says too much', () => { throw new Error(Array.from({ length: 500 }, (_, n) => 'line ' + n).join('\\n')); });
  it('throws no error', () => { throw 'a word'; });
});
`;
const HOOK = `
describe('a hook', () => {
  afterAll(() => { throw new Error('not closed'); });
  it('passes', () => {});
});
`;

type Summary = { passed: number; failed: { title: string; text: string }[] };

describe('the summary of a test run', () => {
  it('says of each failed test what was thrown, with its difference, causes and place, and not too much', async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, 'failing.test.js'), FAILING);
    writeFileSync(join(folder, 'hook.test.js'), HOOK);
    writeFileSync(join(folder, 'broken.test.js'), "import './missing.js';");
    const summaryFile = join(folder, 'summary.json');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const reporter = join(ROOT, 'scripts/summary-reporter.mjs');
    const args = [vitest, 'run', '--root', folder, `--reporter=${reporter}`, '--globals', '--maxWorkers=1'];
    const env = { ...process.env, HALTER_TEST_SUMMARY: summaryFile, HALTER_TEST_LINES: 'files' };
    const { stdout } = await run(process.execPath, args, { env, cwd: ROOT }).catch((error) => error);

    const { passed, failed } = JSON.parse(readFileSync(summaryFile, 'utf8')) as Summary;
    const textOf = (words: string) => failed.find(({ title }) => title.includes(words))?.text ?? 'not reported';
    expect(passed).toBe(2);
    expect(failed).toHaveLength(6);
    expect(textOf('differs')).toMatch(
      /AssertionError: .*\n(?:.*\n)*\+.*"red".*\n(?:.*\n)*at .*failing\.test\.js:4:\d+/,
    );
    expect(textOf('with a cause')).toMatch(/^TypeError: outside\n(?:.*\n)*caused by inside/);
    expect(textOf('too much')).toContain('line 0\n');
    expect(textOf('too much')).toMatch(/at .*failing\.test\.js:6:\d+$/);
    expect(textOf('too much').split('\n').length).toBeLessThanOrEqual(40);
    expect(textOf('no error')).toContain('a word');
    expect(textOf('hook.test.js')).toContain('not closed');
    expect(textOf('broken.test.js')).toContain('missing.js');
    expect(stdout).toMatch(/^✗ .*failing\.test\.js \(5 tests, 4 failed, /m);
    expect(stdout).not.toContain('passes');
  });
});

describe('a test run that never ends', () => {
  it('has written down which files had ended, which had begun and which had not, and says so where it is cut off', async () => {
    const folder = scratchFolder();
    // The larger file begins first.
    writeFileSync(join(folder, 'passing.test.js'), `it('passes', () => {});${' '.repeat(500)}`);
    for (const name of ['one', 'two'])
      writeFileSync(join(folder, `${name}.test.js`), `it('waits', () => new Promise(() => {}), 600_000);`);
    writeFileSync(join(folder, 'later.test.js'), `it('passes', () => {});`);
    const summaryFile = join(folder, 'summary.json');
    const reporter = join(ROOT, 'scripts/summary-reporter.mjs');
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const args = [vitest, 'run', '--root', folder, `--reporter=${reporter}`, '--globals', '--maxWorkers=2'];
    const env = { ...process.env, HALTER_TEST_SUMMARY: summaryFile };
    const child = spawn(process.execPath, args, { env, cwd: ROOT, stdio: 'ignore' });
    onTestFinished(() => void child.kill('SIGKILL'));
    const known = (): unknown => {
      if (!existsSync(summaryFile)) return undefined;
      const summary = JSON.parse(readFileSync(summaryFile, 'utf8') || '{}') as Summary & { running: string[] };
      return { passed: summary.passed, text: cutOff(3_000_000, summary) };
    };
    await expect.poll(known).toEqual({
      passed: 1,
      text: {
        title: expect.stringContaining('their limit of 3000 s'),
        text: expect.stringMatching(/^in work: \S+\/(?:one|two)\.test\.js, \S+\nnot begun: \S+\/later\.test\.js$/),
      },
    });
  });
});

describe.skipIf(process.platform !== 'linux')('the processes of a test run', () => {
  it('are found by what they know and where they are, and no others are', async () => {
    const [folder, other] = [scratchFolder(), scratchFolder()];
    const waiting = (cwd: string, env: Record<string, string>) => {
      const child = spawn('/bin/sleep', ['60'], { cwd, env, detached: true });
      onTestFinished(() => void child.kill('SIGKILL'));
      return child;
    };
    const own = [waiting(folder, {}), waiting(other, { TMPDIR: `${folder}/t` })];
    const foreign = waiting(other, {});
    await Promise.all([...own, foreign].map((child) => once(child, 'spawn')));
    const found = processesOf(folder);
    expect(found.map(({ pid }) => pid).sort()).toEqual(own.map(({ pid }) => pid).sort());
    expect(found.map(({ command }) => command)).toEqual(['/bin/sleep 60 ', '/bin/sleep 60 ']);
  });
});

/** Stands in for npm, and for the system's list of packages, which has all of them. */
const programs = (npm: string): string => {
  const folder = scratchFolder();
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  for (const [name, script] of [
    ['npm', npm],
    ['dpkg-query', 'echo "install ok installed"'],
  ] as const) {
    writeFileSync(join(bin, name), `#!/usr/bin/env bash\n${script}\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
};

const ci = async (npm: string, ...words: string[]) => {
  const env = { ...process.env, PATH: `${programs(npm)}${delimiter}${process.env['PATH']}` };
  const { stdout, code = 0 } = await run(join(ROOT, '.ci/run'), words, { env }).catch((error) => error);
  return { lines: (stdout as string).trimEnd().split('\n'), code };
};

describe.skipIf(process.platform !== 'linux')('.ci/run', () => {
  it('repeats what failed in either suite at its very end', async () => {
    const { lines, code } = await ci(
      `
      if [ "$3" = test ]; then
        printf 'failed   a.test.ts > one\\n         Error: why\\n           at a.test.ts:1:1\\n'
        printf 'skipped  b.test.ts > two\\n         no such program\\n'
        echo '7 passed, 1 failed, 1 skipped'; exit 1
      fi
      for n in $(seq 300); do echo "line $n"; done; echo '5 passed, 0 failed'`,
      '--long',
    );
    expect(code).toBe(1);
    expect(lines.slice(-5)).toEqual([
      '5 passed, 0 failed',
      'failed   [test] a.test.ts > one',
      '         Error: why',
      '           at a.test.ts:1:1',
      '12 passed, 1 failed, 1 skipped',
    ]);
  });

  it('ends with the last lines of a suite that ended without counting', async () => {
    const { lines, code } = await ci(
      `[ "$3" = test:long ] || { echo '7 passed, 0 failed'; exit 0; }; echo Killed; exit 137`,
      '--long',
    );
    expect(code).toBe(1);
    expect(lines.slice(-3)).toEqual([
      'failed   npm run test:long ended without its closing line; its last lines were:',
      '         Killed',
      '7 passed, 1 failed',
    ]);
  });

  it.each([
    { words: [], lines: ['7 passed, 0 failed', '7 passed, 0 failed'] },
    { words: ['--long'], lines: ['7 passed, 0 failed', '7 passed, 0 failed', '14 passed, 0 failed'] },
  ])('ends with its count alone where nothing failed: $words', async ({ words, lines }) => {
    expect(await ci(`echo '7 passed, 0 failed'`, ...words)).toEqual({ lines, code: 0 });
  });

  it.each([['--lon'], ['--long', '--long'], ['tests/one.test.ts']])(
    'runs nothing for the words %s',
    async (...words) => {
      expect(await ci(`echo '7 passed, 0 failed'`, ...words)).toMatchObject({ code: 2, lines: [''] });
    },
  );
});
