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
  const names = newNames(commands);
  const printed = commands.flatMap(printedText);
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
    into.push(...read, ...renamed(words, names), ...printedFirst(command, words, printed));
    // What a pager, an editor or another variable names is run by whoever reads it.
    lines.push(...command.assignments.filter(({ value }) => !value.dynamic).map(({ value }) => value.text));
    if (ORDERED.test(baseName(words[0] ?? ''))) lines.push(...words.slice(1).flatMap(ordersIn));
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

/** `alias ls=rm` and `hash -p /bin/rm ls` give a command another name. */
const newNames = (commands: readonly ShellCommand[]): Map<string, string[]> => {
  const names = new Map<string, string[]>();
  for (const { words } of commands) {
    const [program = '', ...others] = words.map(({ text }) => text);
    if (program === 'alias') {
      for (const other of others) {
        const [, name, value] = /^([^=]+)=(.*)$/s.exec(other) ?? [];
        if (name !== undefined) names.set(name, (value as string).trim().split(/\s+/));
      }
    }
    const at = others.findIndex((word) => /^-[a-z]*p$/.test(word));
    if (program === 'hash' && at >= 0) {
      const [file, ...given] = others.slice(at + 1);
      if (file !== undefined) for (const name of given) names.set(name, [baseName(file)]);
    }
  }
  return names;
};

const renamed = ([program = '', ...others]: readonly string[], names: ReadonlyMap<string, string[]>): string[][] => {
  const words = names.get(program);
  return words === undefined ? [] : [[...words, ...others]];
};

/** The text that `printf` or `echo` prints, as far as the line says it: `printf %s%s r m` prints `rm`. */
const printedText = ({ words }: ShellCommand): string[] => {
  const [program = '', ...others] = words.map(({ text }) => text);
  if (program === 'echo') return [unescaped(others.filter((word) => !/^-[neE]+$/.test(word)).join(' '))];
  if (program !== 'printf') return [];
  const [format = '', ...values] = others.filter((word) => word !== '--');
  const left = [...values];
  const filled = format.replaceAll(/%[-0-9.]*[A-Za-z]/g, (place) =>
    place.endsWith('c') ? (left.shift() ?? '').slice(0, 1) : (left.shift() ?? ''),
  );
  // The format is used again until no value is left.
  return [unescaped([filled, ...left].join(''))];
};

const unescaped = (text: string): string =>
  text
    .replaceAll(/\\x([0-9a-f]{1,2})/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\0?([0-7]{1,3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))
    .replaceAll(/\\[ntr]/g, ' ');

/** A command whose name is printed by another one of the line. */
const printedFirst = (command: ShellCommand, words: readonly string[], printed: readonly string[]): string[][] => {
  const first = command.words[0];
  if (first?.dynamic !== true || !/[$`]/.test(first.text)) return [];
  const others = words[0] === first.text || !/[A-Za-z]/.test(words[0] ?? '') ? words.slice(1) : words;
  return printed.flatMap((text) => {
    const named = text.trim().split(/\s+/);
    return [
      [...named, ...others],
      [...named, ...command.words.slice(1).map((word) => word.text)],
    ];
  });
};

/** Programs with orders of their own that run a line: `1e rm x` of sed, `+!rm x` of a pager, `exec=rm x` of tar. */
const ORDERED = /^(?:sed|gsed|tar|bsdtar|gtar|less|more|most|man|vi|vim|view|nvim|ex|ed|gdb|sqlite3|psql|mysql|ftp)$/;
const ordersIn = (word: string): string[] => {
  const orders = [
    /^--[\w-]+=(?:exec=)?(.+)$/s,
    /^exec=(.+)$/s,
    /^\+?[:!]*!(.+)$/s,
    /(?:^|[;{}\n\d$])\s*e\s+([^\n]+)/,
    /^s(.)(?:.*?)\1(.*)\1[a-z0-9]*e/s,
    /\.(?:shell|system)\s+(.+)/s,
  ];
  return orders.flatMap((order) => {
    const found = order.exec(word);
    const text = found?.at(-1);
    return text === undefined ? [] : [text.replace(/^["']|["']$/g, '')];
  });
};

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
