/** Names of files that a line puts together: of variables, loops, braces and what other commands print. */
import { isSecretPath, SECRET_EXAMPLES } from '../../../core/policy/sensitive-files.ts';
import type { Mention } from '../../../core/policy.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { mayOpenAny, spokenLines } from './code-names.ts';
import { appendsNames, aroundSubstitution, isSubstituted, namesOf, turnsText, valuesOf } from './name-values.ts';
import { isPrinter, isReader } from './objections/option-tables.ts';
import { formattedText } from './printed-text.ts';
import type { ShellSurroundings } from './surroundings.ts';
import { isNoReader } from './tree-readers.ts';
import { PRINTED, UNKNOWN, type Values } from './variable-forms.ts';
import type { ShellAssignment, ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings } from './wrappers.ts';

type Line = { commands: readonly ShellCommand[]; loops?: readonly ShellAssignment[] };

type Around<Needs extends keyof ShellSurroundings> = {
  surroundings: Pick<ShellSurroundings, Needs>;
  analyse(line: string): Line;
};

/** The first secret that is there and that a command of the line may name so, within `bash -c` and its like too. */
export const composedSecret = (
  told: Line,
  folders: readonly string[],
  { surroundings, analyse }: Around<'secretBelow' | 'leadsTo'>,
): Mention[] => {
  const found = firstComposed(told, analyse, {
    named(names, program, flags) {
      const secret = folders.map((folder) => secretNamed(folder, names, { ...surroundings, ...flags })).find(Boolean);
      return secret === undefined ? undefined : `${secret} may hold secrets, and ${program} may name it`;
    },
    within(inner, { commands }) {
      const pieced = commands.flatMap(({ words }) => words).find((word) => isPieced(word, inner));
      return pieced === undefined ? undefined : `${pieced.text} may hold secrets`;
    },
  });
  return found === undefined ? [] : [{ about: 'secret', text: found }];
};

/** The same for a link that leads out of the folder. */
export const composedOutside = (
  told: Line,
  folders: readonly string[],
  { surroundings, analyse }: Around<'linksBelow' | 'isOutside' | 'expand'>,
): string | undefined =>
  firstComposed(told, analyse, {
    named(names, program, flags) {
      const link = folders.map((folder) => linkNamed(folder, names, { ...surroundings, ...flags })).find(Boolean);
      return link === undefined ? undefined : `${link}, and ${program} may name it`;
    },
  });

type Flags = { hasDotGlobs: boolean; hasLinks: boolean };
type Look = {
  /** Of the names that a command may work out. */
  named(names: readonly string[], program: string, flags: Flags): string | undefined;
  /** Of a line that is run within another. */
  within?(inner: string, read: Line): string | undefined;
};

const firstComposed = (
  { commands, loops = [] }: Line,
  analyse: (line: string) => Line,
  look: Look,
  depth: number = AGENT_LIMITS.shellLinesWithin,
  hadDotGlobs = false,
): string | undefined => {
  const given = [...commands, ...evaluatedIn(commands, analyse)].flatMap(({ assignments }) => assignments);
  const values = valuesOf([...given, ...loops], commands);
  const hasDotGlobs = hadDotGlobs || commands.some(asksForDotGlobs);
  const hasLinks = commands.some(({ words }) => makesLink(words));
  for (const command of commands) {
    const program = baseName(command.words[0]?.text ?? '');
    const found = look.named(namedBy(command, program, values, commands), program, { hasDotGlobs, hasLinks });
    if (found !== undefined) return found;
    const within =
      depth === 0 ? [] : [...deniableReadings(command.words.map(({ text }) => text)).lines, ...spokenLines(command)];
    for (const inner of within) {
      const read = analyse(inner);
      const told = look.within?.(inner, read) ?? firstComposed(read, analyse, look, depth - 1, hasDotGlobs);
      if (told !== undefined) return told;
    }
  }
  return undefined;
};

/** A name in pieces within a line of another shell: `sh -c "cat .e''nv"`. */
const isPieced = ({ text, dynamic }: ShellWord, inner: string): boolean =>
  !dynamic && !inner.includes(text) && isSecretPath(text);

/** `eval 'a=(.e*)'` sets a variable of the line itself. */
const evaluatedIn = (commands: readonly ShellCommand[], analyse: (line: string) => Line): readonly ShellCommand[] =>
  commands
    .filter(({ words }) => words[0]?.text === 'eval')
    .flatMap(
      ({ words }) =>
        analyse(
          words
            .slice(1)
            .map(({ text }) => text)
            .join(' '),
        ).commands,
    );

/** Where it names files that a glob leaves out, bash gives it those with a dot. */
const asksForDotGlobs = ({ words, assignments }: ShellCommand): boolean => {
  const says = ({ text }: ShellWord): boolean => /\b(?:dotglob|globdots)\b|^GLOBIGNORE=/i.test(text);
  return words.some(says) || assignments.some(({ name, value }) => name === 'GLOBIGNORE' || says(value));
};

const namedBy = (
  command: ShellCommand,
  program: string,
  values: Values,
  commands: readonly ShellCommand[],
): string[] => {
  // Code that works out what it opens may open all that is there.
  if (mayOpenAny(command)) return [UNKNOWN];
  if (program === 'printf') return printedNames(command, values, commands.some(appendsNames));
  if (isPrinter(program) || isNoReader(program)) return [];
  const namesIn = (word: ShellWord): string[] =>
    isSubstituted(word) ? aroundSubstitution(word, commands) : namesOf(word.text, values);
  const isNamed = (name: string): boolean => /[^\0/]/.test(name);
  return operandsOf(command)
    .flatMap(namesIn)
    .filter((name) => isNamed(name) || (isReader(program) && name.includes(PRINTED)))
    .concat(
      filesOfOptions(command)
        .flatMap(namesIn)
        .filter((name) => isNamed(name) || name.includes(PRINTED)),
    )
    .map((name) => (/^(?:docker|podman|nerdctl)$/.test(program) ? baseName(name) : name))
    .filter((name) => !name.startsWith('/') && name.length <= NAME_MAX)
    .concat(appendsNames(command) && turnsText(commands) ? [UNKNOWN] : [])
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

/**
 * Names that `printf` puts together: whatever reads them, nobody writes a name of a secret so who does not mean it. Others
 * count where another program of the line opens them.
 */
const printedNames = ({ words }: ShellCommand, values: Values, areOpened: boolean): string[] =>
  formattedText(words)
    .split(/\s+/)
    .flatMap((text) => namesOf(text, values))
    .filter((name) => !isPattern(name) && (areOpened || isSecretPath(name)));

/** Options, and fields, whose value is the name of a file: `--add-file=X`, `-F file=@X`; and variables like `HISTFILE`. */
const filesOfOptions = ({ words, assignments }: ShellCommand): ShellWord[] => [
  ...words.slice(1).flatMap((word) => {
    const [, value] = FILE_OPTION.exec(word.text) ?? FILE_FIELD.exec(word.text) ?? [];
    return value === undefined || !word.dynamic ? [] : [{ ...word, text: value }];
  }),
  ...assignments.flatMap(({ name, value }) => (FILE_VARIABLE.test(name) && value.dynamic ? [value] : [])),
];
const FILE_OPTION =
  /^--?(?:[a-z]+-)*(?:file|files|input|source|src|data|form|upload|include|body|config|env|path|load|read|cert|key|netrc|settings|attach|template)=(.*)$/s;
const FILE_FIELD = /^(?:[\w.-]+=[@<]|@|if=|file:\/\/)(.*)$/s;
const FILE_VARIABLE = /^(?!PATH$)(?:[A-Z_]*(?:FILE|FILES|CONFIG|RC|_PATH|_ENV)|ENV)$/;

/** Words that more than one text may stand for. Options and what is written to are none. */
const operandsOf = ({ words, redirections }: ShellCommand): ShellWord[] =>
  [
    ...words.slice(1).filter(({ text }) => !text.startsWith('-')),
    ...redirections.filter(({ operator }) => operator === '<').map(({ target }) => target),
  ].filter(({ text, dynamic, glob }) => dynamic || glob || /\{[^{}]*(?:,|\.\.)[^{}]*\}/.test(text));

const makesLink = (words: readonly ShellWord[]): boolean =>
  /^(?:ln|mount|link)$/.test(baseName(words[0]?.text ?? '')) ||
  words.some(({ text }) => /\b(?:sym)?link(?:Sync)?\s*\(/.test(text));

/** Where a way leads out, or over a link that the line makes, it may come back to this folder. */
const tailsOf = (name: string): string[] =>
  name
    .split('/')
    .map((_, at, parts) => parts.slice(at).join('/'))
    .filter((tail) => tail === name || /[^\0/]/.test(tail));

const secretNamed = (
  folder: string,
  names: readonly string[],
  look: Pick<ShellSurroundings, 'secretBelow' | 'leadsTo'> & Flags,
): string | undefined => {
  const named = names.find(
    (name) => !isPattern(name) && (isSecretPath(name) || isSecretPath(look.leadsTo(folder, name) ?? '')),
  );
  if (named !== undefined) return named;
  const patterns = patternsOf(names.filter(isPattern), look);
  if (patterns.length === 0) return undefined;
  const couldBe = (path: string): boolean => patterns.some(({ matches }) => matches(path));
  const found = look.secretBelow(folder, '.', couldBe);
  // Too much to be looked at: what the names could be decides.
  return found === '' ? SECRET_EXAMPLES.find(couldBe) : found;
};
const isPattern = (name: string): boolean => /[\0*?[]/.test(name);
const patternsOf = (names: readonly string[], { hasLinks, hasDotGlobs }: Flags): Pattern[] =>
  names
    .flatMap((name) => (hasLinks || /^(?:\0|\.\.\/)/.test(name) ? tailsOf(name) : [name]))
    .map((name) => patternOf(name.replace(/^(?:\.\.?\/|\0\/)+/, ''), hasDotGlobs));

/** What is wrong with a name. Those that the shell alone knows may be any of the folder; those of a glob are looked up. */
const linkNamed = (
  folder: string,
  names: readonly string[],
  look: Pick<ShellSurroundings, 'linksBelow' | 'isOutside' | 'expand'> & Flags,
): string | undefined => {
  const plain = names.filter((name) => name !== '' && !isPattern(name));
  const globs = names.filter((name) => isPattern(name) && !name.includes(UNKNOWN) && !look.hasDotGlobs);
  for (const name of [...plain, ...globs.flatMap((glob) => look.expand(folder, glob) ?? [UNKNOWN])]) {
    if (name === UNKNOWN || name.length > NAME_MAX) continue;
    if (look.isOutside(folder, name)) return leadsOutside(name);
  }
  const unknown = names.filter((name) => isPattern(name) && !globs.includes(name));
  const patterns = patternsOf(unknown, look);
  if (patterns.length === 0) return undefined;
  const links = look.linksBelow(folder, '.', (path) =>
    patterns.some(({ matches, leadsInto }) => matches(path) || leadsInto(path)),
  );
  if (links === undefined) return '. holds too many files to be looked at';
  return links.away && leadsOutside(links.away.name);
};
const leadsOutside = (name: string): string => `${name} leads outside this folder`;
const NAME_MAX = 1_000;

type Part = { kind: 'any' | 'star' | 'one' } | { kind: 'letter'; letter: string };

type Pattern = {
  matches(path: string): boolean;
  /** Whether something below the path may match. */
  leadsInto(path: string): boolean;
};

/** As the shell reads it: a glob stands for no slash, and for no dot at the beginning of a name unless it was told to. */
const patternOf = (name: string, hasDotGlobs: boolean): Pattern => {
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
  const reachedBy = (path: string): Set<number> => {
    let reached = open([0]);
    let isStart = true;
    for (const letter of path) {
      const taken = [...reached].filter((at) => stepsOver(parts[at], letter, isStart));
      reached = open(taken.map((at) => (isRun(at) ? at : at + 1)));
      isStart = letter === '/';
    }
    return reached;
  };
  return {
    matches: (path) => reachedBy(path).has(parts.length),
    leadsInto: (path) => reachedBy(`${path}/`).size > 0,
  };
};
