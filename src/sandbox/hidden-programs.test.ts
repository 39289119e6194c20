import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { sandboxNote, unseenNote } from '../tools/sandbox-note.ts';
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
    'zsh:1: command not found: own-tool',
    'exec: own-tool: not found',
    'sh: 1: exec: own-tool: not found',
    './build.sh: line 3: own-tool: command not found',
    'build.sh: 3: own-tool: not found',
    'xargs: own-tool: No such file or directory',
    "timeout: failed to run command 'own-tool': No such file or directory",
  ])('is known by what %j says', (output) => {
    expect(hiddenPrograms(`building\n${output}`, PATH)).toEqual([{ name: 'own-tool', file }]);
  });

  it.each([
    'bash: line 1: no-tool-at-all: command not found',
    'bash: line 1: no-program: command not found',
    'sh: not found',
    'bash: line 1: env: command not found',
    'own-tool went well',
    'own-tool: not found',
    'own-tool: No such file or directory',
    'cat: own-tool: No such file or directory',
    'grep: own-tool: No such file or directory',
    'looking for own-tool: not found',
    'error: own-tool: command not found in the registry',
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

  it('is told of a command that ended well too, and of no other', () => {
    const hidden = [{ name: 'own-tool', file: '/home/me/x/own-tool' }];
    expect(unseenNote({ sandbox: { network: false, hidden }, exitCode: 0 })).toContain('--allow-read /home/me/x)]');
    // The failure says it itself.
    expect(unseenNote({ sandbox: { network: false, hidden }, exitCode: 127 })).toBe('');
    expect(unseenNote({ sandbox: { network: false }, exitCode: 0 })).toBe('');
    expect(unseenNote({ sandbox: undefined, exitCode: 0 })).toBe('');
  });
});
