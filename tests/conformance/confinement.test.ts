import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runAttack } from '../../conformance/attacks/run-attack.ts';
import { programFile } from '../../scripts/built-programs.ts';
import { LIMITS } from '../../src/core/limits.ts';
import { createWorkspace } from '../../src/io/workspace.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { everyNth, rounds, timeLimit } from '../support/long.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { attackCases, DISPUTED } from './attack-cases.ts';

/** Usually so few of the catalogue are played; a long run plays all. */
const EVERY = 3;

/** Cases of a group whose tool is one of the list; the others belong to tools that are not there yet. */
const isOurs = (tool: unknown): boolean => BUILT_IN_TOOLS.some((candidate) => candidate.name === tool);

describe.each(['path-confinement', 'file-faults', 'resource', 'arg-validation'])('the catalogue: %s', (group) => {
  const cases = everyNth(attackCases(group)?.filter((attack) => isOurs(attack.when.tool)) ?? [], EVERY);
  it('is there', (test) => {
    if (attackCases(group) === undefined)
      test.skip('the catalogue is not beside the repository (../shared/conformance)');
    expect(cases.length).toBeGreaterThan(0);
  });
  it.for(cases)('$id: $why', { timeout: timeLimit(180_000) }, async (attack, test) => {
    verifies('H10');
    const ending = await runAttack(attack);
    if (ending.state === 'skipped') test.skip(ending.reason);
    // A disputed case that passes is disputed no more.
    expect(ending).toMatchObject({ state: DISPUTED[attack.id] === undefined ? 'passed' : 'failed' });
  });
});

const swapperFile = fileURLToPath(new URL('swapper.mjs', import.meta.url));

/** A process that swaps what `name` means until the test is over. */
const swap = async (...words: string[]): Promise<void> => {
  const swapper = spawn(process.execPath, [swapperFile, ...words]);
  onTestFinished(() => void swapper.kill());
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
};

/**
 * Tries so many times, and on until both sides of the race were met: without that it was not run, and how often the two
 * processes take turns is up to the machine.
 */
const race = async (
  attempts: number,
  isRun: () => boolean,
  attempt: (round: number) => Promise<void>,
): Promise<void> => {
  const most = Math.max(attempts, MOST_ATTEMPTS);
  for (let round = 0; round < attempts || (!isRun() && round < most); round += 1) await attempt(round);
  expect(isRun(), `one side of the race was not met in ${most} attempts`).toBe(true);
};
const MOST_ATTEMPTS = 1_000_000;

describe('against somebody who swaps links', { timeout: timeLimit(180_000) }, () => {
  const ROUNDS = rounds(200, 20_000);
  const scene = async () => {
    const scratch = scratchFolder();
    putFiles(scratch, {
      'ws/inside/secret.txt': 'inside',
      'outside/secret.txt': 'TOPSECRET',
      'outside/only-outside': '',
    });
    const root = path.join(scratch, 'ws');
    const workspace = await createWorkspace({ root });
    if (!workspace.ok) throw new Error(workspace.error.message);
    await swap(path.join(root, 'd'), 'inside', '../outside');
    return { scratch, root, workspace: workspace.value };
  };

  it('reads nothing from outside, and does read from inside', async () => {
    verifies('H10', 'S11');
    const { workspace } = await scene();
    const answers = { inside: 0, refused: 0, leaked: 0 };
    const isRun = () => Math.min(answers.inside, answers.refused) > 0;
    await race(ROUNDS, isRun, async () => {
      const read = await workspace.readFile('d/secret.txt', { maxBytes: LIMITS.readFileBytes });
      const text = read.ok ? Buffer.from(read.value.bytes).toString() : undefined;
      if (text === undefined) answers.refused += 1;
      else if (text === 'inside') answers.inside += 1;
      else answers.leaked += 1;
    });
    expect(answers.leaked).toBe(0);
  });

  it('writes and makes nothing outside', async () => {
    verifies('H10', 'S11');
    const { scratch, root, workspace } = await scene();
    let overwritten = 0;
    let refused = 0;
    const isRun = () => Math.min(overwritten, refused) > 0;
    await race(ROUNDS / 4, isRun, async (round) => {
      const isThere = round % 2 === 0;
      const name = isThere ? 'd/secret.txt' : `d/new-${round}/file.txt`;
      const result = await workspace.writeFile(name, Buffer.from('PWNED'));
      if (!result.ok) refused += 1;
      else if (isThere) overwritten += 1;
    });
    expect(fs.readdirSync(path.join(scratch, 'outside')).sort()).toEqual(['only-outside', 'secret.txt']);
    expect(fs.readFileSync(path.join(scratch, 'outside/secret.txt'), 'utf8')).toBe('TOPSECRET');
    expect(fs.readFileSync(path.join(root, 'inside/secret.txt'), 'utf8')).toBe('PWNED');
  });

  it('lists and walks nothing outside', async () => {
    const { workspace } = await scene();
    let listed = 0;
    const isRun = () => listed > 0;
    await race(ROUNDS, isRun, async (round) => {
      const list = await workspace.list('d');
      const walk = await workspace.walk({ path: round % 2 === 0 ? 'd' : '.', maxPaths: 50 });
      if (list.ok) listed += 1;
      const names = [...(list.ok ? list.value.map((entry) => entry.name) : []), ...(walk.ok ? walk.value.paths : [])];
      expect(names.filter((name) => name.includes('only-outside'))).toEqual([]);
    });
  });

  it('walks into no link that stands where a folder stood', async () => {
    const scratch = scratchFolder();
    putFiles(scratch, { 'ws/d/inside': '', 'outside/only-outside': '' });
    const workspace = await createWorkspace({ root: path.join(scratch, 'ws') });
    if (!workspace.ok) throw new Error(workspace.error.message);
    await swap('--folder', path.join(scratch, 'ws/d'), '../outside');
    const seen = new Set<string>();
    const isRun = () => seen.has('d/inside');
    await race(ROUNDS * 2, isRun, async () => {
      const walk = await workspace.value.walk({ maxPaths: 50, includeHidden: true });
      for (const name of walk.ok ? walk.value.paths : []) seen.add(name);
    });
    expect([...seen].filter((name) => name.includes('only-outside'))).toEqual([]);
  });
});

it('leaves a file whole, old or new, when the writer is killed', async () => {
  verifies('S8');
  const root = scratchFolder();
  putFiles(root, { 'a.txt': 'a'.repeat(1024 * 1024) });
  const script = programFile(new URL('writer.ts', import.meta.url));
  for (let round = 0; round < rounds(4, 12); round += 1) {
    const writer = spawn(process.execPath, [script, root, 'a.txt']);
    let started = 0;
    await new Promise<void>((resolve) => {
      writer.stdout.on('data', (chunk: Buffer) => {
        started += chunk.length;
        if (started > round) writer.kill('SIGKILL');
      });
      writer.on('close', () => resolve());
    });
    const text = fs.readFileSync(path.join(root, 'a.txt'), 'latin1');
    expect(text.length).toBe(1024 * 1024);
    expect(text).toBe((text[0] as string).repeat(text.length));
  }
});

it('says that too many files are open, and works again afterwards', async (test) => {
  if (process.platform !== 'linux') test.skip('needs ulimit -n of a Linux shell');
  const root = scratchFolder();
  putFiles(root, { 'a.txt': 'x' });
  const script = `
    const fs = await import('node:fs');
    const { createWorkspace } = await import(${JSON.stringify(programFile(new URL('../../src/io/workspace.ts', import.meta.url)))});
    const made = await createWorkspace({ root: ${JSON.stringify(root)} });
    const workspace = made.value;
    await workspace.readFile('a.txt', { maxBytes: 9 });
    const held = [];
    try { for (;;) held.push(fs.openSync('/dev/null', 'r')); } catch {}
    const read = await workspace.readFile('a.txt', { maxBytes: 9 });
    const write = await workspace.writeFile('a.txt', Buffer.from('new'));
    const walk = await workspace.walk({ maxPaths: 9 });
    for (const descriptor of held) fs.closeSync(descriptor);
    const after = await workspace.readFile('a.txt', { maxBytes: 9 });
    process.stdout.write(JSON.stringify([read.error, write.error, walk.error, after.ok]));`;
  const child = spawn('bash', ['-c', 'ulimit -n 64; exec "$0" --input-type=module -e "$1"', process.execPath, script]);
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await new Promise((resolve) => child.on('close', resolve));
  const error = { error_type: 'io_error', reason: 'too_many_open_files', message: expect.stringContaining('EMFILE') };
  expect(JSON.parse(output)).toEqual([error, error, error, true]);
});
