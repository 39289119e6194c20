/** Objects of git that a command puts in the place of others. */
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';

const COMMITTED = 'git init -q -b main .; echo a > a.txt; git add a.txt; git commit -qm first';
const EVIL = 'T=$(printf "100644 blob %s\\tb.txt\\n" $(echo evil | git hash-object -w --stdin) | git mktree)';
const REPLACE = `${EVIL}; git replace HEAD $(git commit-tree -m x $T)`;

describe('an object in the place of another', () => {
  const WAYS: Readonly<Record<string, string>> = {
    'by git replace': REPLACE,
    'written by hand': `${EVIL}; mkdir -p .git/refs/replace; git commit-tree -m x $T > .git/refs/replace/$(git rev-parse HEAD)`,
    'of a file': 'git replace $(git rev-parse HEAD:a.txt) $(echo evil | git hash-object -w --stdin)',
  };
  for (const [name, command] of Object.entries(WAYS)) {
    inSandboxWorld(`is taken back: ${name}`, async (world) => {
      verifies('S38');
      world.outside(COMMITTED);
      const { taken } = await world.run(command);
      expect(taken).toHaveLength(1);
      expect(world.outside('git reset -q --hard; ls; cat a.txt; git replace -l')).toBe('a.txt\na\n');
    });
  }

  inSandboxWorld('is none where references are packed', async (world) => {
    verifies('S38');
    world.outside(`${COMMITTED}; git branch other`);
    const { taken } = await world.run('git commit -q --allow-empty -m second; git pack-refs --all');
    expect(taken).toEqual([]);
    expect(world.outside('git log --format=%s; git branch')).toBe('second\nfirst\n* main\n  other\n');
  });
});
