/** Whether a pattern covers a command: its first words fit, and nothing speaks against the rest. */
import { isAutoExecutedPath, isSecretPath } from '../../../core/policy/sensitive-files.ts';
import { isTokenFile } from '../../../core/policy/token-files.ts';
import type { Mention } from '../../../core/policy.ts';
import { isFilter } from './filters.ts';
import { followedObjections } from './followed-links.ts';
import { hiddenPrograms } from './git-runs.ts';
import type { LineFolders } from './line-folders.ts';
import { listing } from './listed-names.ts';
import { isMessage } from './messages.ts';
import { withoutOptionsBefore } from './objections/git.ts';
import { withHarmlessFiles } from './objections/harmless-files.ts';
import { asksForNamesOnly, isPrinter, isReader } from './objections/option-tables.ts';
import { programObjections } from './objections/programs.ts';
import { line, type Objection, spelled } from './objections.ts';
import { globCouldBeSecret, isHarmlessDevice, looksOutside, pathsIn } from './paths.ts';
import { fitsWord, strayAddress } from './pattern-words.ts';
import { scriptsOf } from './scripts.ts';
import type { ShellSurroundings } from './surroundings.ts';
import { changedIn, handingOn, unnamedObjections } from './unnamed-reads.ts';
import {
  PLAIN_WORDS,
  type ShellAnalysis,
  type ShellAssignment,
  type ShellCommand,
  type ShellRedirection,
  type ShellWord,
} from './words.ts';
import { lookThrough } from './wrappers.ts';

export type CommandReading = {
  /** The command itself, looked through what wraps it. */
  command: ShellCommand;
  words: string[];
  /** The same with what wraps it. */
  whole: string[];
  text: string;
  objections: Objection[];
  /** What would run although no word of the line says so. */
  hidden: string[];
  /** It does nothing by itself: it goes to another folder of the workspace, or passes on what another program prints. */
  needsNoRule: boolean;
  /** Where it may run. */
  folders: readonly string[];
  isElsewhere: boolean;
};

/** Files in the line that no rule for every command speaks of. */
export const mentionsOf = (
  readings: readonly CommandReading[],
  line: string,
  surroundings?: Pick<ShellSurroundings, 'leadsTo' | 'tokenAt'>,
): Mention[] => {
  const found = readings.flatMap(({ objections }) =>
    objections.flatMap(({ about, text }) => (about === undefined ? [] : [{ about, text }])),
  );
  // A name within a script, or behind a variable, is one as well.
  const isSecret = (name: string): boolean => {
    if (name.length > LONGEST_PATH) return false;
    // As a word of its own it was judged by what its program does with it.
    const isWord = readings.some(({ words }) => words.includes(name));
    const place = isTokenFile(name) && !isWord ? surroundings?.leadsTo('.', name) : undefined;
    return isSecretPath(name) || (place !== undefined && surroundings?.tokenAt(place) !== undefined);
  };
  const within = [withoutMessages(line, readings), ...textsOtherwise(line, readings)]
    .flatMap((text) => text.split(TOKEN_ENDS))
    .find(isSecret);
  return within === undefined || found.some(({ about }) => about === 'secret')
    ? found
    : [...found, { about: 'secret', text: `${within} may hold secrets` }];
};
/** Words and values that stand in the line in other letters than the program gets: in pieces, behind a backslash. */
const textsOtherwise = (line: string, readings: readonly CommandReading[]): string[] =>
  line === ''
    ? []
    : readings.flatMap(({ command }) => {
        const texts = command.words.map(({ text }) => text);
        return [
          ...command.words.filter((_, at) => !isMessage(texts, at)),
          ...command.assignments.map(({ value }) => value),
        ].flatMap(({ text, dynamic }) => (dynamic || line.includes(text) ? [] : [text]));
      });
const withoutMessages = (line: string, readings: readonly CommandReading[]): string => {
  let rest = line;
  for (const { command, words } of readings)
    for (const [at, { text, dynamic, start, end }] of command.words.entries())
      if (!dynamic && isMessage(words, at) && line.slice(start, end).includes(text))
        rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end);
  return rest;
};
const TOKEN_ENDS = /[\s'"`();|&<>=,:@{}[\]]+/;

export const reasonsAgainst = (
  analysis: Extract<ShellAnalysis, { ok: true }>,
  surroundings: ShellSurroundings,
  folders: LineFolders,
): CommandReading[] => {
  const loops = analysis.loops.flatMap(assignmentObjections);
  const [isHandedOn, isList] = [handingOn(analysis), listing(analysis)];
  return analysis.commands.map((whole) => {
    const around = { surroundings, isHandedOn: isHandedOn(whole), isList: isList(whole), line: analysis.commands };
    const reading = {
      ...readCommand(whole, folders.now, around),
      folders: folders.now,
      isElsewhere: folders.isElsewhere,
    };
    reading.objections.push(...loops);
    const [, target] = reading.command.words;
    if (folders.isLost) reading.objections.push(line(0, 'the folder that it runs in is known to the shell alone'));
    // A rule that names a script, or a project's own commands, speaks of those in the folder it was given for.
    else if (reading.isElsewhere && dependsOnFolder(reading)) {
      reading.objections.push(line(0, `after cd, what ${reading.words[0]} does is for another folder to say`));
    }
    if (reading.words[0] === 'cd' && target !== undefined) {
      if (target.glob) reading.objections.push(line(1, `${target.text} is known to the shell alone`));
      reading.needsNoRule = reading.objections.length === 0;
      folders.enter(whole);
    }
    if (reading.words[0] === 'pushd' && target !== undefined && !/^[-+]/.test(target.text)) folders.enter(whole);
    return reading;
  });
};

/**
 * All but what is known to do the same in every folder: what `npm test` or `make` run, and what an unknown program loads, the
 * folder says. What git runs is looked for in the folder itself.
 */
const dependsOnFolder = ({ words, objections }: CommandReading): boolean => {
  const program = words[0] ?? '';
  if (program === '' || objections.some(({ names }) => names === true && program !== 'git')) return program !== '';
  return !isReader(program) && !SAME_EVERYWHERE.has(program);
};
const SAME_EVERYWHERE: ReadonlySet<string> = new Set(
  (
    'cd git test [ printf sed awk gawk mawk tee touch mkdir cp mv rm rmdir ln chmod chown truncate install split sleep kill ps ' +
    'tar zip unzip gzip gunzip bzip2 bunzip2 xz unxz zstd unzstd curl wget ssh scp sftp rsync gcc g++ cc c++ clang clang++'
  ).split(' '),
);

/** `line`: the commands of the whole line. */
type Around = { surroundings: ShellSurroundings; isHandedOn: boolean; isList: boolean; line: readonly ShellCommand[] };

const readCommand = (
  whole: ShellCommand,
  folders: readonly string[],
  { surroundings, isHandedOn, isList, line: commands }: Around,
): Omit<CommandReading, 'folders' | 'isElsewhere'> => {
  const unwrapped = lookThrough(whole);
  const command = withoutOptionsOfGit(unwrapped?.command ?? whole);
  const words = command.words.map(({ text }) => text);
  const program = words[0] ?? '';
  const objections = [
    ...whole.assignments.flatMap(assignmentObjections),
    ...whole.redirections.flatMap((redirection) => redirectionObjections(redirection, program, folders, surroundings)),
    ...wordObjections(command, folders, surroundings, commands),
    ...unnamedObjections(words, folders, { surroundings, isHandedOn, isList, isChanged: changedIn(commands) }),
    ...followedObjections(words, folders, surroundings),
    ...withHarmlessFiles(command, programObjections(command)).filter(
      ({ file }) =>
        file === undefined || !folders.every((each) => surroundings.carriesNothing(each, file.name, file.kind)),
    ),
  ];
  if (unwrapped === undefined) objections.push(line(0, `the options of ${program} are not understood`));
  if (command.words.length === 0 && whole.assignments.length === 0) objections.push(line(0, 'it opens a file'));
  const hidden = hiddenPrograms(whole, commands, folders, surroundings);
  objections.push(...hidden.map((text) => line(0, text)));
  // A bare assignment of a harmless variable runs nothing.
  const needsNoRule = objections.length === 0 && (words.length === 0 || isFilter(whole));
  return {
    command,
    words,
    whole: whole.words.map(({ text }) => text),
    text: words.join(' '),
    objections,
    hidden,
    needsNoRule,
  };
};

const withoutOptionsOfGit = (command: ShellCommand): ShellCommand =>
  command.words[0]?.text === 'git' ? withoutOptionsBefore(command) : command;

/** Variables that only say how something is shown, or that no program hears of unless it is exported. */
const HARMLESS_VARIABLES =
  /^(?:LANG|LC_[A-Z]+|LANGUAGE|TZ|TERM|COLUMNS|LINES|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|CI|NODE_ENV|RUST_BACKTRACE|RUST_LOG|PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|GIT_TERMINAL_PROMPT|GIT_OPTIONAL_LOCKS|[a-z][a-z0-9]{0,15})$/;
const HARMLESS_VALUE = /^[\w.,@+=-]*$/;

const assignmentObjections = ({ name, value }: ShellAssignment): Objection[] =>
  HARMLESS_VARIABLES.test(name) && !value.dynamic && HARMLESS_VALUE.test(value.text)
    ? []
    : [line(0, `${name}=… may change what is run`)];

const redirectionObjections = (
  { operator, target }: ShellRedirection,
  program: string,
  folders: readonly string[],
  surroundings: ShellSurroundings,
): Objection[] => {
  if (operator === '<<' || operator === '<<-') return [];
  if (target.dynamic) return [line(0, `where ${operator} leads is known to the shell alone`)];
  if (operator === '<<<') return [];
  if ((operator === '>&' || operator === '<&') && /^(?:[0-9]|-)$/.test(target.text)) return [];
  if (isHarmlessDevice(target.text)) return [];
  if (operator === '<' && !target.glob) {
    return pathObjections(0, target.text, folders, surroundings, interestOf(program)).map((found) => ({
      ...found,
      ...line(0, found.text),
    }));
  }
  if (operator === '<')
    return [
      line(0, `${target.text} is known to the shell alone`),
      ...expandedObjections(0, target.text, folders, surroundings, interestOf(program)),
    ];
  const written = line(0, `${operator} ${target.text} writes a file`);
  const parts = pathsIn(target.text);
  const places = placesOf(target.text, parts, folders, surroundings);
  const isAutoExecuted =
    parts.some(isAutoExecutedPath) ||
    serverOfPlaces(places, surroundings) !== undefined ||
    places?.some((place) => surroundings.repositoryWrite(place) !== undefined);
  return isAutoExecuted ? [{ ...written, about: 'auto_executed' }] : [written];
};

const wordObjections = (
  command: ShellCommand,
  folders: readonly string[],
  surroundings: ShellSurroundings,
  commands: readonly ShellCommand[],
): Objection[] => {
  const program = command.words[0]?.text ?? '';
  const interest = interestOf(program);
  const printer = isPrinter(program);
  const reads = isReader(program);
  const texts = command.words.map(({ text }) => text);
  const scripts = scriptsOf(texts);
  return command.words.flatMap((word, index): Objection[] => {
    if (index > 0 && printer) return [];
    if (word.dynamic) {
      const printed = program === 'printf' && index > 1;
      return printed || isCount(word, commands) ? [] : [unknown(index, word.text)];
    }
    if (index === 0) {
      return word.glob && word.text !== '[' ? [unknown(0, word.text)] : [];
    }
    // Of a pattern that stands in no quotes the shell may make names of files.
    if (scripts.includes(index) && !(word.glob && reads)) return word.glob ? [unknown(index, word.text)] : [];
    if (isMessage(texts, index)) return [];
    // The command of git is no path.
    if (index === 1 && program === 'git' && GIT_COMMAND.test(word.text)) return [];
    const found = pathObjections(index, word.text, folders, surroundings, interest);
    if (word.glob && !(program === '[' && index === command.words.length - 1))
      found.push(
        ...globObjections(index, word.text, interest),
        ...expandedObjections(index, word.text, folders, surroundings, interest),
      );
    return found;
  });
};

const unknown = (index: number, text: string): Objection => line(index, `${text} is known to the shell alone`);

/** `-j$(nproc)`: a number, whatever it is. */
const isCount = (word: ShellWord, commands: readonly ShellCommand[]): boolean => {
  const inner = commands.filter(({ start }) => word.start < start && start < word.end);
  const isNumber = inner.length === 1 && inner[0]?.words.length === 1 && inner[0].words[0]?.text === 'nproc';
  return isNumber && /^(?:-j|--jobs=|--parallel=)?$/.test(word.text) && word.end - word.start <= COUNT_LENGTH;
};
const COUNT_LENGTH = '--parallel="$(nproc)"'.length;

const GIT_COMMAND = /^[a-z][a-z-]*$/;

/** Whatever the shell makes of its value, it says which names a search looks at. */
const NAMES_PATTERN = /^--(?:include|exclude|exclude-dir|glob|iglob)=/;

/** Names that the shell puts in place of a glob may begin with a dash, be secret, or lead elsewhere. */
const globObjections = (index: number, glob: string, interest: Interest): Objection[] => {
  const found: Objection[] = [];
  if (/^[*?[]/.test(glob) && interest === 'any') found.push(spelled(index, `${glob} may become an option`));
  if (/^-/.test(glob) && !NAMES_PATTERN.test(glob)) found.push(spelled(index, `${glob} may become another option`));
  if (interest !== 'names' && globCouldBeSecret(glob))
    found.push(spelled(index, `${glob} may name a file with secrets`));
  if (/(?:^|\/)\.[^/]*[*?[]/.test(glob)) found.push(spelled(index, `${glob} may lead outside the workspace`));
  return found;
};

/** The names that the shell puts in place of a glob now: links, and what lies where they lead. */
const expandedObjections = (
  index: number,
  glob: string,
  folders: readonly string[],
  surroundings: ShellSurroundings,
  interest: Interest,
): Objection[] => {
  if (glob.startsWith('-')) return [];
  const found = new Map<Objection['about'], Objection>();
  for (const folder of folders) {
    const names = surroundings.expand(folder, glob);
    if (names === undefined) return [spelled(index, `${glob} stands for too many files to be looked at`)];
    for (const name of names)
      for (const each of pathObjections(index, name, [folder], surroundings, interest))
        if (!found.has(each.about)) found.set(each.about, { ...each, text: `${glob} names ${each.text}` });
  }
  return [...found.values()];
};

/** What a program wants of the files that it is given: their names, what is in them, or anything. */
type Interest = 'names' | 'reads' | 'any';
const interestOf = (program: string): Interest =>
  asksForNamesOnly(program) ? 'names' : isReader(program) ? 'reads' : 'any';

const pathObjections = (
  index: number,
  word: string,
  folders: readonly string[],
  surroundings: ShellSurroundings,
  interest: Interest,
): Objection[] => {
  if (word === '' || isHarmlessDevice(word)) return [];
  if (word.length > LONGEST_PATH) return [spelled(index, 'a word is too long to be judged')];
  const parts = pathsIn(word);
  const found: Objection[] = [];
  const places = placesOf(word, parts, folders, surroundings);
  if (places === undefined) found.push({ ...spelled(index, `${word} lies outside the workspace`), away: word });
  // A harmless name may be a link to what is none, or lie in a folder that was gone to.
  // Of a folder outside, whatever the word is called there.
  const elsewhere = folders
    .filter((folder) => /^\/|^(?:\.\/)?\.\.(?:\/|$)/.test(folder))
    .map((folder) => `${folder}/${word}`);
  const names = [...parts, ...(places ?? []), ...elsewhere];
  if (interest !== 'names' && names.some(isSecretPath))
    found.push({ ...spelled(index, `${word} may hold secrets`), about: 'secret' });
  const token = interest === 'names' ? undefined : tokenOfPlaces(places, surroundings);
  if (token !== undefined) found.push({ ...spelled(index, `${word} holds a key in ${token}`), about: 'secret' });
  if (interest === 'any' && names.some(isAutoExecutedPath))
    found.push({ ...spelled(index, `${word} decides what is run later`), about: 'auto_executed' });
  if (interest === 'any' && places?.some((place) => surroundings.repositoryOf(place) !== undefined))
    found.push({ ...spelled(index, `${word} is a part of a repository of git`), about: 'auto_executed' });
  const server = interest === 'any' ? serverOfPlaces(places, surroundings) : undefined;
  if (server !== undefined)
    found.push({
      ...spelled(index, `${word} is what the MCP server "${server}" is started from`),
      about: 'auto_executed',
    });
  return found;
};

/** Where the parts of a word really lead in the workspace; undefined where one of them leads elsewhere. */
const placesOf = (
  word: string,
  parts: readonly string[],
  folders: readonly string[],
  surroundings: ShellSurroundings,
): string[] | undefined => {
  const away = looksOutside(word, parts);
  if (away && /~|^file:/i.test(word)) return undefined;
  // Of a text of several lines no part is a path by chance.
  if (!away && word.includes('\n')) return [];
  const places: string[] = [];
  for (const part of parts) {
    // What follows the colon of an address is no path.
    if (part.startsWith('//') && word.includes('://')) continue;
    for (const folder of folders) {
      const place = surroundings.leadsTo(folder, part);
      if (place === undefined) return undefined;
      places.push(place);
    }
  }
  return places;
};
/** The setting of one of these files that holds a key. */
const tokenOfPlaces = (
  places: readonly string[] | undefined,
  { tokenAt }: Pick<ShellSurroundings, 'tokenAt'>,
): string | undefined => places?.map(tokenAt).find((token) => token !== undefined);

/** The MCP server that is started from one of these places. */
const serverOfPlaces = (
  places: readonly string[] | undefined,
  { serverStartedFrom }: ShellSurroundings,
): string | undefined => places?.map(serverStartedFrom).find((server) => server !== undefined);

const LONGEST_PATH = 4_096;

type Pattern = { fixed: readonly string[]; literal: readonly boolean[]; open: boolean; wholly: boolean };
const patterns = new Map<string, Pattern>();
const PATTERNS_MAX = 1_000;

const patternOf = (text: string): Pattern => {
  const known = patterns.get(text);
  if (known !== undefined) return known;
  const words = text.trim().split(/\s+/);
  const open = words.at(-1) === '*';
  const fixed = open ? words.slice(0, -1) : words;
  const literal = fixed.map((word) => !/[*?]/.test(word));
  const pattern = { fixed, literal, open, wholly: !open && !literal.includes(false) };
  if (patterns.size >= PATTERNS_MAX) patterns.clear();
  patterns.set(text, pattern);
  return pattern;
};

/** True, or the sentence that says what speaks against it; undefined where the pattern is about something else. */
export const coveredBy = (text: string, reading: CommandReading): true | string | undefined => {
  const { words, whole, objections } = reading;
  if (text.startsWith('=')) return isVeryLine(text.slice(1), reading) ? standsAgainst(objections) : undefined;
  const { fixed, literal, open, wholly } = patternOf(text);
  if (wholly && whole.length === fixed.length && fixed.every((part, index) => part === whole[index])) {
    return standsAgainst(objections);
  }
  if (fixed.length === 0 || (open ? words.length < fixed.length : words.length !== fixed.length)) return undefined;
  for (const [index, part] of fixed.entries()) {
    const word = words[index] as string;
    if (literal[index] ? part !== word : !fitsWord(part, word)) return undefined;
  }
  const stray = open ? strayAddress(fixed, words) : undefined;
  if (stray !== undefined) return `${stray} is another address than the rule names`;
  const standing = objections.find(
    ({ unless, word }) => unless === 'line' || !(wholly || (unless === 'spelled' && literal[word])),
  );
  return standing === undefined ? true : standing.text;
};

/** Where the rule says the whole command, only what it cannot say counts: assignments, files that are written, settings. */
const standsAgainst = (objections: readonly Objection[]): true | string =>
  objections.find(({ unless }) => unless === 'line')?.text ?? true;

/** A yes to one very line is a yes to the same command within another, in the same folder: `npm test` in `npm test | tail`. */
const isVeryLine = (line: string, { command, words, whole, isElsewhere }: CommandReading): boolean =>
  !isElsewhere &&
  PLAIN_WORDS.test(line) &&
  [whole, words].some((own) => own.join(' ') === line) &&
  command.words.every(({ glob, dynamic }) => !glob && !dynamic);
