import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAutoExecutedPath, isNeverWritten, isSecretPath, SECRET_EXAMPLES } from './sensitive-files.ts';

describe('names of files that are asked about', () => {
  it.each([
    '.git/hooks/x',
    'a/.HG/x',
    '.halter/config.json',
    'git~1/config',
    '.git\u200b/config',
    '.git. /x',
    '.config/halter/x',
  ])('%s is never written', (path) => expect(isNeverWritten(path)).toBe(true));

  it.each([
    '.gitignore',
    '.github/workflows/ci.yml',
    'README.md',
    'src/env.ts',
    'a/b',
    '',
    '.',
    'halter',
    '/proc/cpuinfo',
  ])('%s is none of them', (path) =>
    expect([isAutoExecutedPath(path), isSecretPath(path), isNeverWritten(path)]).toEqual([false, false, false]),
  );

  it.each(['/proc/self/environ', '/proc/$PPID/environ', '/proc/1/mem', '/proc/[0-9]*/environ', '/proc/self/fd/3'])(
    '%s holds what belongs to a process',
    (path) => expect(isSecretPath(path)).toBe(true),
  );

  it('knows every name of its own list, in whatever folder and however it is spelled', () => {
    const folder = fc.array(fc.constantFrom('a', 'Ü b', '.', 'x.y'), { maxLength: 4 });
    fc.assert(
      fc.property(
        folder,
        fc.constantFrom(...SECRET_EXAMPLES),
        fc.constantFrom('', '.', ' ', '/'),
        (parts, name, end) => {
          const path = [...parts, name].join('/') + end;
          expect([path, isSecretPath(path)]).toEqual([path, true]);
          expect(isSecretPath(path.toUpperCase())).toBe(true);
        },
      ),
    );
  });
});
