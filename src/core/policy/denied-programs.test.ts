import { expect, it } from 'vitest';
import { deniedPrograms } from './denied-programs.ts';
import { parseRule } from './rules.ts';

it.each([
  ['bash(rm *)', ['rm']],
  ['bash( rm  * )', ['rm']],
  ['b*(rm *)', ['rm']],
  ['rm', ['rm']],
  ['x86_64-linux-gnu-g++', []],
  ['bash(rm)', []],
  ['bash(rm -rf *)', []],
  ['bash(git push *)', []],
  ['bash(r? *)', []],
  ['bash(/bin/rm *)', []],
  ['write_file(rm *)', []],
  ['ls', []],
  ['bash', []],
  ['mcp__server__rm', []],
  ['*', []],
])('of %s: %j', (text, expected) => {
  const rule = parseRule(text);
  const isTool = (name: string): boolean => name === 'ls' || name === 'bash';
  expect(rule.ok ? deniedPrograms([rule.value], { name: 'bash', isTool }) : []).toEqual(expected);
});
