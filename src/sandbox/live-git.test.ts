/** A repository that a person and a background command change at the same time. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld, PERSON, type SandboxWorld } from '../../tests/support/sandbox-world.ts';

const COMMITTED =
  'git init -q -b main .; echo a > a.txt; echo b > b.txt; git add .; git commit -qm first; git switch -qc other; echo other > a.txt; git commit -qam theirs; git switch -q main';

/** Runs a line in the background; `$WAIT` stands for the moment in which `act` is done outside. */
const runLive = async (world: SandboxWorld, line: string, act: () => void): Promise<string> => {
  let output = '';
  let isDone = false;
  const job = await world.processes.open({
    command: ['/bin/bash', '-c', `${line.replaceAll('$WAIT', 'echo WAITING')}; echo DONE; sleep 60`],
    confined: true,
    env: PERSON,
    onOutput: (text) => {
      output += text;
      if (isDone || !output.includes('WAITING')) return;
      isDone = true;
      // Before anything of the command is looked at.
      act();
    },
  });
  if (!job.ok) throw new Error(job.error.message);
  await expect.poll(() => output, { timeout: 20_000 }).toContain('DONE');
  await job.value.stop();
  return output;
};

describe('a repository beside a background command', () => {
  const LOOK =
    'git branch --show-current; git log --format=%s; git status --short; cat a.txt; git fsck 2>&1 | grep -c missing';
  inSandboxWorld('takes commits of the command, whole', async (world) => {
    verifies('S39');
    world.outside(COMMITTED);
    const output = await runLive(
      world,
      'echo agent >> a.txt; git commit -qam agent-commit; git branch agent; $WAIT',
      () => {},
    );
    expect(output).not.toContain('Not put in place');
    expect(world.outside(`${LOOK}; git branch --list agent`)).toBe('main\nagent-commit\nfirst\na\nagent\n0\n  agent\n');
  });

  type LiveCase = { command: string; meanwhile: string; stands: string };
  const CASES: Readonly<Record<string, LiveCase>> = {
    'beside a commit of the person, a commit': {
      command: 'echo agent >> a.txt; git commit -qam agent-commit; $WAIT',
      meanwhile: 'echo mine > b.txt; git add b.txt; git commit -qm mine',
      stands: 'main\nmine\nfirst\n M a.txt\na\nagent\n0\n',
    },
    'beside a commit of the person, a switch with its files': {
      command: 'git switch -q other; $WAIT',
      meanwhile: 'echo mine > b.txt; git add b.txt; git commit -qm mine',
      stands: 'main\nmine\nfirst\na\n0\n',
    },
    'beside what the person added, a branch that has a commit': {
      command: 'git commit -q --allow-empty -m agent-commit; $WAIT',
      meanwhile: 'echo mine > b.txt; git add b.txt',
      stands: 'main\nfirst\nM  b.txt\na\n0\n',
    },
  };
  for (const [name, { command, meanwhile, stands }] of Object.entries(CASES)) {
    inSandboxWorld(`keeps apart: ${name}`, async (world) => {
      verifies('S39');
      world.outside(COMMITTED);
      const output = await runLive(world, command, () => world.outside(meanwhile));
      expect(world.outside(LOOK)).toBe(stands);
      expect(output).toContain('Not put in place: .git');
    });
  }

  inSandboxWorld('is seen by the command as the person leaves it, and goes on from there', async (world) => {
    verifies('S39');
    world.outside(COMMITTED);
    const output = await runLive(
      world,
      // The person's git has ended by then: while it works, the repository is in between.
      'echo WAITING; until test -f ready.txt; do sleep 0.05; done; echo agent > c.txt; git add c.txt; git commit -qm agent-commit',
      () => world.outside('git commit -q --allow-empty -m mine; touch ready.txt'),
    );
    expect(output).not.toContain('Not put in place');
    expect(world.outside('git log --format=%s; git status --short')).toBe('agent-commit\nmine\nfirst\n?? ready.txt\n');
  });
});
