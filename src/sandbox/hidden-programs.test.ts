import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { sandboxNote } from '../tools/sandbox-note.ts';
import { hiddenPrograms } from './hidden-programs.ts';

let file: string;
let PATH: string;
beforeEach(() => {
  const folder = scratchFolder();
  const bin = path.join(folder, 'bin');
  file = path.join(folder, 'tool', 'own-tool');
  mkdirSync(bin);
  mkdirSync(path.dirname(file));
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  symlinkSync(file, path.join(bin, 'own-tool'));
  writeFileSync(path.join(bin, 'no-program'), '');
  PATH = `/usr/bin:relative:${bin}`;
});

describe('a program that a command in the sandbox does not find', () => {
  it.each([
    'bash: line 1: own-tool: command not found',
    'bash: own-tool: command not found\n',
    '/bin/sh: 1: own-tool: not found',
    'env: ‘own-tool’: No such file or directory',
    "/usr/bin/env: 'own-tool': No such file or directory",
    'zsh: command not found: own-tool',
    'exec: own-tool: not found',
    'own-tool: No such file or directory',
  ])('is known by what %j says', (output) => {
    expect(hiddenPrograms(`building\n${output}`, PATH)).toEqual([{ name: 'own-tool', file }]);
  });

  it.each([
    'bash: line 1: no-tool-at-all: command not found',
    'bash: line 1: no-program: command not found',
    'sh: not found',
    'bash: line 1: env: command not found',
    'own-tool went well',
    '',
  ])('is none where %j is said', (output) => {
    expect(hiddenPrograms(output, PATH)).toEqual([]);
  });

  it('is named with where it lies and what the person can do', () => {
    const note = (at: string): string =>
      sandboxNote({
        sandbox: { network: false, hidden: [{ name: 'own-tool', file: at }] },
        output: 'bash: own-tool: command not found',
      });
    expect(note('/home/me/x/own-tool')).toContain('own-tool is installed at /home/me/x/own-tool');
    expect(note('/home/me/x/own-tool')).toContain('--allow-read /home/me/x)');
    // A command has a /tmp of its own.
    expect(note('/tmp/x/own-tool')).toContain('--add-dir /tmp/x)');
  });
});
