/** A repository that a person and a command change at the same time. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';

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
  for (const [name, { before = COMMITTED, command, meanwhile, look, stands, told }] of Object.entries(CASES)) {
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
