/** Rules that deny: they hold for every command that a line might run, however it is wrapped, quoted or put together. */

import { LIMITS } from '../../../core/limits.ts';
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { possibleCommands } from '../../../core/policy/shell-words.ts';
import type { ShellAnalysis, ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings } from './wrappers.ts';

export const denies = (
  pattern: string | undefined,
  commands: readonly ShellCommand[],
  line: string,
  analyse: (line: string) => ShellAnalysis,
): boolean => {
  if (pattern === undefined) return true;
  if (pattern.startsWith('=')) return pattern.slice(1).trim() === line.trim();
  const expected = pattern.trim().split(/\s+/);
  const readings = readingsOf(commands, line, analyse);
  // Nobody writes a line that is too much to be read to its end, except to hide something in it.
  return !readings.complete || readings.commands.some((words) => wordsMatch(expected, words));
};

type Readings = { commands: string[][]; complete: boolean };
let last: { commands: readonly ShellCommand[]; readings: Readings } | undefined;
/** The readings of one line are the same for every rule. */
const readingsOf = (
  commands: readonly ShellCommand[],
  line: string,
  analyse: (line: string) => ShellAnalysis,
): Readings => {
  if (last?.commands === commands) return last.readings;
  const readings: Readings = { commands: [], complete: true };
  collect(commands, line, analyse, readings, LIMITS.shellLinesWithin);
  last = { commands, readings };
  return readings;
};

const collect = (
  commands: readonly ShellCommand[],
  line: string,
  analyse: (line: string) => ShellAnalysis,
  readings: Readings,
  depth: number,
): void => {
  const into = readings.commands;
  const known = knownVariables(commands);
  // Whatever text stands beside a shell may become its input.
  const feeds = commands.some(({ words }) => SHELLS.test(baseName(words[0]?.text ?? '')));
  for (const command of commands) {
    if (into.length > LIMITS.shellCommandsConsidered) {
      readings.complete = false;
      return;
    }
    const words = command.words.flatMap((word) => {
      if (!word.dynamic) return [word.text];
      const text = word.text
        .replaceAll(/\$\(\s*:?\s*\)|``/g, '')
        .replaceAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*|[@*0-9])\}?/g, (_, name: string) => known.get(name) ?? '');
      return text === word.text ? [text] : text.split(/\s+/).filter((part) => part !== '');
    });
    const { commands: read, lines } = deniableReadings(words);
    into.push(...read);
    // {rm,-rf,x} is a command of three words.
    if (/^\{.*,.*\}$/.test(words[0] ?? ''))
      into.push((words[0] as string).slice(1, -1).split(',').concat(words.slice(1)));
    if (feeds) {
      lines.push(...words.slice(1).filter((word) => /\s/.test(word)));
      into.push(words.slice(1), words.slice(2));
    }
    if (depth > 0) for (const inner of lines) collect(analyse(inner).commands, inner, analyse, readings, depth - 1);
  }
  if (feeds) into.push(...possibleCommands(line));
};

const SHELLS = /^(?:ba|da|z|k|mk|a|c|tc|fi)?sh$|^(?:eval|source|\.|at|batch)$/;

/** Variables that the line itself gives a known value; `x=rm; $x file` runs rm. */
const knownVariables = (commands: readonly ShellCommand[]): Map<string, string> =>
  new Map(
    commands.flatMap(({ assignments, words }) => [
      ...assignments.filter(({ value }) => !value.dynamic).map(({ name, value }) => [name, value.text] as const),
      ...(DECLARES.test(words[0]?.text ?? '') ? words.flatMap(declared) : []),
    ]),
  );
const DECLARES = /^(?:export|declare|typeset|readonly|local)$/;
const declared = ({ text, dynamic }: ShellWord): [string, string][] => {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
  return dynamic || name === undefined ? [] : [[name, value as string]];
};

const wordsMatch = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((pattern, index) => {
    const word = words[index] as string;
    if (matchesWildcard(pattern, word)) return true;
    // The name of a program may itself be a glob: /bin/r? is /bin/rm.
    return index === 0 && /[*?[]/.test(word) && matchesWildcard(word.replaceAll(/\[[^\]]+\]/g, '?'), pattern);
  });
};
