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

/** The first secret that is there and that a command of the line may name so, within `bash -c` and its like too. */
export const composedSecret = (
  { commands, loops = [] }: Line,
  folders: readonly string[],
  {
    surroundings,
    analyse,
  }: { surroundings: Pick<ShellSurroundings, 'secretBelow' | 'leadsTo'>; analyse(line: string): Line },
  depth: number = AGENT_LIMITS.shellLinesWithin,
  hadDotGlobs = false,
): Mention[] => {
  const given = [...commands, ...evaluatedIn(commands, analyse)].flatMap(({ assignments }) => assignments);
  const values = valuesOf([...given, ...loops], commands);
  const hasDotGlobs = hadDotGlobs || commands.some(asksForDotGlobs);
  const hasLinks = commands.some(({ words }) => makesLink(words));
  for (const command of commands) {
    const program = baseName(command.words[0]?.text ?? '');
    const names = namedBy(command, program, values, commands);
    const found = folders
      .map((folder) => secretNamed(folder, names, { ...surroundings, hasDotGlobs, hasLinks }))
      .find(Boolean);
    if (found !== undefined)
      return [{ about: 'secret', text: `${found} may hold secrets, and ${program} may name it` }];
    const within =
      depth === 0 ? [] : [...deniableReadings(command.words.map(({ text }) => text)).lines, ...spokenLines(command)];
    for (const inner of within) {
      const read = analyse(inner);
      const pieced = read.commands.flatMap(({ words }) => words).find((word) => isPieced(word, inner));
      if (pieced !== undefined) return [{ about: 'secret', text: `${pieced.text} may hold secrets` }];
      const mentions = composedSecret(read, folders, { surroundings, analyse }, depth - 1, hasDotGlobs);
      if (mentions.length > 0) return mentions;
    }
  }
  return [];
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
  if (program === 'printf') return printedNames(command, values);
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

/** Names that `printf` puts together: whatever reads them, nobody writes a name of a secret so who does not mean it. */
const printedNames = ({ words }: ShellCommand, values: Values): string[] =>
  formattedText(words)
    .split(/\s+/)
    .flatMap((text) => namesOf(text, values))
    .filter((name) => !/[\0*?[]/.test(name) && isSecretPath(name));

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

type Look = Pick<ShellSurroundings, 'secretBelow' | 'leadsTo'> & { hasDotGlobs: boolean; hasLinks: boolean };

const makesLink = (words: readonly ShellWord[]): boolean =>
  /^(?:ln|mount|link)$/.test(baseName(words[0]?.text ?? '')) ||
  words.some(({ text }) => /\b(?:sym)?link(?:Sync)?\s*\(/.test(text));

/** Where a way leads out, or over a link that the line makes, it may come back to this folder. */
const tailsOf = (name: string): string[] =>
  name
    .split('/')
    .map((_, at, parts) => parts.slice(at).join('/'))
    .filter((tail) => tail === name || /[^\0/]/.test(tail));

const secretNamed = (folder: string, names: readonly string[], look: Look): string | undefined => {
  const isPattern = (name: string): boolean => /[\0*?[]/.test(name);
  const named = names.find(
    (name) => !isPattern(name) && (isSecretPath(name) || isSecretPath(look.leadsTo(folder, name) ?? '')),
  );
  if (named !== undefined) return named;
  const patterns = names
    .filter(isPattern)
    .flatMap((name) => (look.hasLinks || /^(?:\0|\.\.\/)/.test(name) ? tailsOf(name) : [name]))
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
