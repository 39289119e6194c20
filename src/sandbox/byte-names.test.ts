/** Names that are no UTF-8: a program takes the text of such a name for another one, or for none. */
import { readdirSync } from 'node:fs';
import { describe, expect } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld, keptIn } from '../../tests/support/sandbox-world.ts';

const namesIn = (folder: string): string[] => readdirSync(folder, { encoding: 'latin1' }).sort();
/** What the lossy text of `x\xff` is, as a name of its own. */
const OTHER = "$'x\\xef\\xbf\\xbd'";

describe('a name that is no UTF-8', () => {
  inSandboxWorld('costs nothing else of a command its place, and what bears it is kept and told', async (world) => {
    verifies('S38');
    world.outside(`printf old > $'x\\xff'; printf other > ${OTHER}; mkdir $'d\\xfe'; echo in > $'d\\xfe/in.txt'`);
    const { withheld } = await world.run(
      `printf new > $'x\\xff'; echo y > $'d\\xfe/in.txt'; mkdir -p $'n\\xfd/m' n; echo 1 > $'n\\xfd/m/f'; echo 2 > n/$'\\xe9.txt'; echo fine > fine`,
    );
    expect(world.outside(`cat fine; cat $'x\\xff' ${OTHER}; cat $'d\\xfe/in.txt'`)).toBe('fine\noldotherin\n');
    expect(withheld.map(({ path, cause }) => `${path} ${cause}`).sort()).toEqual([
      'd\\xfe not_written',
      'n/\\xe9.txt not_written',
      'n\\xfd not_written',
      'x\\xff not_written',
    ]);
    for (const { path, reason, kept_at = '' } of withheld) {
      expect(reason).toContain('not UTF-8');
      expect(kept_at.endsWith(path)).toBe(true);
    }
    expect(keptIn(withheld.find(({ path }) => path.startsWith('x'))?.kept_at ?? '')).toBe('new');
  });

  inSandboxWorld('removes no file of another name, and none of its own', async (world) => {
    world.outside(`printf odd > $'x\\xff'; printf other > ${OTHER}`);
    const { withheld } = await world.run("rm $'x\\xff'; echo fine > fine");
    expect(world.outside(`cat $'x\\xff' ${OTHER} fine`)).toBe('oddotherfine\n');
    expect(withheld).toMatchObject([{ path: 'x\\xff', cause: 'not_written' }]);
  });

  inSandboxWorld('is removed with its folder, whose other files are as they are', async (world) => {
    world.outside(`mkdir f; printf odd > f/$'x\\xff'; printf other > f/${OTHER}; mkdir g; printf odd > g/$'x\\xff'`);
    expect((await world.run(`rm -r f; rm -r g; mkdir g; echo anew > g/${OTHER}`)).withheld ?? []).toEqual([]);
    expect(namesIn(world.root)).not.toContain('f');
    expect(world.outside(`cat g/${OTHER}`)).toBe('anew\n');
  });

  for (const deep of ['.', 'p', 'p/q']) {
    inSandboxWorld(`hides no hook of a repository from the judgement: below ${deep}`, async (world) => {
      verifies('S38');
      // The text of the first name is the second one, which holds nothing that counts.
      const { withheld } = await world.run(
        `mkdir -p ${deep}/${OTHER} ${deep}/$'x\\xff'; cd ${deep}/$'x\\xff'; git init -q .; echo 'touch ran' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; echo x > .npmrc`,
      );
      expect(world.outside(`find . -name pre-commit -o -name .npmrc`)).toBe('');
      expect(withheld).toMatchObject([{ cause: 'not_written' }]);
    });
  }

  inSandboxWorld(
    'costs nothing else its place where it lies deeper than paths can be, and hides nothing',
    async (world) => {
      const { withheld } = await world.run(
        `python3 -c "
import os
for i in range(40): os.mkdir('a' * 200); os.chdir('a' * 200)
os.makedirs('.git/hooks'); open('.git/hooks/pre-commit', 'w').write('x'); open('f', 'w').write('x')
"; echo fine > fine`,
      );
      expect(world.outside('cat fine')).toBe('fine\n');
      expect(withheld).toMatchObject([{ cause: 'not_written', reason: 'its path is too long' }]);
      expect(world.outside('find . -name pre-commit')).toBe('');
      expect(world.outside(`find '${withheld[0]?.kept_at}' -name f | wc -l`)).toBe('1\n');
    },
  );

  inSandboxWorld('is told of a background command, and what bears it is kept when it ends', async (world) => {
    let output = '';
    const job = await world.processes.open({
      command: ['/bin/bash', '-c', `printf odd > $'x\\xff'; git init -q r; echo fine > fine; echo UP; sleep 60`],
      confined: true,
      onOutput: (text) => {
        output += text;
      },
    });
    if (!job.ok) throw new Error(job.error.message);
    await expect.poll(() => output, { timeout: 20_000 }).toContain('UP');
    await job.value.stop();
    expect(world.outside('cat fine')).toBe('fine\n');
    const kept = /kept at (\S+)\]/.exec(output)?.[1] ?? '';
    expect(output).toContain('Not put in place: x\\xff, since its name is not UTF-8');
    expect(keptIn(kept)).toBe('odd');
  });
});
