import { chmodSync, mkdirSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { compiledFolder } from './compile-cache.ts';

const inHome = (home: string): string | undefined => compiledFolder({ HOME: home }, 'linux');

describe('where compiled code is kept', () => {
  it("is a folder of the person's own cache that nobody else can read or write", () => {
    const home = scratchFolder();
    const folder = inHome(home);
    expect(folder).toBe(join(home, '.cache', 'halter', 'compiled'));
    expect(statSync(folder as string).mode & 0o777).toBe(0o700);
    expect(compiledFolder({ HOME: home, XDG_CACHE_HOME: join(home, 'c') }, 'linux')).toBe(
      join(home, 'c', 'halter', 'compiled'),
    );
  });

  it('is nowhere where others could put code there', () => {
    const home = scratchFolder();
    const folder = inHome(home) as string;
    chmodSync(folder, 0o770);
    expect(inHome(home)).toBeUndefined();
    rmSync(folder, { recursive: true });
    mkdirSync(join(home, 'elsewhere'));
    symlinkSync(join(home, 'elsewhere'), folder);
    expect(inHome(home)).toBeUndefined();
  });

  it('is nowhere where it cannot be made', () => {
    expect(inHome('/dev/null')).toBeUndefined();
  });
});
