/** A repository that a person and a command change at the same time. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { everyNth } from '../../tests/support/long.ts';
import { inSandboxWorld, keptIn } from '../../tests/support/sandbox-world.ts';

const COMMITTED = 'git init -q -b main .; echo a > a.txt; echo b > b.txt; git add a.txt; git commit -qm first';
const LOG = 'git log --all --format=%s | sort';

describe('a repository that changes outside while a command changes it too', () => {
  type GitCase = { before?: string; command: string; meanwhile: string; look: string; stands: string; told?: string };
  const CASES: Readonly<Record<string, GitCase>> = {
    'keeps the commit of the person': {
      command: 'git status --short; $WAIT; echo agent >> a.txt; git commit -qam agent-commit',
      meanwhile: 'git add b.txt; git commit -qm mine',
      look: 'git log --format=%s; git status --short; git fsck 2>&1 | grep -c missing',
      stands: 'mine\nfirst\n M a.txt\n0\n',
      told: '.git',
    },
    'keeps what the person added to the index': {
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'git add b.txt',
      look: 'git log --format=%s; git status --short',
      stands: 'first\n M a.txt\nA  b.txt\n',
      told: '.git',
    },
    'keeps a branch that the person switched to': {
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'git switch -qc other',
      look: 'git branch --show-current; git log --format=%s',
      stands: 'other\nfirst\n',
      told: '.git',
    },
    'keeps settings of the person': {
      command: 'git config user.name agent; git commit -q --allow-empty -m agent-commit; $WAIT',
      meanwhile: 'git config user.name me',
      look: 'git config user.name; git log --format=%s',
      stands: 'me\nfirst\n',
      told: '.git',
    },
    'keeps commits when the command packs references': {
      command: 'git gc -q --prune=now; $WAIT',
      meanwhile: 'git branch kept; git commit -q --allow-empty -m mine',
      look: `${LOG}; git fsck 2>&1 | grep -c missing; git branch --list kept`,
      stands: 'first\nmine\n0\n  kept\n',
      told: '.git',
    },
    'takes a commit of the command where the person looked at the status alone': {
      before: `${COMMITTED}; git add b.txt; git commit -q --amend -m first`,
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'touch -d 2001-02-03 b.txt; git status --short',
      look: 'git log --format=%s; git status --short',
      stands: 'agent-commit\nfirst\n',
    },
    'takes no word where the command looked at the status alone': {
      command: 'touch -d 2001-02-03 a.txt; git status --short > /dev/null; $WAIT',
      meanwhile: 'git add b.txt; git commit -qm mine',
      look: 'git log --format=%s; git status --short',
      stands: 'mine\nfirst\n',
    },
    'takes a new branch of the command beside a fetch of the person': {
      command: 'git branch agent; git tag t; $WAIT',
      meanwhile:
        'git init -q ../more/o; git -C ../more/o commit -q --allow-empty -m theirs; git fetch -q ../more/o HEAD:refs/remotes/o/x',
      look: 'git branch; git tag; git branch -r; git fsck',
      stands: '  agent\n* main\nt\n  o/x\n',
    },
    'is one of its own below the folder': {
      before: `mkdir sub; cd sub; ${COMMITTED}`,
      command: 'cd sub; echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'cd sub; git add b.txt; git commit -qm mine',
      look: 'cd sub; git log --format=%s',
      stands: 'mine\nfirst\n',
      told: 'sub/.git',
    },
  };
  for (const [name, { before = COMMITTED, command, meanwhile, look, stands, told }] of everyNth(
    Object.entries(CASES),
    3,
  )) {
    inSandboxWorld(name, async (world) => {
      verifies('S39');
      world.outside(before);
      const { withheld } = await world.runAround(command, () => world.outside(meanwhile));
      expect(world.outside(look)).toBe(stands);
      expect(withheld.map(({ path: file, cause }) => [file, cause])).toEqual(
        told === undefined ? [] : [[told, 'repository_changed_outside']],
      );
    });
  }

  const TWO = `${COMMITTED}; git switch -qc other; echo other > a.txt; echo new > new.txt; git add .; git commit -qm theirs; git switch -q main`;
  const MOVES: Readonly<Record<string, string>> = {
    'switches to another branch': 'git switch -q other',
    'checks out another commit': 'git checkout -q other~0',
    'goes back to another commit': 'git reset -q --hard other',
    'merges forward': 'git merge -q other',
    'makes a merge': 'git merge -q --no-ff other',
    'takes a commit over': 'git cherry-pick other',
    rebases: 'git commit -q --allow-empty -m agent; git rebase -q other',
    'puts changes aside': 'echo agent > a.txt; git stash -q; git switch -q other',
    'switches without a log': 'git -c core.logAllRefUpdates=false switch -q other',
  };
  for (const [name, command] of everyNth(Object.entries(MOVES), 3)) {
    inSandboxWorld(`keeps its files apart with its branches: ${name}`, async (world) => {
      verifies('S39');
      world.outside(TWO);
      const { withheld } = await world.runAround(`${command}; echo more > more.txt; $WAIT`, () =>
        world.outside('echo mine > b.txt; git add b.txt; git commit -qm mine'),
      );
      expect(world.outside('git branch --show-current; git log --format=%s; git status --short; cat a.txt')).toBe(
        'main\nmine\nfirst\na\n',
      );
      expect(withheld.map(({ path: file, cause }) => [file, cause])).toEqual([['.git', 'repository_changed_outside']]);
      expect(withheld[0]?.reason).toContain('nor in the files beside them');
      expect(keptIn(`${withheld[0]?.kept_at}/more.txt`)).toBe('more\n');
    });
  }

  inSandboxWorld('keeps apart the files of this repository alone, those of a worktree too', async (world) => {
    verifies('S39');
    world.outside(`${TWO}; git worktree add -q wt -b third; mkdir own; cd own; ${COMMITTED}`);
    const { withheld } = await world.runAround(
      'cd wt; git reset -q --hard other; cd ..; echo x > x.txt; cd own; git commit -q --allow-empty -m agent; echo y > y.txt; $WAIT',
      () => world.outside('cd wt; echo mine > b.txt; git add b.txt; git commit -qm mine'),
    );
    expect(
      world.outside('cat x.txt own/y.txt; git -C own log --format=%s; cat wt/a.txt; git -C wt status --short'),
    ).toBe('x\ny\nagent\nfirst\na\n');
    expect(withheld.map(({ path: file }) => file)).toEqual(['.git']);
    expect(keptIn(`${withheld[0]?.kept_at}/wt/a.txt`)).toBe('other\n');
  });

  inSandboxWorld('names the commit of the command, which can be taken over', async (world) => {
    world.outside(COMMITTED);
    const { withheld } = await world.runAround(
      'echo agent > c.txt; git add c.txt; git commit -qm agent-commit; $WAIT',
      () => world.outside('git add b.txt; git commit -qm mine'),
    );
    const commit = /[0-9a-f]{40}/.exec(withheld[0]?.reason ?? '')?.[0];
    world.outside(`rm c.txt; git cherry-pick ${commit}`);
    expect(world.outside('git log --format=%s')).toBe('agent-commit\nmine\nfirst\n');
  });
});
