// Format and lint, types, then every test; the last line is `N passed, N failed` (`, N skipped` where there are any).
// Arguments are handed to vitest: `npm test -- src/core` runs a part. With `--long` (`npm run test:long`) only two kinds of
// files are run: those that know a longer form of themselves, in that form (tests/support/long.ts, and what uses it there
// and in tests/browser/support), and those that a usual run leaves out (scripts/long-only.ts). With `--fresh-seeds`
// (`npm run test:seeds`) the random tests alone are run, with all their rounds and a seed that nobody has tried.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cutOff } from './cut-run.ts';
import { LONG_ONLY } from './long-only.ts';
import { folderInMemory } from './memory-folder.ts';
import { processesOf } from './test-processes.ts';

/** One test with all its rounds. */
const LONG_TEST_MS = 1_200_000;
/** The tests of each form: CI plays both within ninety minutes. A test that computes for ever ends no other way. */
const RUN_MS = { usual: 1_800_000, long: 3_000_000 };
/** How long the processes of tests may take to end after the last test. */
const END_TRIES = 50;
const END_PAUSE_MS = 100;
const isFresh = process.argv.includes('--fresh-seeds');
const isLong = isFresh || process.argv.includes('--long');
const patterns = process.argv.slice(2).filter((word) => word !== '--long' && word !== '--fresh-seeds');
// fast-check takes one of 32 bits.
const seed = isFresh ? (process.env.HALTER_TEST_SEED ?? String(randomInt(2 ** 31))) : process.env.HALTER_TEST_SEED;
const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const modules = join(ROOT, 'node_modules');
const folder = mkdtempSync(join(tmpdir(), 'halter-test-'));
const summaryFile = join(folder, 'summary.json');
// The tests' folders for a while are all in here, so that what a test leaves behind can be seen. A short name: sockets
// have paths of a hundred characters at most.
const temporary = join(folder, 't');
/** The same in memory, for tests that make many small files (tests/support/scratch.ts). */
const memory = folderInMemory();
const places = [temporary, ...(memory === undefined ? [] : [memory])];
/** Folders that their tests removed, a line each. */
const removedFile = join(folder, 'removed');
mkdirSync(temporary);
// As in the system's own folder, what a test gives to another user can be reached by that user.
for (const place of [folder, ...places]) chmodSync(place, 0o755);
// Whatever a test starts finds the same Node that runs the tests.
const env = {
  ...process.env,
  TMPDIR: temporary,
  PATH: [dirname(process.execPath), join(modules, '.bin'), process.env.PATH].join(delimiter),
  HALTER_TEST_SUMMARY: summaryFile,
  HALTER_TEST_REMOVED: removedFile,
  ...(memory === undefined ? {} : { HALTER_TEST_MEMORY: memory }),
  HALTER_TEST_DIST: join(ROOT, 'dist'),
  ...(seed === undefined ? {} : { HALTER_TEST_SEED: seed }),
  ...(isLong
    ? { HALTER_TESTS: isFresh ? 'whole' : 'long', HALTER_TEST_LINES: 'files' }
    : patterns.length === 0
      ? { HALTER_TESTS: 'usual' }
      : {}),
};

const kill = (pid) => {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
};

/** Those that work in its folders, or know of them; each once. */
const processesLeft = () => [
  ...new Map([folder, ...places].flatMap(processesOf).map((found) => [found.pid, found])).values(),
];
const removeFolders = () => {
  for (const place of [folder, ...places]) rmSync(place, { recursive: true, force: true });
};

/** Everything started here ends with this process. */
const children = new Set();
const stop = (signal) => {
  for (const child of children) child.kill(signal);
  for (const { pid } of processesLeft()) kill(pid);
  removeFolders();
  process.exit(130);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop(signal));
process.on('disconnect', () => stop('SIGTERM'));
process.channel?.unref();

let wasCut = false;
const run = (script, args, { limit, isQuiet = false } = {}) =>
  new Promise((resolve) => {
    const stdio = isQuiet ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(process.execPath, [join(modules, script), ...args], { cwd: ROOT, env, stdio });
    children.add(child);
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => {
            wasCut = true;
            child.kill('SIGKILL');
          }, limit);
    child.on('close', (code) => {
      clearTimeout(timer);
      children.delete(child);
      // What ran beside others is told in one piece.
      for (const chunk of said) process.stdout.write(chunk);
      resolve(code ?? 1);
    });
  });

const readSummary = () => {
  try {
    return JSON.parse(readFileSync(summaryFile, 'utf8'));
  } catch {
    return { passed: 0, failed: [], skipped: [] };
  }
};

/** What the tests of many rooms use, and has a longer form itself. */
const partsWithLongForm = () =>
  globSync('tests/support/*.ts', { cwd: ROOT })
    .filter((file) => /from '\.\/long\.ts'/.test(readFileSync(join(ROOT, file), 'utf8')))
    .map((file) => basename(file, '.ts'));

/** Test files that import what has a longer form, or that have no other. */
const filesOfLongRun = () => {
  const used = new RegExp(`support/(?:${['long', ...partsWithLongForm()].join('|')})\\.ts|themesFor|inLongRun`);
  return globSync('{src,tests,evals,web/src}/**/*.test.ts', { cwd: ROOT }).filter(
    (file) => LONG_ONLY.includes(file) || used.test(readFileSync(join(ROOT, file), 'utf8')),
  );
};

/** Test files that try what chance gives them (tests/support/test-seed.ts). */
const filesOfChance = () =>
  globSync('{src,tests,evals,web/src}/**/*.test.ts', { cwd: ROOT }).filter((file) =>
    /from 'fast-check'|support\/(?:seeded-random|test-seed)\.ts/.test(readFileSync(join(ROOT, file), 'utf8')),
  );

/** What all processors have worked so far, whoever for: on a machine that does nothing else, the difference is the run's. */
const processorSeconds = () => cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys, 0) / 1000;

const build = ['build (rolldown, tsc, vite)', '../scripts/build.mjs', []];
const checks = [
  ['format and lint (biome check)', '@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']],
  ['types (tsc --noEmit)', 'typescript/bin/tsc', ['--noEmit']],
  [
    'types of the library, of what Node 20 has (tsc -p tsconfig.library.json)',
    'typescript/bin/tsc',
    ['-p', 'tsconfig.library.json'],
  ],
  ['types of the web app (tsc -p web)', 'typescript/bin/tsc', ['-p', 'web']],
  // Tests are handed what people are handed: the built program and the built page.
  build,
];
if (seed !== undefined) console.log(`random tests play the seed ${seed} (HALTER_TEST_SEED=${seed} plays it again)`);
const [startedAt, workedBefore] = [performance.now(), processorSeconds()];
let passed = 0;
const failed = [];
// Beside each other: a check that one processor works at leaves the others idle. The tests come after them all.
const checked = (isLong ? [build] : checks).map(async ([title, script, args]) => {
  if ((await run(script, args, { isQuiet: true })) === 0) passed += 1;
  else failed.push({ title, text: 'what it said stands above, where it ran' });
});
await Promise.all(checked);
const limitMs = Number(process.env.HALTER_TEST_RUN_MS ?? RUN_MS[isLong ? 'long' : 'usual']);
const exitCode = await run(
  'vitest/vitest.mjs',
  [
    'run',
    // The long form prints a line a file, and of its tests only what failed.
    ...(isLong ? ['--silent=passed-only'] : ['--reporter=default']),
    `--reporter=${join(ROOT, 'scripts', 'summary-reporter.mjs')}`,
    ...(isLong && patterns.length === 0 ? (isFresh ? filesOfChance() : filesOfLongRun()) : patterns),
    ...(isLong ? [`--testTimeout=${LONG_TEST_MS}`] : []),
  ],
  { limit: limitMs },
);
const summary = readSummary();
passed += summary.passed;
failed.push(...summary.failed);
if (wasCut) failed.push(cutOff(limitMs, summary));
else for (const file of summary.running ?? []) failed.push({ title: `${file} did not end` });
if (!wasCut && exitCode !== 0 && summary.failed.length === 0)
  failed.push({ title: `vitest ended with exit code ${exitCode}` });
// What ends a program's children waits a moment before it does. What was cut off ends nothing, and removes nothing.
for (let tries = 0; !wasCut && tries < END_TRIES && processesLeft().length > 0; tries += 1) await wait(END_PAUSE_MS);
for (const { pid, command } of processesLeft()) {
  if (!wasCut) console.log(`ended a process that a test left behind: ${pid} ${command}`);
  kill(pid);
}
const removed = new Set(existsSync(removedFile) ? readFileSync(removedFile, 'utf8').split('\n') : []);
const foldersThere = () =>
  wasCut ? [] : places.flatMap((place) => readdirSync(place)).filter((name) => name.startsWith('halter-'));
// A browser that was closed at the end takes its folder away a moment later.
for (let tries = 0; tries < END_TRIES && foldersThere().some((name) => !removed.has(name)); tries += 1)
  await wait(END_PAUSE_MS);
const there = foldersThere();
// A program that is ended may write once more into a folder that its test has removed: reported, and no fault of the test.
const filesIn = (name) => {
  const place = places.find((each) => existsSync(join(each, name)));
  return place === undefined ? '' : readdirSync(join(place, name), { recursive: true }).slice(0, 10).join(', ');
};
for (const name of there.filter((each) => removed.has(each))) {
  console.log(`written after its test: ${name}: ${filesIn(name)}`);
}
const left = there.filter((name) => !removed.has(name));
if (left.length === 0) passed += 1;
else {
  failed.push({
    title: `folders that tests left behind in the temporary folder: ${left.join(', ')}`,
    text: left.map((name) => `${name}: ${filesIn(name)}`).join('\n'),
  });
}
removeFolders();

for (const { title, reason } of summary.skipped) console.log(`skipped  ${title}\n         ${reason}`);
// `.ci/run` repeats what starts with this word and what is indented below it.
for (const { title, text } of failed) {
  console.log(`failed   ${title}`);
  if (text) console.log(text.replace(/^/gm, '         '));
}
const seconds = (performance.now() - startedAt) / 1000;
const worked = processorSeconds() - workedBefore;
if (failed.length > 0 && seed !== undefined) console.log(`HALTER_TEST_SEED=${seed} plays the same again`);
console.log(
  `took ${seconds.toFixed()} s; the ${cpus().length} processors of this machine worked ${worked.toFixed()} s`,
);
const skipped = summary.skipped.length > 0 ? `, ${summary.skipped.length} skipped` : '';
console.log(`${passed} passed, ${failed.length} failed${skipped}`);
process.exitCode = failed.length > 0 ? 1 : 0;
