/**
 * What calls put into files since untrusted content came in. Who runs such a file runs its words, whatever its name is: the
 * log says what they are. Rather a file too many than one too few.
 */
import type { JsonObject } from '../json.ts';
import { possibleCommands } from '../policy/shell-words.ts';
import { type Scalar, scalarsIn } from '../scalars.ts';
import { withoutEnd } from '../without-end.ts';
import { INTERPRETER, redirectedIn } from './command-parts.ts';
import type { ContentSource } from './origin.ts';
import { commandsIn, findsItself, isProse, MOVERS, RUNS_WORDS, runsNothing, TAKES_LISTS } from './runners.ts';
import type { Part } from './values.ts';
import { withoutImports, writtenCommands } from './written-commands.ts';

type File = {
  names: readonly string[];
  /** Its name cannot be read, so that it may be any file. */
  isAnyName: boolean;
  texts: readonly string[];
  /** The same as names are looked for in it. */
  letters: string;
  /** Where all of it is a stranger's. */
  source?: ContentSource;
  /** What in it untrusted content alone held; undefined for more than can be looked at. */
  dictated?: readonly Part[] | undefined;
  /** A runner may find it by itself: it is more than prose and data. */
  isFound: boolean;
  /** The files with words of strangers that it brings to run: itself, and those that it names. */
  brings: Set<File>;
};

export type FileRun = Pick<File, 'names' | 'source' | 'dictated'>;

const PLACE_KEY = /path|file|name|dest|target/i;
const COMMAND_KEY = /command|cmd|script|line|input|text/i;
/** What stood there before. */
const OLD_KEY = /^old/i;
const EXPANDED = /[$`*?[{]/;
const isPlace = ({ key, value }: Scalar): boolean =>
  PLACE_KEY.test(key) && typeof value === 'string' && !/[\r\n]|:\/\//.test(value);

/** Programs that bring a file from elsewhere, whose words nobody has seen. */
const DOWNLOADERS: ReadonlySet<string> = new Set(
  'curl wget aria2c axel http https xh fetch scp sftp rsync git gh hg svn'.split(' '),
);

/** The names of the files that a line brings from elsewhere: those that it is told, and those of the addresses. */
const downloadsIn = (line: string): string[] => {
  const downloads = possibleCommands(line).filter((words) => words.some((word) => DOWNLOADERS.has(word)));
  if (downloads.length === 0) return [];
  const told = downloads.flatMap((words) =>
    words.filter((word, index) => TELLS_NAME.test(words[index - 1] ?? '') && !word.startsWith('-')),
  );
  const addresses = line.match(/(?<![\w.+-])[\w.+-]+:[^\s"'|&;<>()]+/g) ?? [];
  const last = (address: string): string =>
    withoutEnd(address.replace(/[?#].*$/, ''), /\//)
      .replace(/\.git$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return [...placesIn(line), ...told, ...addresses.map(last)];
};
const TELLS_NAME = /^-(?:o|O|P|d|-output|-dir)$/;

const ENDING = /\.[^.]*$/;
/** The last part of a path and its folders, each of which a command may name instead. */
const namesOf = (path: string): string[] =>
  plain(path)
    .split(/[\\/]+/)
    .filter((name) => /[^.]/.test(name));
const plain = (text: string): string =>
  text
    .replaceAll(/["'\\]/g, '')
    .normalize('NFC')
    .toLowerCase();

/** The files that a command line may write: targets of redirections, and what a program is given. */
const placesIn = (line: string): string[] => {
  const operands = possibleCommands(line).flatMap(([program = '', ...rest]) =>
    rest.filter((word) => !word.includes('://') && (MOVERS.has(program) || /[./]/.test(word))),
  );
  return [...redirectedIn(line), ...operands.map((word) => word.replace(/^-[^=]*=?/, ''))].filter(
    (place) => !/^\d?$/.test(place),
  );
};

/** The files of a patch. */
const patchedIn = (text: string): string[] =>
  [...text.matchAll(/^(?:\+\+\+ |\*\*\* (?:Add File|Update File|Move to): )([^\t\r\n]+)/gm)].map(
    ([, name = '']) => name,
  );

/** A name in a variable, or a program that was given its text. */
const mayWriteAnywhere = (line: string): boolean =>
  />[&|]?\s*["']?[^\s"'|&;<>]*[$`*?[{]/.test(line) ||
  commandsIn(line).some(
    ([program = '', ...rest]) =>
      (MOVERS.has(program) && rest.some((word) => /^_|\/_|[*?]/.test(word))) ||
      [program, ...rest].some((word) => INTERPRETER.test(word) && !/^(?:\.|source|[a-z]*sh)$/.test(word)),
  );

export class WrittenFiles {
  readonly #files: File[] = [];
  /** So many were looked at. */
  #seen = 0;
  readonly #isDictated: (part: Part) => boolean;

  constructor(isDictated: (part: Part) => boolean) {
    this.#isDictated = isDictated;
  }

  /** What a call wrote. */
  add(args: JsonObject): void {
    const values = scalarsIn(args).filter(({ key, value }) => typeof value === 'string' && !OLD_KEY.test(key));
    const places = values.filter(isPlace).map(({ value }) => String(value));
    const lines = values.filter(({ key }) => COMMAND_KEY.test(key)).map(({ value }) => String(value));
    const inLines = places.length > 0 ? [] : lines;
    const texts = values.filter((value) => !isPlace(value)).map(({ value }) => withoutImports(String(value)));
    const patched = values.flatMap(({ value }) => patchedIn(String(value)));
    const names = [...places, ...inLines.flatMap(placesIn), ...patched].map(namesOf);
    const isAnyName = places.some((place) => EXPANDED.test(place)) || inLines.some(mayWriteAnywhere);
    this.#files.push({
      names: names.flat(),
      isAnyName,
      isFound: isAnyName || names.some((path) => path.length > 0 && !isProse(path.at(-1) ?? '')),
      texts,
      letters: plain(values.map(({ value }) => value).join('\n')),
      brings: new Set(),
    });
  }

  /** A file that was read outside the folder, or brought from there. */
  addOutside(args: JsonObject, source: ContentSource): void {
    const values = scalarsIn(args).filter(({ value }) => typeof value === 'string');
    const places = values.filter(isPlace).map(({ value }) => String(value));
    const lines = places.length > 0 ? [] : values.filter(({ key }) => COMMAND_KEY.test(key));
    const brought = lines.flatMap(({ value }) => downloadsIn(String(value)));
    const names = [...places, ...brought].flatMap((place) => namesOf(place).slice(-1));
    const isFound = brought.flatMap(namesOf).some((name) => !isProse(name));
    if (names.length > 0)
      this.#files.push({ names, isAnyName: false, isFound, texts: [], letters: '', source, brings: new Set() });
  }

  /** Whose words a call reads again, which were brought into a file that it names. */
  sourceOf(args: JsonObject): ContentSource | undefined {
    const letters = plain(
      scalarsIn(args)
        .map(({ value }) => value)
        .join('\n'),
    );
    return this.#files.find((file) => file.source !== undefined && isNamed(file, letters))?.source;
  }

  /** The files with words of strangers that a command line may run. */
  runBy(line: string): ReadonlySet<FileRun> {
    if (this.#files.length === 0) return new Set();
    const commands = commandsIn(line);
    const runs = !commands.every(runsNothing);
    const finds = commands.some(findsItself);
    const letters = plain(line);
    const isRun = (file: File): boolean =>
      (finds && file.isFound) || (runs && (file.isAnyName || isNamed(file, letters)));
    const takesAny =
      (runs && (EXPANDED.test(line) || TAKES_LISTS.test(line))) ||
      this.#files.some((file) => RUNS_WORDS.test(file.letters) && isRun(file));
    return runs || finds ? this.#broughtBy((file) => takesAny || isRun(file)) : new Set();
  }

  /** Those that a text names which is run as a whole. */
  namedIn(text: string): ReadonlySet<FileRun> {
    const letters = plain(text);
    return this.#broughtBy((file) => isNamed(file, letters));
  }

  /** Those that a program may find which runs the project. */
  found(): ReadonlySet<FileRun> {
    return this.#broughtBy(({ isFound }) => isFound);
  }

  #broughtBy(isMeant: (file: File) => boolean): Set<File> {
    for (; this.#seen < this.#files.length; this.#seen += 1) this.#look(this.#files[this.#seen] as File);
    const bringing = this.#files.filter(({ brings }) => brings.size > 0);
    return new Set(bringing.filter(isMeant).flatMap(({ brings }) => [...brings]));
  }

  #look(file: File): void {
    const parts = file.texts.map(writtenCommands);
    const known = parts.flatMap((each) => each ?? []);
    file.dictated = parts.includes(undefined) ? undefined : known.filter(this.#isDictated);
    const brought = this.#files.slice(0, this.#seen).filter(({ brings }) => brings.size > 0);
    const found = brought.filter((other) => isNamed(other, file.letters)).flatMap(({ brings }) => [...brings]);
    if (file.source !== undefined || file.dictated === undefined || file.dictated.length > 0) found.push(file);
    this.#spread(file, found);
  }

  /** What names it brings the same. Each file does so once, so that many that name each other stay quick. */
  #spread(file: File, found: readonly File[]): void {
    const fresh = found.slice(0, BROUGHT_MAX);
    if (fresh.length === 0 || file.brings.size > 0) return;
    for (const each of fresh) file.brings.add(each);
    for (const other of this.#files.slice(0, this.#seen)) if (isNamed(file, other.letters)) this.#spread(other, fresh);
  }
}

/** One is enough to ask about. */
const BROUGHT_MAX = 8;

/** A shorter name stands inside other words by chance. */
const SHORT_NAME = 4;

/** By its whole name (`-fnotes.md`), without its ending as a word (`lib.notes`). */
const isNamed = ({ names }: File, letters: string): boolean =>
  names.some((name) => {
    const bare = name.replace(ENDING, '');
    if (bare === '' || !letters.includes(bare)) return false;
    if (name.length >= SHORT_NAME && letters.includes(name)) return true;
    const found = wordsOfText(letters);
    return found.has(bare) || (name.length < SHORT_NAME && found.has(`f${bare}`));
  });

/** The same text is asked about once for each file. */
const remembered = new Map<string, ReadonlySet<string>>();
const wordsOfText = (letters: string): ReadonlySet<string> => {
  const known = remembered.get(letters);
  if (known !== undefined) return known;
  const words = new Set(letters.split(NO_LETTERS));
  if (remembered.size >= REMEMBERED_MAX) remembered.clear();
  if (letters.length <= REMEMBERED_CHARACTERS) remembered.set(letters, words);
  return words;
};
const REMEMBERED_MAX = 1_000;
const REMEMBERED_CHARACTERS = 20_000;
const NO_LETTERS = /[^\p{L}\p{N}_]+/u;
