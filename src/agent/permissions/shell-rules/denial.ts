/** Rules that deny: they hold for every command that a line might run, however it is wrapped, quoted or put together. */

import { possibleCommands } from '../../../core/policy/shell-words.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { carriedReadings } from './carriers.ts';
import { hasDeniedOptions } from './denied-options.ts';
import { meansWords } from './denied-words.ts';
import { isLanguage, isShell } from './interpreters.ts';
import { isReader } from './objections/option-tables.ts';
import { AWK } from './scripts.ts';
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
  return (
    !readings.complete ||
    readings.commands.some((words) => meansWords(expected, words) || hasDeniedOptions(expected, words))
  );
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
  collect(commands, line, analyse, readings, AGENT_LIMITS.shellLinesWithin);
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
  const printed = printedTexts(commands);
  // Whatever text stands beside a shell may become its input.
  const feeds = commands.some(({ words }) => runsLines(baseName(words[0]?.text ?? '')) || isMadeHere(words, commands));
  for (const command of commands) {
    if (into.length > AGENT_LIMITS.shellCommandsConsidered) {
      readings.complete = false;
      return;
    }
    for (const words of filledIn(command, printed)) {
      const { commands: read, lines } = readingsOfWords(words);
      into.push(...read, ...renamed(words, names));
      if (depth > 0) for (const inner of lines) collect(analyse(inner).commands, inner, analyse, readings, depth - 1);
    }
    const words = command.words.flatMap((word) => {
      if (!word.dynamic) return [word.text];
      const text = word.text
        .replaceAll(/\$\(\s*:?\s*\)|``/g, '')
        .replaceAll(/\$\{?([A-Za-z_][A-Za-z0-9_]*|[@*0-9])\}?/g, (_, name: string) => known.get(name) ?? '');
      return text === word.text ? [text] : text.split(/\s+/).filter((part) => part !== '');
    });
    const { commands: read, lines } = readingsOfWords(words);
    into.push(...read, ...renamed(words, names));
    // What is printed becomes words of what is run for each.
    if (words.some((word) => FEEDS.test(baseName(word)))) for (const text of printed) into.push(...fed(words, text));
    // What a pager, an editor or another variable names is run by whoever reads it.
    lines.push(
      ...command.assignments.filter(({ value }) => !value.dynamic).map(({ value }) => value.text.replace(/^!/, '')),
    );
    const program = baseName(words[0] ?? '');
    if (ORDERED.test(program)) lines.push(...words.slice(1).flatMap(ordersIn));
    if (EVALUATES.test(program)) lines.push(...words.slice(1).flatMap(substitutedIn));
    // What a program reads may be its orders, unless it is known to do nothing but read.
    if (!isReader(program)) lines.push(...hereStrings(command), ...hereStrings(command).flatMap(ordersIn));
    // os.system("rm x"), and run(["rm", "x"])
    if (runsCode(program))
      for (const word of [...words.slice(1), ...hereStrings(command)]) {
        const texts = [...word.matchAll(QUOTED), ...word.matchAll(QUOTED_OTHERWISE)]
          .slice(0, AGENT_LIMITS.shellPrintedTexts)
          .map(([, , text = '']) => text);
        lines.push(...texts);
        into.push(...texts.map((_, at) => texts.slice(at)));
      }
    // {rm,-rf,x} is a command of three words.
    if (/^\{.*,.*\}$/.test(words[0] ?? ''))
      into.push((words[0] as string).slice(1, -1).split(',').concat(words.slice(1)));
    if (feeds) {
      lines.push(...words.slice(1).filter((word) => /\s/.test(word)));
      into.push(words.slice(1), words.slice(2));
    }
    if (depth > 0) for (const inner of lines) collect(analyse(inner).commands, inner, analyse, readings, depth - 1);
  }
  if (!feeds) return;
  into.push(...possibleCommands(line));
  // What is printed is what the shell gets.
  if (depth > 0) for (const text of printed) collect(analyse(text).commands, text, analyse, readings, depth - 1);
};

const readingsOfWords = (words: readonly string[]): { commands: string[][]; lines: string[] } => {
  const { commands, lines } = deniableReadings(words);
  const carried = [...commands].map(carriedReadings);
  return {
    commands: [...commands, ...carried.flatMap((each) => each.commands)],
    lines: [...lines, ...carried.flatMap((each) => each.lines)],
  };
};

const FEEDS = /^(?:xargs|parallel)$/;
const fed = (words: readonly string[], text: string): string[][] =>
  deniableReadings([...words, ...text.trim().split(/\s+/)]).commands.slice(1);

const runsCode = (program: string): boolean =>
  isLanguage(program) || AWK.test(program) || /^(?:zx|exiftool|m4)$/.test(program);
/** Forms of Perl and Ruby: `%x(rm x)`, `qw(rm x)`. */
const QUOTED_OTHERWISE = /(%x|%w|%W|\bqx|\bqw|\bqq?|\(syscmd)\s*[({[<|/!]?\s*([^)}\]>|/!]*)/g;
const QUOTED = /(['"`])((?:(?!\1)[^\\]|\\.)*)\1/gs;
/** A program that the line itself writes. */
const isMadeHere = ([program]: readonly ShellWord[], commands: readonly ShellCommand[]): boolean =>
  program?.text.includes('/') === true &&
  commands.some(({ redirections }) =>
    redirections.some(
      ({ operator, target }) => operator.includes('>') && baseName(target.text) === baseName(program.text),
    ),
  );
const runsLines = (program: string): boolean => isShell(program) || /^(?:eval|source|\.)$/.test(program);

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
    // A copy of a program, or a link to one.
    if (COPIES.test(baseName(program))) {
      const plain = others.filter((word) => !word.startsWith('-'));
      const [from, to] = [plain[0], plain.at(-1)];
      if (from !== undefined && to !== undefined && plain.length === 2)
        names.set(to, [baseName(from)]).set(baseName(to), [baseName(from)]);
    }
    const at = others.findIndex((word) => /^-[a-z]*p$/.test(word));
    if (program === 'hash' && at >= 0) {
      const [file, ...given] = others.slice(at + 1);
      if (file !== undefined) for (const name of given) names.set(name, [baseName(file)]);
    }
  }
  return names;
};

const COPIES = /^(?:cp|ln|mv|install)$/;

const renamed = ([program = '', ...others]: readonly string[], names: ReadonlyMap<string, string[]>): string[][] => {
  const words = names.get(program) ?? names.get(program.replace(/^(?:\.\/)+/, ''));
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

/** What the line prints, and what comes of it where the line decodes. */
const printedTexts = (commands: readonly ShellCommand[]): string[] => {
  const texts = commands.flatMap(printedText).filter((text) => text.trim() !== '');
  const decoders = commands.flatMap(({ words }) => decoderOf(words.map(({ text }) => text)) ?? []);
  const decoded = decoders.flatMap((decode) =>
    [...texts, ...commands.flatMap(hereStrings)].flatMap((text) => decode(text) ?? []),
  );
  return [...new Set([...texts, ...decoded])].slice(0, AGENT_LIMITS.shellPrintedTexts);
};

const hereStrings = ({ redirections }: ShellCommand): string[] =>
  redirections.flatMap(({ operator, target }) => (operator === '<<<' && !target.dynamic ? [target.text] : []));

/** The program of a line that makes another text of what it reads. */
const decoderOf = ([program = '', ...others]: readonly string[]):
  | ((text: string) => string | undefined)
  | undefined => {
  const name = baseName(program);
  if (/^(?:g?base64|openssl|basenc)$/.test(name) && others.some((word) => /^-(?:[a-zA-Z]*[dD]|-decode)$/.test(word)))
    return (text) => bytesOf(text.trim(), /^[A-Za-z0-9+/=\s]+$/, base64Text);
  if (name === 'xxd' && others.some((word) => /^-[a-z]*r/.test(word)))
    return (text) => bytesOf(text.trim(), /^[0-9a-fA-F\s]+$/, hexText);
  if (name === 'rev') return (text) => [...text.trimEnd()].reverse().join('');
  return undefined;
};
const bytesOf = (text: string, form: RegExp, decode: (text: string) => string): string | undefined =>
  form.test(text) ? decode(text.replaceAll(/\s/g, '')) : undefined;
const base64Text = (text: string): string => Buffer.from(text, 'base64').toString('utf8');
const hexText = (text: string): string => Buffer.from(text, 'hex').toString('utf8');

/** A command with words that the shell makes of what the line prints: the printed text may stand anywhere in a word. */
const filledIn = ({ words }: ShellCommand, printed: readonly string[]): string[][] => {
  if (!words.some(({ dynamic }) => dynamic)) return [];
  const fill = (text: string, at: (known: string) => string): string[] =>
    words.flatMap((word) => {
      if (!word.dynamic) return [word.text];
      const known = word.text.replaceAll(/\$\([^()]*\)|`[^`]*`|\$\{?\w+\}?/g, '');
      return at(known)
        .replace(PRINTED, () => text.trim())
        .split(/\s+/)
        .filter((part) => part !== '');
    });
  return printed.flatMap((text) => [
    fill(text, () => PRINTED),
    fill(text, (known) => known + PRINTED),
    fill(text, (known) => PRINTED + known),
    // r$(printf '')m
    ...(words[0]?.dynamic ? [fill('', (known) => known)] : []),
  ]);
};
/** Where a printed text goes; no line holds it. */
const PRINTED = '\0';

/** Programs with orders of their own that run a line: `1e rm x` of sed, `+!rm x` of a pager, `exec=rm x` of tar. */
const ORDERED =
  /^(?:sed|gsed|tar|bsdtar|gtar|less|more|most|man|vi|vim|view|nvim|ex|ed|gdb|sqlite3|psql|mysql|mariadb|ftp|lftp|expect|dc|bc|m4|crontab|make|gmake|convert|magick|mogrify|identify|composite|montage|gm|gnuplot|octave)$/;
/** Parts of the shell that work out a word, even one that is quoted. */
const EVALUATES = /^(?:test|\[|let|declare|typeset|local|export|readonly|unset|read|printf)$/;
const substitutedIn = (word: string): string[] =>
  [...word.matchAll(/\$\(([^()]*)\)|`([^`]*)`/g)].map(([, one, other]) => one ?? other ?? '');
const ordersIn = (word: string): string[] => {
  const orders = [
    /^--[\w-]+=(?:exec=)?(.+)$/s,
    /^exec=(.+)$/s,
    /^\+?[:!]*!(.+)$/s,
    /(?:^|[;{}\n\d$])\s*e\s*([^\n]+)/,
    /^\|\s*(.+)$/s,
    /\\!\s*(.+)$/s,
    /\b(?:spawn|exec|system|syscmd|esyscmd|shell)\b[\s("']*([^"')\n]+)/s,
    /(?:^|[\s;:])([^\s;:*@]+ [^;\n]+)$/s,
    /^s(.)(?:.*?)\1(.*)\1[a-z0-9]*e/s,
    /\.(?:shell|system)\s+(.+)/s,
    /^(?:shell|system|sh|!)\s+(.+)$/s,
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
