/** halter started in a folder of a repository: git in the sandbox, and what is said where it does not work. */
import { mkdirSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openSandboxWorld } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { sandboxNote } from '../tools/sandbox-note.ts';
import { enclosingRepositoryOf } from './enclosing-repository.ts';
import { detectSandbox } from './index.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

/** A repository with a commit, and a folder two below its own. */
const repository = async () => {
  const main = realpathSync(scratchFolder());
  const root = path.join(main, 'packages', 'one');
  mkdirSync(root, { recursive: true });
  const first = await openSandboxWorld();
  first.outside('git init -q -b main .; echo a > packages/one/a; git add .; git commit -qm one', main);
  first.close();
  return { main, root };
};

describe('a folder within a repository', () => {
  it('is told by the folders above it alone', async () => {
    verifies('L11');
    const { main, root } = await repository();
    expect(enclosingRepositoryOf(root)).toBe(main);
    expect(enclosingRepositoryOf(path.dirname(root))).toBe(main);
    expect(enclosingRepositoryOf(main)).toBeUndefined();
    expect(enclosingRepositoryOf(scratchFolder())).toBeUndefined();
    expect(enclosingRepositoryOf(path.join(root, 'nothing-there'))).toBeUndefined();
  });

  it.for([
    ['its repository', (main: string) => main],
    ['what is above its repository', (main: string) => path.dirname(main)],
  ] as const)('has git in the sandbox with --add-dir for %s', { timeout: 60_000 }, async ([, opened], context) => {
    if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    verifies('L11');
    const { main, root } = await repository();
    const world = await openSandboxWorld({ root, addDirs: [opened(main)] });
    const read = await world.run('git status --short; git log --format=%s');
    expect({ output: read.output, code: read.code }).toEqual({ output: 'one\n', code: 0 });
    const committed = await world.run('echo b > b; git add b; git commit -qm two');
    expect(committed).toMatchObject({ code: 0, taken: [] });
    expect(world.outside('git log --format=%s; git status --short', main)).toBe('two\none\n');
    world.close();
  });

  it('may not change what git runs there', { timeout: 60_000 }, async (context) => {
    if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    verifies('S36');
    const { main, root } = await repository();
    const world = await openSandboxWorld({ root, addDirs: [main] });
    await world.run(`git config core.fsmonitor 'touch ${main}/ran'; git config alias.st '!touch ${main}/ran'`);
    world.outside('git status; git st', main);
    expect(world.outside('ls -a; cat .git/config', main)).not.toMatch(/\bran\b|fsmonitor/);
    world.close();
  });
});

describe('what is said of git that finds no repository', () => {
  const ran = { output: 'fatal: not a git repository (or any of the parent directories): .git\n' };
  it.each([
    ['model', 'the person can open the repository to them with --add-dir /w/shop'],
    ['person', 'start halter with --add-dir /w/shop to open the repository to them'],
  ] as const)('to the %s', (reader, said) => {
    verifies('L11');
    expect(sandboxNote({ ...ran, sandbox: { network: true, enclosing: '/w/shop' } }, 'git log', reader)).toContain(
      said,
    );
  });

  it('is nothing where there is none above, where git said something else, and without a sandbox', () => {
    verifies('L11');
    const told = [
      sandboxNote({ ...ran, sandbox: { network: true } }, 'git log'),
      sandboxNote({ output: 'fatal: bad revision', sandbox: { network: true, enclosing: '/w/shop' } }, 'git log x'),
      sandboxNote(ran, 'git log'),
    ];
    expect(told).toEqual(['', '', '']);
  });
});
