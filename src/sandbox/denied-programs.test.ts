/** Programs that a rule denies, started in the ways that no line says. */
import { chmodSync, linkSync, mkdirSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { inSandboxWorld } from '../../tests/support/sandbox-world.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { deniedFiles } from './denied-programs.ts';

describe('the files of a denied program', () => {
  it('are those of its own name, and not a program of many names or the one that runs halter', () => {
    const folder = realpathSync(scratchFolder());
    const program = (name: string): void => writeFileSync(path.join(folder, name), '', { mode: 0o755 });
    for (const name of ['tool', 'tool3.1', 'many']) program(name);
    symlinkSync('tool3.1', path.join(folder, 'tool3'));
    symlinkSync('many', path.join(folder, 'one'));
    linkSync(path.join(folder, 'many'), path.join(folder, 'linked'));
    mkdirSync(path.join(folder, 'folder'));
    const named = (...names: string[]): string[] => deniedFiles(names, folder).map((file) => path.basename(file));
    expect(named('tool')).toEqual(['tool']);
    expect(named('tool3')).toEqual(['tool3.1']);
    expect(named('one', 'folder', 'missing', 'bash', 'sh')).toEqual([]);
    expect(named('linked')).toEqual(['linked']);
    expect(deniedFiles([path.basename(process.execPath)], path.dirname(process.execPath))).not.toContain(
      realpathSync(process.execPath),
    );
  });
});

describe('a denied program', () => {
  const LINES = {
    'a script of the folder': 'sh ./s.sh',
    'a decoded word': 'printf dW5hbWU= | base64 -d | xargs -I{} {} -s',
    'a target of make': 'make -f m -s a || true',
    'an interpreter': `python3 -c 'import os; os.system("una" + "me -s")'`,
    'its whole path': '/usr/bin/uname -s',
    'another variable': 'a=una; "$a"me -s',
  };
  for (const [name, line] of Object.entries(LINES))
    inSandboxWorld(
      `is not started by ${name}, while others are`,
      async (world) => {
        verifies('L11');
        writeFileSync(path.join(world.root, 's.sh'), 'uname -s\n');
        writeFileSync(path.join(world.root, 'm'), 'a:\n\tuname -s\n');
        chmodSync(path.join(world.root, 's.sh'), 0o755);
        const { output } = await world.run(`${line} 2>&1; echo also`);
        expect(output).not.toContain('Linux');
        expect(output).toContain('also');
      },
      { deniedPrograms: ['uname'] },
    );
});
