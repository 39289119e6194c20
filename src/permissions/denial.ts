/** Rules that deny: they hold for every command that a line might run, however it is wrapped, quoted or put together. */
import { matchesWildcard } from '../core/glob.ts';
import { LIMITS } from '../core/limits.ts';
import type { ShellAnalysis, ShellCommand } from './shell-words.ts';
import { deniableReadings } from './shell-wrappers.ts';

export const denies = (
  pattern: string | undefined,
  commands: readonly ShellCommand[],
  line: string,
  analyse: (line: string) => ShellAnalysis,
): boolean => {
  if (pattern === undefined) return true;
  if (pattern.startsWith('=')) return pattern.slice(1).trim() === line.trim();
  const expected = pattern.trim().split(/\s+/);
  return readingsOf(commands, analyse).some((words) => wordsMatch(expected, words));
};

let last: { commands: readonly ShellCommand[]; readings: string[][] } | undefined;
/** The readings of one line are the same for every rule. */
const readingsOf = (commands: readonly ShellCommand[], analyse: (line: string) => ShellAnalysis): string[][] => {
  if (last?.commands === commands) return last.readings;
  const readings: string[][] = [];
  collect(commands, analyse, readings, LIMITS.shellLinesWithin);
  last = { commands, readings };
  return readings;
};

const collect = (
  commands: readonly ShellCommand[],
  analyse: (line: string) => ShellAnalysis,
  into: string[][],
  depth: number,
): void => {
  const known = knownVariables(commands);
  for (const command of commands) {
    if (into.length > LIMITS.shellCommandsConsidered) return;
    const words = command.words.flatMap((word) => {
      if (!word.dynamic) return [word.text];
      const text = word.text.replaceAll(
        /\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?/g,
        (_, name: string) => known.get(name) ?? '',
      );
      return text === word.text ? [text] : text.split(/\s+/).filter((part) => part !== '');
    });
    const { commands: read, lines } = deniableReadings(words);
    into.push(...read);
    // {rm,-rf,x} is a command of three words.
    if (/^\{.*,.*\}$/.test(words[0] ?? ''))
      into.push((words[0] as string).slice(1, -1).split(',').concat(words.slice(1)));
    if (depth > 0) for (const inner of lines) collect(analyse(inner).commands, analyse, into, depth - 1);
  }
};

/** Variables that the line itself gives a known value; `x=rm; $x file` runs rm. */
const knownVariables = (commands: readonly ShellCommand[]): Map<string, string> =>
  new Map(
    commands.flatMap(({ assignments }) =>
      assignments.filter(({ value }) => !value.dynamic).map(({ name, value }) => [name, value.text] as const),
    ),
  );

const wordsMatch = (expected: readonly string[], words: readonly string[]): boolean => {
  const open = expected.at(-1) === '*';
  const fixed = open ? expected.slice(0, -1) : expected;
  if (open ? words.length < fixed.length : words.length !== fixed.length) return false;
  return fixed.every((pattern, index) => {
    const word = words[index] as string;
    // The name of a program may itself be a glob: /bin/r? is /bin/rm.
    return matchesWildcard(pattern, word) || (index === 0 && /[*?]/.test(word) && matchesWildcard(word, pattern));
  });
};
