/** The project's own scripts refuse what they do not know, and leave nothing behind. */
import { spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LONG_ONLY } from '../scripts/long-only.ts';
import { ROOT } from './source-files.ts';
import { scratchFolder } from './support/scratch.ts';

const FOLDER = join(ROOT, 'scripts');
/** They hand all that they get to another program. */
const HANDING_ON = ['run-tests.mjs', 'start.mjs', 'test.mjs', 'with-node.mjs'];
const NAMES = globSync('*.{ts,mjs}', { cwd: FOLDER }).filter(
  (name) => !HANDING_ON.includes(name) && /^(?:if \(process\.argv\[1\]|scriptArguments)/m.test(sourceOf(name)),
);

function sourceOf(name: string): string {
  return readFileSync(join(FOLDER, name), 'utf8');
}

const run = (name: string, flag: string, cwd: string): Promise<{ code: number | null; out: string }> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [join(FOLDER, name), flag], { cwd });
    let out = '';
    const hear = (piece: Buffer): void => {
      out += piece;
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('error', reject).on('close', (code) => resolve({ code, out }));
  });

it('refuses a flag that there is not, and says the usage', async () => {
  const folder = scratchFolder();
  const ended = await Promise.all(NAMES.map((name) => run(name, '--no-such-flag', folder)));
  for (const [at, name] of NAMES.entries())
    expect(ended[at], name).toEqual({ code: 2, out: expect.stringMatching(/"--no-such-flag".*\nUsage: /s) });
  expect(readdirSync(folder)).toEqual([]);
});

it('says the usage where it is asked for, and makes nothing', async () => {
  const folder = scratchFolder();
  expect(await run('build.mjs', '--help', folder)).toEqual({ code: 0, out: expect.stringMatching(/^Usage: /) });
  expect(readdirSync(folder)).toEqual([]);
});

it('knows the scripts', () => {
  const some = ['build.mjs', 'build-web.mjs', 'build-dialects.ts', 'write-reference.ts'];
  expect(NAMES).toEqual(expect.arrayContaining(some));
});

it('leaves out of a usual run only files that there are', () => {
  const missing = LONG_ONLY.filter((file) => !existsSync(join(ROOT, file)));
  expect(missing, 'rename or remove these in scripts/long-only.ts').toEqual([]);
});
