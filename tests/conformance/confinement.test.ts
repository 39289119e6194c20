import { spawn } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LIMITS } from '../../src/core/limits.ts';
import { createWorkspace } from '../../src/runtime/workspace.ts';
import { BUILT_IN_TOOLS } from '../../src/tools/index.ts';
import { verifies } from '../requirements.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';
import { attackCases } from './attack-cases.ts';
import { playFileAttack } from './file-attacks.ts';

/** Cases of a group whose tool is one of the list; the others belong to tools that are not there yet. */
const isOurs = (tool: unknown): boolean => BUILT_IN_TOOLS.some((candidate) => candidate.name === tool);

describe.each(['path-confinement', 'file-faults', 'resource', 'arg-validation'])('the catalogue: %s', (group) => {
  const cases = attackCases(group)?.filter((attack) => isOurs(attack.when.tool)) ?? [];
  it('is there', (test) => {
    if (attackCases(group) === undefined)
      test.skip('the catalogue is not beside the repository (../shared/conformance)');
    expect(cases.length).toBeGreaterThan(0);
  });
  it.for(cases)('$id: $why', { timeout: 180_000 }, async (attack, test) => {
    verifies('H10');
    await playFileAttack(attack, test);
  });
});

const swapperFile = fileURLToPath(new URL('swapper.mjs', import.meta.url));

/** A process that swaps what `name` means until the test is over. */
const swap = async (name: string, ...targets: string[]): Promise<void> => {
  const swapper = spawn(process.execPath, [swapperFile, name, ...targets]);
  onTestFinished(() => void swapper.kill());
  await new Promise((resolve) => swapper.stdout.once('data', resolve));
};

describe('against somebody who swaps links', { timeout: 180_000 }, () => {
  const ROUNDS = 4_000;
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
    verifies('H10');
    const { workspace } = await scene();
    const answers = { inside: 0, refused: 0, leaked: 0 };
    for (let round = 0; round < ROUNDS; round += 1) {
      const read = await workspace.readFile('d/secret.txt', { maxBytes: LIMITS.readFileBytes });
      const text = read.ok ? Buffer.from(read.value.bytes).toString() : undefined;
      if (text === undefined) answers.refused += 1;
      else if (text === 'inside') answers.inside += 1;
      else answers.leaked += 1;
    }
    expect(answers.leaked).toBe(0);
    // Otherwise the race was not run.
    expect(Math.min(answers.inside, answers.refused)).toBeGreaterThan(0);
  });

  it('writes and makes nothing outside', async () => {
    verifies('H10');
    const { scratch, root, workspace } = await scene();
    let written = 0;
    let refused = 0;
    for (let round = 0; round < ROUNDS / 4; round += 1) {
      const name = round % 2 === 0 ? 'd/secret.txt' : `d/new-${round}/file.txt`;
      const result = await workspace.writeFile(name, Buffer.from('PWNED'));
      if (result.ok) written += 1;
      else refused += 1;
    }
    expect(fs.readdirSync(path.join(scratch, 'outside')).sort()).toEqual(['only-outside', 'secret.txt']);
    expect(fs.readFileSync(path.join(scratch, 'outside/secret.txt'), 'utf8')).toBe('TOPSECRET');
    expect(fs.readFileSync(path.join(root, 'inside/secret.txt'), 'utf8')).toBe('PWNED');
    expect(Math.min(written, refused)).toBeGreaterThan(0);
  });

  it('lists and walks nothing outside', async () => {
    const { workspace } = await scene();
    let listed = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      const list = await workspace.list('d');
      const walk = await workspace.walk({ path: round % 2 === 0 ? 'd' : '.', maxPaths: 50 });
      if (list.ok) listed += 1;
      const names = [...(list.ok ? list.value.map((entry) => entry.name) : []), ...(walk.ok ? walk.value.paths : [])];
      expect(names.filter((name) => name.includes('only-outside'))).toEqual([]);
    }
    expect(listed).toBeGreaterThan(0);
  });
});
