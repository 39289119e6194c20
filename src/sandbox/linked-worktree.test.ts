import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openSandboxWorld } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { sandboxNote } from '../tools/sandbox-note.ts';
import { detectSandbox } from './index.ts';
import { repositoryOfWorktree } from './linked-worktree.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

describe('a linked worktree', () => {
  const world = (extra: { root?: string; addDirs?: string[] } = {}) => openSandboxWorld(extra);
  const make = 'git init -q -b main .; echo a > a; git add .; git commit -qm one; git worktree add -q';

  it('is read from wherever its repository lies, and a refused write says what allows it', {
    timeout: 60_000,
  }, async (context) => {
    if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    verifies('L11');
    const main = scratchFolder();
    const root = path.join(scratchFolder(), 'wt');
    const first = await world();
    first.outside(`${make} ${root}`, main);
    const { run, start, close } = await world({ root });
    // Of the home folder a command sees little.
    const atHome = path.join(scratchFolder(), 'wt');
    first.outside(`mkdir $HOME/main; cd $HOME/main; ${make} ${atHome}`);
    const inHome = await openSandboxWorld({ root: atHome, home: first.home });
    expect((await inHome.run('git log --format=%s; ls $HOME')).output).toBe('one\nmain\n');
    inHome.close();
    first.close();
    const { output, code } = await run('git status --short; git log --format=%s');
    expect({ output, code }).toEqual({ output: 'one\n', code: 0 });
    const ran = await start('echo b > b; git add b');
    if (!ran.ok) throw new Error(ran.error.message);
    expect(ran.value.exitCode).not.toBe(0);
    expect(sandboxNote(ran.value)).toContain(`--add-dir ${realpathSync(main)}`);
    close();
    const allowed = await world({ root, addDirs: [realpathSync(main)] });
    const committed = await allowed.run('echo b > b; git add b; git commit -qm two');
    expect(committed).toMatchObject({ code: 0, taken: [] });
    expect(allowed.outside('git log --format=%s; git status --short')).toBe('two\none\n');
    allowed.close();
  });

  it('is none where the repository does not name the folder, whatever its file says', async () => {
    verifies('S36');
    const [main, other] = [scratchFolder(), scratchFolder()];
    const { outside, close } = await world();
    outside(`${make} ${path.join(other, 'wt')}`, main);
    close();
    expect(repositoryOfWorktree(path.join(other, 'wt'))).toBe(path.join(realpathSync(main), '.git'));
    expect(repositoryOfWorktree(main)).toBeUndefined();
    const stranger = path.join(other, 'stranger');
    mkdirSync(stranger);
    for (const named of [`${main}/.git/worktrees/wt`, `${main}/.git`, main, '/', '../wt', 'x']) {
      writeFileSync(path.join(stranger, '.git'), `gitdir: ${named}\n`);
      expect(repositoryOfWorktree(stranger)).toBeUndefined();
    }
  });
});
