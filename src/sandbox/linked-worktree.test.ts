import { existsSync, mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { openSandboxWorld, PERSON } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { detectSandbox } from './index.ts';
import { linkedWorktreeOf } from './linked-worktree.ts';

let works = false;
beforeAll(async () => {
  works = (await detectSandbox()).kind === 'bubblewrap';
});

describe('a linked worktree', () => {
  const world = (extra: { root?: string; addDirs?: string[] } = {}) => openSandboxWorld(extra);
  const make = 'git init -q -b main .; echo a > a; git add .; git commit -qm one; git worktree add -q';

  it('is read from wherever its repository lies, and written to with --add-dir', {
    timeout: 60_000,
  }, async (context) => {
    if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
    verifies('L11');
    const main = scratchFolder();
    const root = path.join(scratchFolder(), 'wt');
    const first = await world();
    first.outside(`${make} ${root}`, main);
    const { run, close } = await world({ root });
    // Of the home folder a command sees little.
    const atHome = path.join(scratchFolder(), 'wt');
    first.outside(`mkdir $HOME/main; cd $HOME/main; ${make} ${atHome}`);
    const inHome = await openSandboxWorld({ root: atHome, home: first.home });
    expect((await inHome.run('git log --format=%s; ls $HOME')).output).toBe('one\nmain\n');
    inHome.close();
    first.close();
    const { output, code } = await run('git status --short; git log --format=%s');
    expect({ output, code }).toEqual({ output: 'one\n', code: 0 });
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
    expect(linkedWorktreeOf(path.join(other, 'wt'))).toEqual({
      common: path.join(realpathSync(main), '.git'),
      own: 'wt',
    });
    expect(linkedWorktreeOf(main)).toBeUndefined();
    const stranger = path.join(other, 'stranger');
    mkdirSync(stranger);
    for (const named of [`${main}/.git/worktrees/wt`, `${main}/.git`, main, '/', '../wt', 'x']) {
      writeFileSync(path.join(stranger, '.git'), `gitdir: ${named}\n`);
      expect(linkedWorktreeOf(stranger)).toBeUndefined();
    }
  });
});

describe('a command in a linked worktree', () => {
  const MAKE =
    'git init -q -b main .; echo a > a.txt; git add .; git commit -qm one; git branch other; git worktree add -q';
  const worktreeOf = async () => {
    const base = scratchFolder();
    const [main, root] = [path.join(base, 'main'), path.join(base, 'wt')];
    mkdirSync(main);
    const first = await openSandboxWorld();
    first.outside(`${MAKE} ../wt -b work; git worktree add -q ../third -b third`, main);
    first.close();
    return { main, world: await openSandboxWorld({ root, addDirs: [] }) };
  };
  const inWorktree = (name: string, test: (made: Awaited<ReturnType<typeof worktreeOf>>) => Promise<void>): void =>
    it(name, { timeout: 60_000 }, async (context) => {
      if (!works) return context.skip('bubblewrap does not work here (apt-get install bubblewrap)');
      const made = await worktreeOf();
      await test(made);
      made.world.close();
    });

  inWorktree('commits, branches and merges as in any repository', async ({ main, world }) => {
    verifies('L11', 'S38');
    const line =
      'echo b > b.txt; git add .; git commit -qm two; git switch -qc more; git commit -q --allow-empty -m three; git switch -q work; git merge -q more; git stash list; git gc -q; git fsck';
    const { code, output, withheld } = await world.run(line);
    expect({ code, output, withheld }).toEqual({ code: 0, output: '', withheld: [] });
    expect(world.outside('git branch --show-current; git log --format=%s; git status --short')).toBe(
      'work\nthree\ntwo\none\n',
    );
    expect(
      world.outside('git branch --show-current; git status --short; git log work --format=%s | head -n 1', main),
    ).toBe('main\nthree\n');
  });

  inWorktree('shows nothing of it before it has ended', async ({ main, world }) => {
    verifies('S39');
    let seen = '';
    await world.runAround('git commit -q --allow-empty -m two; $WAIT', () => {
      seen = world.outside('git log --all --format=%s', main);
    });
    expect(seen).toBe('one\n');
    expect(world.outside('git log --format=%s')).toBe('two\none\n');
  });

  inWorktree('changes nothing of other folders, and sets up nothing that runs', async ({ main, world }) => {
    verifies('S38');
    const attacks = [
      'printf "#!/bin/sh\\n" > $G/hooks/pre-commit; chmod +x $G/hooks/pre-commit',
      'git config core.hooksPath x',
      'git config core.fsmonitor ./x',
      'echo "ref: refs/heads/other" > $G/HEAD',
      'rm $G/index; echo x > $G/index',
      'rm -rf $G/worktrees/third',
      'echo "ref: refs/heads/other" > $G/worktrees/third/HEAD',
      'mkdir $G/worktrees/new; echo x > $G/worktrees/new/gitdir',
      'echo ../../../elsewhere > $G/worktrees/wt/commondir',
      'git config extensions.worktreeConfig true; printf "[core]\\n\\tfsmonitor = ./x\\n" > $G/worktrees/wt/config.worktree',
      'echo /x > $G/worktrees/wt/gitdir',
      'rm -rf $G/worktrees/wt',
      'mkdir -p $G/modules/x; printf "[core]\\n\\tfsmonitor = ./x\\n" > $G/modules/x/config',
      'ln -sfn /etc $G/refs/heads/etc',
      'git worktree add -q ../wt2',
    ];
    const look = 'cat .git/HEAD .git/config; ls .git .git/hooks .git/worktrees; git status --short; git fsck';
    const before = world.outside(look, main);
    for (const attack of attacks) {
      await world.run(`G=$(git rev-parse --git-common-dir); ${attack}`);
      const config = /extensions/.test(attack) ? '' : world.outside(look, main);
      expect(config === '' ? before : config, attack).toBe(before);
      expect(world.outside('git status --short; git -C ../third status --short'), attack).toBe('');
      expect(existsSync(path.join(main, '.git/worktrees/wt/config.worktree')), attack).toBe(false);
      world.outside('git config --unset extensions.worktreeConfig', main);
    }
  });

  inWorktree('keeps files and branch together where the person commits there too', async ({ world }) => {
    verifies('S39');
    world.outside('git switch -q other; echo other > a.txt; git commit -qam theirs; git switch -q work');
    const { withheld } = await world.runAround('git reset -q --hard other; $WAIT', () =>
      world.outside('echo mine > m.txt; git add .; git commit -qm mine'),
    );
    expect(world.outside('git log --format=%s; git status --short; cat a.txt')).toBe('mine\none\na\n');
    expect(withheld.map(({ cause }) => cause)).toEqual(['repository_changed_outside', 'repository_changed_outside']);
  });

  inWorktree('is not held up by what the person does in the other folder', async ({ main, world }) => {
    verifies('S39');
    const { withheld } = await world.runAround('git commit -q --allow-empty -m two; $WAIT', () =>
      world.outside('echo x > x.txt; git add .; git commit -qm mine', main),
    );
    expect(withheld).toEqual([]);
    expect(world.outside('git log --all --format=%s | sort; git fsck')).toBe('mine\none\ntwo\n');
  });

  inWorktree('commits in the background', async ({ main, world }) => {
    verifies('S39');
    let output = '';
    const job = await world.processes.open({
      command: [
        '/bin/bash',
        '-c',
        'git commit -q --allow-empty -m two; echo x > $(git rev-parse --git-common-dir)/hooks/x; echo DONE; sleep 60',
      ],
      confined: true,
      env: PERSON,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('DONE');
    await job.value.stop();
    expect(world.outside('git log work --format=%s; ls .git/hooks | grep -v sample', main)).toBe('two\none\n');
  });
});
