/** Names of files that a line puts together: of variables, loops, braces and what other commands print. */
import { isSecretPath, SECRET_EXAMPLES } from '../../../core/policy/sensitive-files.ts';
import type { Mention } from '../../../core/policy.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { mayOpenAny, spokenLines } from './code-names.ts';
import { isPrinter, isReader } from './objections/option-tables.ts';
import type { ShellSurroundings } from './surroundings.ts';
import { isNoReader } from './tree-readers.ts';
import type { ShellAssignment, ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings } from './wrappers.ts';

/** Stands for text that only the shell knows. */
const UNKNOWN = '\0';
/** Stands for what the line itself prints: whoever wants a name read that nobody sees puts it together so. */
const PRINTED = UNKNOWN + UNKNOWN;
const NAMES_MAX = 64;

type Line = { commands: readonly ShellCommand[]; loops?: readonly ShellAssignment[] };

/** The first secret that is there and that a command of the line may name so, within `bash -c` and its like too. */
export const composedSecret = (
  { commands, loops = [] }: Line,
  folders: readonly string[],
  { surroundings, analyse }: { surroundings: Pick<ShellSurroundings, 'secretBelow'>; analyse(line: string): Line },
  depth: number = AGENT_LIMITS.shellLinesWithin,
): Mention[] => {
  const values = valuesOf([...commands.flatMap(({ assignments }) => assignments), ...loops], commands);
  const hasDotGlobs = commands.some(({ words }) => words.some(({ text }) => /^(?:dotglob|globdots)$/i.test(text)));
  for (const command of commands) {
    const program = baseName(command.words[0]?.text ?? '');
    const names = namedBy(command, program, values, commands);
    const found = folders.map((folder) => secretNamed(folder, names, { ...surroundings, hasDotGlobs })).find(Boolean);
    if (found !== undefined)
      return [{ about: 'secret', text: `${found} may hold secrets, and ${program} may name it` }];
    const within =
      depth === 0 ? [] : [...deniableReadings(command.words.map(({ text }) => text)).lines, ...spokenLines(command)];
    for (const inner of within) {
      const mentions = composedSecret(analyse(inner), folders, { surroundings, analyse }, depth - 1);
      if (mentions.length > 0) return mentions;
    }
  }
  return [];
};

const namedBy = (
  command: ShellCommand,
  program: string,
  values: Values,
  commands: readonly ShellCommand[],
): string[] => {
  // Code that works out what it opens may open all that is there.
  if (mayOpenAny(command)) return [UNKNOWN];
  if (isPrinter(program) || isNoReader(program)) return [];
  return operandsOf(command)
    .flatMap((word) => (isSubstituted(word) ? aroundSubstitution(word, commands) : namesOf(word.text, values)))
    .filter((name) => /[^\0/]/.test(name) || (isReader(program) && name.includes(PRINTED)))
    .map((name) => (/^(?:docker|podman|nerdctl)$/.test(program) ? baseName(name) : name))
    .filter((name) => !name.startsWith('/') && name.length <= NAME_MAX)
    .concat(program === 'xargs' || program === 'parallel' ? appendedNames(command) : []);
};

/** `xargs -I{} cat {}nv`: a name that is put together of what comes in. */
const appendedNames = ({ words }: ShellCommand): string[] => {
  const at = words.findIndex(({ text }) => /^-I/.test(text));
  const place = at < 0 ? '{}' : words[at]?.text.slice(2) || (words[at + 1]?.text ?? '');
  return words
    .slice(Math.max(at, 0) + 2)
    .flatMap(({ text }) => text.split(/\s+/))
    .filter((text) => text.includes(place) && text !== place && !text.startsWith('-'))
    .map((text) => text.replaceAll(place, UNKNOWN));
};

/** Words that more than one text may stand for. Options and what is written to are none. */
const operandsOf = ({ words, redirections }: ShellCommand): ShellWord[] =>
  [
    ...words.slice(1).filter(({ text }) => !text.startsWith('-')),
    ...redirections.filter(({ operator }) => operator === '<').map(({ target }) => target),
  ].filter(({ text, dynamic, glob }) => dynamic || glob || /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(text));

/** Of a word with a substitution only the rest is known, and not where it stood. */
const isSubstituted = ({ text, dynamic }: ShellWord): boolean => dynamic && !/[$`]/.test(text);

/** Names that other programs list are looked at where those programs are. */
const aroundSubstitution = ({ text, start, end }: ShellWord, commands: readonly ShellCommand[]): string[] => {
  const isPrinted = commands.some(
    (inner) => start < inner.start && inner.start < end && PRINTS.test(inner.words[0]?.text ?? ''),
  );
  if (text === '') return isPrinted ? [PRINTED] : [];
  return [[UNKNOWN, ...[...text].flatMap((letter) => [letter, UNKNOWN])].join('')];
};

const PRINTS = /^(?:\S*\/)?(?:echo|printf)$/;

type Values = ReadonlyMap<string, readonly string[]>;

/** What each variable of the line may be; unknown where the shell makes it of something else. */
const valuesOf = (given: readonly ShellAssignment[], commands: readonly ShellCommand[]): Values => {
  const values = new Map<string, string[]>();
  for (const { words } of commands) {
    const at = words[0]?.text === 'printf' && words[1]?.text === '-v' ? words[2]?.text : undefined;
    if (at !== undefined) values.set(at, [PRINTED]);
  }
  for (const { name, value } of given) {
    const around = isSubstituted(value) ? aroundSubstitution(value, commands) : [value.text];
    const texts = around.length === 0 ? [UNKNOWN] : around.flatMap(bracesOf);
    values.set(name, [...(values.get(name) ?? []), ...texts].slice(0, NAMES_MAX));
  }
  return values;
};

const VARIABLE = /\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/;
/** Substitutions, and variables in a form that changes them. */
const OTHERWISE = /`[^`]*`|\$\([^()]*(?:\([^()]*\)[^()]*)*\)|\$\{(?![A-Za-z_]\w*\})[^{}]*\}|\$[@*#?$!0-9-]/g;

const namesOf = (text: string, values: Values): string[] => {
  let names = [text.replaceAll(OTHERWISE, UNKNOWN).replaceAll(/[?*+@!]\([^()]*\)/g, UNKNOWN)];
  for (let round = 0; round < ROUNDS_MAX && names.some((name) => VARIABLE.test(name)); round += 1)
    names = names.flatMap((name) => filledIn(name, values)).slice(0, NAMES_MAX);
  return names
    .map((name) => name.replaceAll(new RegExp(VARIABLE, 'g'), UNKNOWN))
    .flatMap(bracesOf)
    .slice(0, NAMES_MAX);
};
const ROUNDS_MAX = 8;

const filledIn = (text: string, values: Values): string[] => {
  const [whole, plain, braced] = VARIABLE.exec(text) ?? [];
  if (whole === undefined) return [text];
  const name = plain ?? braced ?? '';
  // The quotes that ended its name are gone: `"$x"nv` stands here as `$xnv`.
  const begins = (each: string): boolean => plain?.startsWith(each) === true;
  const known = values.has(name) ? name : [...values.keys()].find(begins);
  const rest = known === undefined ? '' : name.slice(known.length);
  return (values.get(known ?? '') ?? [UNKNOWN]).map((value) => text.replace(whole, () => value + rest));
};

/** `{.,x}env` is `.env` and `xenv`. A range may be anything. */
const bracesOf = (text: string): string[] => {
  let names = [text];
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    const next = names.flatMap((name) => {
      const [whole, inner = ''] = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/.exec(name) ?? [];
      if (whole === undefined) return [name];
      const choices = inner.includes(',') ? inner.split(',') : [UNKNOWN];
      return choices.map((choice) => name.replace(whole, () => choice));
    });
    if (next.length === names.length && next.every((name, at) => name === names[at])) return names;
    names = next.slice(0, NAMES_MAX);
  }
  return names;
};

type Look = Pick<ShellSurroundings, 'secretBelow'> & { hasDotGlobs: boolean };

const secretNamed = (folder: string, names: readonly string[], look: Look): string | undefined => {
  const isPattern = (name: string): boolean => /[\0*?[]/.test(name);
  const named = names.find((name) => !isPattern(name) && isSecretPath(name));
  if (named !== undefined) return named;
  const patterns = names
    .filter(isPattern)
    .map((name) => patternOf(name.replace(/^(?:\.\.?\/|\0\/)+/, ''), look.hasDotGlobs));
  if (patterns.length === 0) return undefined;
  const couldBe = (path: string): boolean => patterns.some((matches) => matches(path));
  const found = look.secretBelow(folder, '.', couldBe);
  // Too much to be looked at: what the names could be decides.
  return found === '' ? SECRET_EXAMPLES.find(couldBe) : found;
};
const NAME_MAX = 1_000;

type Part = { kind: 'any' | 'star' | 'one' } | { kind: 'letter'; letter: string };

/** As the shell reads it: a glob stands for no slash, and for no dot at the beginning of a name unless it was told to. */
const patternOf = (name: string, hasDotGlobs: boolean): ((path: string) => boolean) => {
  const parts = (name.match(/\0+|\*+|\[[^\]]*\]|./gs) ?? []).map((text): Part => {
    if (text.startsWith(UNKNOWN)) return { kind: 'any' };
    if (text.startsWith('*')) return { kind: 'star' };
    return text === '?' || text.length > 1 ? { kind: 'one' } : { kind: 'letter', letter: text };
  });
  const isRun = (at: number): boolean => parts[at]?.kind === 'any' || parts[at]?.kind === 'star';
  /** The parts that may come next. */
  const open = (at: Iterable<number>): Set<number> => {
    const found = new Set(at);
    for (const each of found) if (isRun(each)) found.add(each + 1);
    return found;
  };
  const stepsOver = (part: Part | undefined, letter: string, isStart: boolean): boolean => {
    if (part === undefined) return false;
    if (part.kind === 'any') return true;
    if (part.kind === 'letter') return part.letter === letter;
    return letter !== '/' && (hasDotGlobs || !isStart || letter !== '.');
  };
  return (path) => {
    let reached = open([0]);
    let isStart = true;
    for (const letter of path) {
      const taken = [...reached].filter((at) => stepsOver(parts[at], letter, isStart));
      reached = open(taken.map((at) => (isRun(at) ? at : at + 1)));
      isStart = letter === '/';
    }
    return reached.has(parts.length);
  };
};
