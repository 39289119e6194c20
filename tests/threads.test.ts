/** How threads and programs start in tests: from built JavaScript, as in the program that people install. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { PROGRAMS, programFile } from '../scripts/built-programs.ts';
import { WORKER_URL } from '../scripts/bundle-threads.ts';
import { indexWorkerFile } from '../src/search/index-thread.ts';
import { isTest, listFiles, ROOT } from './source-files.ts';

const starters = listFiles('src', ['.ts'])
  .filter((path) => !isTest(path))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }))
  .filter(({ text }) => text.includes('new Worker('));

test('every module that starts a thread names its file so that tests can start the built one', () => {
  expect(starters.length).toBeGreaterThan(0);
  for (const { path, text } of starters) {
    const advice = `${path}: write the address of the thread as WORKER_URL in scripts/bundle-threads.ts expects it`;
    expect([...text.matchAll(WORKER_URL)], advice).toHaveLength(1);
  }
});

test('a thread that is started here starts from built JavaScript', () => {
  const file = fileURLToPath(indexWorkerFile);
  expect(file.endsWith('index-worker.js')).toBe(true);
  expect(existsSync(file)).toBe(true);
});

test.each(PROGRAMS)('the programs %s are built for tests', (pattern) => {
  const sources = globSync(pattern, { cwd: ROOT });
  expect(sources).not.toEqual([]);
  for (const source of sources) {
    const built = programFile(pathToFileURL(join(ROOT, source)));
    expect(built.endsWith(`/programs/${source.replace(/\.ts$/, '.js')}`), built).toBe(true);
  }
});
