/** Secrets that a command would read without naming them: below a folder, or in what git prints of its settings. */
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { isSecretPath } from '../../../core/policy/sensitive-files.ts';
import type { Mention } from '../../../core/policy.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { followedObjections } from './followed-links.ts';
import { folderOfGit, printedToken } from './git-tokens.ts';
import { leavesFiles } from './leaves-files.ts';
import { APPENDS, appendedTo, listing } from './listed-names.ts';
import { namesOf, valuesOf } from './name-values.ts';
import { isReader } from './objections/option-tables.ts';
import { line, type Objection } from './objections.ts';
import type { ShellSurroundings } from './surroundings.ts';
import { isNoReader, linkListingOf, type TreeReading, treeReadingOf } from './tree-readers.ts';
import { UNKNOWN } from './variable-forms.ts';
import { wholeFolderOf } from './whole-folders.ts';
import type { ShellAnalysis, ShellAssignment, ShellCommand, ShellWord } from './words.ts';
import { baseName, deniableReadings, gitCommandAt } from './wrappers.ts';

/**
 * `isList`: another program of the line opens the files whose names stand in what the command reads. `namesOf`: what a word
 * with variables of the line may be.
 */
type Place = {
  surroundings: ShellSurroundings;
  isHandedOn: boolean;
  isList: boolean;
  /** Whether the line may change a file of this name, which says what is left out of a package. */
  isChanged?(name: string): boolean;
  /** The words are a part of a command, behind a program that may run them. */
  isPart?: boolean;
  namesOf?(text: string): readonly string[];
};

export const unnamedObjections = (words: readonly string[], folders: readonly string[], place: Place): Objection[] => {
  const found =
    printedSetting(words, folders, place.surroundings) ??
    readBelow(words, folders, place) ??
    sentWhole(words, folders, place);
  return found === undefined ? [] : [{ ...line(0, found), about: 'secret' }];
};

type Around = { surroundings: ShellSurroundings; analyse(line: string): ShellAnalysis };

/** The same for whatever the line runs within another program: `bash -c`, `sudo`, `xargs`. */
export const unnamedMentions = (told: ReadLine, folders: readonly string[], around: Around): Mention[] => {
  const found = firstWithin(told, around, (words, place) => unnamedObjections(words, folders, place)[0]?.text);
  return found === undefined ? [] : [{ about: 'secret', text: found }];
};

/** What lies outside the folder, and is read there through a link that the line does not name. */
export const followedOutside = (told: ReadLine, folders: readonly string[], around: Around): string | undefined =>
  firstWithin(told, around, (words, place) => {
    const followed = followedObjections(words, folders, place.surroundings).find(({ about }) => about === undefined);
    return followed === undefined ? linkListed(words, folders, place) : followed.text;
  });

const linkListed = (words: readonly string[], folders: readonly string[], place: Place): string | undefined => {
  const { surroundings, isHandedOn, isList, namesOf: named = (text) => [text] } = place;
  const reading: Pick<TreeReading, 'operands' | 'reaches'> | undefined = isList
    ? { operands: ['.'], reaches: () => true }
    : linkListingOf(words, isHandedOn);
  if (reading === undefined) return undefined;
  for (const folder of folders)
    for (const operand of reading.operands.flatMap((each) => placesOf(folder, each, named(each), surroundings))) {
      if (surroundings.isOutside(folder, operand)) return `${operand} lies outside this folder`;
      const links = surroundings.linksBelow(folder, operand, reading.reaches);
      if (links === undefined) return `${operand} holds too many files to be looked at`;
      if (links.away !== undefined) return `${links.away.name} leads outside this folder`;
    }
  return undefined;
};

/** What `look` finds first, in the commands of a line and in those that are run within them. */
const firstWithin = (
  { commands, loops = [] }: ReadLine,
  { surroundings, analyse }: Around,
  look: (words: readonly string[], place: Place) => string | undefined,
  depth: number = AGENT_LIMITS.shellLinesWithin,
): string | undefined => {
  const isHandedOn = handingOn({ commands, loops });
  const isList = listing({ commands, loops });
  const isChanged = changedIn(commands);
  const values = valuesOf([...commands.flatMap(({ assignments }) => assignments), ...loops], commands);
  const isHere = commands.some(({ words }) => words.length === 1 && words[0]?.text === 'pwd');
  const named = (text: string): readonly string[] => (text === '' && isHere ? ['.'] : namesOf(text, values));
  for (const command of commands) {
    const { commands: readings, lines } = deniableReadings(command.words.map(({ text }) => text));
    for (const words of readings) {
      const place = {
        surroundings,
        isHandedOn: isHandedOn(command),
        isList: isList(command),
        isPart: words !== readings[0],
        isChanged,
        namesOf: named,
      };
      const found = look(words, place);
      if (found !== undefined) return found;
    }
    if (depth === 0) continue;
    for (const inner of lines) {
      const found = firstWithin(analyse(inner), { surroundings, analyse }, look, depth - 1);
      if (found !== undefined) return found;
    }
  }
  return undefined;
};

/** What was read of a line; the loops are absent where it could not be read without doubt. */
type ReadLine = { commands: readonly ShellCommand[]; loops?: readonly ShellAssignment[] };

/**
 * Says of a command whether a program of the line reads the files that it lists: `find | xargs cat`, `cat $(find)`,
 * `while read f`. What stands in no substitution, and in no line with such a program, is only printed.
 */
export const handingOn = ({ commands, loops = [] }: ReadLine): ((command: ShellCommand) => boolean) => {
  const isTaken = commands.some(({ words }) => takesNames(words));
  const readers = commands.filter(({ words }) => !isNoReader(words[0]?.text ?? ''));
  const filled = [
    ...readers.flatMap(({ words }) => words.slice(1)),
    ...[...commands.flatMap(({ assignments }) => assignments), ...loops].map(({ value }) => value),
  ].filter(({ dynamic }) => dynamic);
  return ({ start }) => isTaken || filled.some((word) => word.start < start && start < word.end);
};

/** Says whether the line writes, moves or takes away a file of that name before or after it is looked at. */
export const changedIn = (commands: readonly ShellCommand[]): ((name: string) => boolean) => {
  const changing = commands.filter(({ words, redirections }) => {
    const texts = words.map(({ text }) => text);
    const isReading = isReader(texts[0] ?? '') && !texts.some((text) => WRITES.test(text));
    return redirections.length > 0 || !(isReading || leavesFiles(texts));
  });
  const words = changing.flatMap((command) => [
    ...command.words
      .slice(1)
      .map((word) => ({ ...word, mayBeAny: word.dynamic && CHANGES.test(command.words[0]?.text ?? '') })),
    ...command.redirections.map(({ target }) => ({ ...target, mayBeAny: target.dynamic })),
  ]);
  return (name) =>
    words.some(
      ({ text, mayBeAny }) =>
        mayBeAny ||
        text.includes(name) ||
        // Of the shell, or of the program where the shell leaves it (`find -name "*ignore" -delete`).
        (/[*?[]/.test(text) && matchesWildcard(baseName(text), name)) ||
        (name === 'package.json' && text === 'pkg'),
    );
};
/** Options with which a program that reads changes files as well: of `sed`, of `find`. */
const WRITES = /^-i|^--in-place|^-(?:delete|exec|execdir|ok|okdir|fprint0?|fprintf|fls)$/;
const CHANGES = /^(?:rm|unlink|mv|cp|ln|install|tee|truncate|sed|dd)$/;

const takesNames = (words: readonly ShellWord[]): boolean => {
  const program = baseName(words[0]?.text ?? '');
  if (/^(?:read|mapfile|readarray|for)$/.test(program)) return true;
  return APPENDS.test(program) && !isNoReader(appendedTo(words));
};

const printedSetting = (
  words: readonly string[],
  folders: readonly string[],
  surroundings: ShellSurroundings,
): string | undefined => {
  if (baseName(words[0] ?? '') !== 'git') return undefined;
  const name = words[gitCommandAt(words)] ?? '';
  if (/^credential(?:-|$)/.test(name)) return `git ${name} prints passwords`;
  if (!/^(?:remote|ls-remote|config|var|diagnose|bugreport)$/.test(name)) return undefined;
  const below = folderOfGit(words);
  for (const folder of folders) {
    const start = below.startsWith('/') ? below : `${folder}/${below}`;
    const key = printedToken(words, surroundings.gitTokens(start));
    if (key !== undefined) return `git ${name} prints ${shownKey(key)}, which holds a key`;
  }
  return undefined;
};
/** The name of a section may be the secret itself. */
const shownKey = (key: string): string => key.replace(/^([^.]+)\..*:\/\/.*\.([^.]+)$/, '$1.….$2');

/** What an operand stands for: the shell puts in what variables hold, and the names of a glob. */
const placesOf = (
  folder: string,
  operand: string,
  names: readonly string[],
  surroundings: ShellSurroundings,
): readonly string[] => {
  const known = /[$`~]/.test(operand) || operand === '' ? names.filter((name) => !name.includes(UNKNOWN)) : [operand];
  return known.flatMap((name) => (/[*?[]/.test(name) ? (surroundings.expand(folder, name) ?? ['.']) : [name]));
};

/** By its own name, or by that of the file that it leads to. */
const isSecretItself = (
  folder: string,
  operand: string,
  { reaches, printsNames }: TreeReading,
  { leadsTo }: ShellSurroundings,
): boolean => {
  const place = leadsTo(folder, operand);
  const found = [operand, place ?? operand].find((name) => isSecretPath(name));
  return found !== undefined && (printsNames === true || reaches(baseName(found)));
};

/** Without what the folder itself says that it is left out. */
const reachOf = (
  { reaches, leaves = [] }: TreeReading,
  folder: string,
  operand: string,
  { surroundings: { leftOutOf }, isChanged }: Place,
): TreeReading['reaches'] => {
  if (leaves.length === 0 || leaves.some((name) => isChanged?.(name))) return reaches;
  const isLeftOut = leftOutOf(folder, operand, leaves);
  return (below) => reaches(below) && !isLeftOut(below);
};

const readBelow = (words: readonly string[], folders: readonly string[], place: Place): string | undefined => {
  const reading: TreeReading | undefined = place.isList
    ? { program: `what ${words[0] ?? 'it'} reads`, operands: ['.'], reaches: (): boolean => true }
    : treeReadingOf(words, place.isHandedOn);
  return reading === undefined ? undefined : secretIn(reading, folders, place);
};

/** A program of no row, where the shape of the command says that it takes the whole folder. */
const sentWhole = (words: readonly string[], folders: readonly string[], place: Place): string | undefined => {
  const found = place.isPart ? undefined : wholeFolderOf(words);
  if (found === undefined) return undefined;
  const { program, operands, unless } = found;
  const { surroundings, namesOf: named = (text) => [text] } = place;
  for (const folder of folders) {
    const places = operands.flatMap((each) => placesOf(folder, each, named(each), surroundings));
    const isTold =
      unless === undefined || places.some((each) => unless.some((kind) => surroundings.isA(kind, folder, each)));
    const taken = { program, operands: isTold ? operands : ['.', ...operands], reaches: (): boolean => true };
    const secret = secretIn(taken, [folder], { ...place, isList: false });
    if (secret !== undefined) return secret;
  }
  return undefined;
};

const secretIn = (reading: TreeReading, folders: readonly string[], place: Place): string | undefined => {
  const { surroundings, isList, namesOf: named = (text) => [text] } = place;
  for (const folder of folders) {
    for (const operand of reading.operands.flatMap((each) => placesOf(folder, each, named(each), surroundings))) {
      const secret = isSecretItself(folder, operand, reading, surroundings)
        ? operand
        : surroundings.secretBelow(folder, operand, reachOf(reading, folder, operand, place));
      if (secret === '' && reading.isHarmlessByName) continue;
      if (secret === '') return `${operand} holds too many files to be looked at`;
      if (secret !== undefined)
        return `${secret} may hold secrets, and ${reading.program} ${isList ? 'may name' : 'would read'} it`;
    }
  }
  return undefined;
};
