/**
 * Which definition a name means. Nothing of this is kept: a name is resolved when it is asked for, against the files as
 * they are in the index then, so a change in one file never leaves a wrong link in another.
 */
import type { FileRow, ImportRow, IndexTables, SymbolRow } from '../core/index-port.ts';
import { importMeans } from './imports.ts';
import { type LanguageName, languageNamed } from './languages.ts';

export type Certainty = 'certain' | 'likely' | 'possible';
export type Resolved = { symbols: SymbolRow[]; certainty: Certainty };

const CANDIDATES = 200;
/** A name may be handed on by a file that only gathers others; followed this far. */
const HANDED_ON = 4;

const FAMILIES: Readonly<Record<string, string>> = {
  typescript: 'script',
  tsx: 'script',
  javascript: 'script',
  c: 'c',
  cpp: 'c',
};
/** Where a method's name alone calls it. */
const BARE_METHODS: ReadonlySet<string> = new Set(['java', 'cpp']);
const familyOf = (language: string): string => FAMILIES[language] ?? language;
const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

export type Resolver = {
  fileOf(id: number): Promise<FileRow | undefined>;
  fileAt(path: string): Promise<FileRow | undefined>;
  importsOf(file: number): Promise<ImportRow[]>;
  /** The files of the workspace that a module's name means. */
  filesMeant(from: FileRow, module: string): Promise<FileRow[]>;
  named(name: string): Promise<SymbolRow[]>;
  /** `member`: it is called on something, so it means a method more likely than a function. */
  resolve(name: string, from: FileRow, member: boolean): Promise<Resolved>;
};

/** What is looked up once and remembered. */
class Remembered<Key, Value> {
  readonly #found = new Map<Key, Promise<Value>>();

  of(key: Key, find: () => Promise<Value>): Promise<Value> {
    const known = this.#found.get(key) ?? find();
    this.#found.set(key, known);
    return known;
  }
}

/** One of these lives as long as one question: it remembers what it looked up. */
class RememberingResolver implements Resolver {
  readonly #tables: IndexTables;
  readonly #most: number;
  readonly #imports = new Remembered<number, ImportRow[]>();
  readonly #meant = new Remembered<string, FileRow[]>();
  readonly #keyed = new Remembered<string, FileRow[]>();
  readonly #candidates = new Remembered<string, SymbolRow[]>();
  readonly #resolved = new Remembered<string, Resolved>();
  readonly #files = new Remembered<number, FileRow | undefined>();
  readonly #imported = new Remembered<number, ReadonlySet<number>>();

  constructor(tables: IndexTables, most: number) {
    this.#tables = tables;
    this.#most = most;
  }

  fileOf(id: number): Promise<FileRow | undefined> {
    return this.#files.of(id, () => this.#tables.fileById(id));
  }

  fileAt(path: string): Promise<FileRow | undefined> {
    return this.#tables.fileAt(path);
  }

  importsOf(file: number): Promise<ImportRow[]> {
    return this.#imports.of(file, () => this.#tables.importsOf(file));
  }

  #keysOf(from: FileRow, module: string): string[] {
    const last =
      module
        .replace(/\/$/, '')
        .split(/[/\\]|::/)
        .at(-1) ?? module;
    const bare = last.replace(/(?:\.d)?\.[A-Za-z]+$/, '');
    if (from.language === 'python' || from.language === 'java')
      return [module.split('.').at(-1) ?? '', folderKey(from.path)];
    // `.` and `..` mean the folder's own file.
    return /^\.*$/.test(last) ? ['index', folderKey(from.path)] : [bare, last];
  }

  filesMeant(from: FileRow, module: string): Promise<FileRow[]> {
    return this.#meant.of(`${from.id} ${module}`, async () => {
      const keys = [...new Set(this.#keysOf(from, module))];
      const rows = await each(keys, (key) => this.#keyed.of(key, () => this.#tables.filesByKey(key)));
      const unique = new Map(rows.flat().map((row) => [row.id, row]));
      return [...unique.values()].filter(
        (row) =>
          familyOf(row.language) === familyOf(from.language) &&
          importMeans(from.language as LanguageName, module, from.path, row.path),
      );
    });
  }

  named(name: string): Promise<SymbolRow[]> {
    return this.#candidates.of(name, () => this.#tables.symbolsNamed(name, this.#most));
  }

  resolve(name: string, from: FileRow, member: boolean): Promise<Resolved> {
    return this.#resolved.of(`${from.id} ${member} ${name}`, () =>
      member ? this.#findMember(name, from) : this.#find(name, from),
    );
  }

  #filesImported(from: FileRow): Promise<ReadonlySet<number>> {
    return this.#imported.of(from.id, async () => {
      const meant = await each(await this.importsOf(from.id), ({ module }) => this.filesMeant(from, module));
      return new Set(meant.flat().map(({ id }) => id));
    });
  }

  /** What `name` is in this file, or in a file that it hands on. */
  async #exported(name: string, file: FileRow, depth: number): Promise<SymbolRow[]> {
    const own = (await this.named(name)).filter((row) => row.file === file.id);
    if (own.length > 0 || depth === 0) return own;
    for (const { module, names } of await this.importsOf(file.id)) {
      const handed = names.find((entry) => entry.as === name);
      if (names.length > 0 && handed === undefined) continue;
      const wanted = handed && handed.name !== 'default' && handed.name !== '*' ? handed.name : name;
      for (const next of await this.filesMeant(file, module)) {
        if (next.id === file.id) continue;
        const found = await this.#exported(wanted, next, depth - 1);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /** What the thing is on which it is called is not known, so a name is all there is to go by. */
  async #findMember(name: string, from: FileRow): Promise<Resolved> {
    const family = familyOf(from.language);
    const [named, imported] = await Promise.all([this.named(name), this.#filesImported(from)]);
    const all = named.filter((row) => familyOf(row.language) === family && row.kind !== 'constant');
    const near = all.filter((row) => row.file === from.id || imported.has(row.file));
    if (near.length > 0) return { symbols: near, certainty: near.length === 1 ? 'likely' : 'possible' };
    return { symbols: all, certainty: all.length === 1 ? 'likely' : 'possible' };
  }

  async #find(name: string, from: FileRow): Promise<Resolved> {
    const own = (await this.named(name)).filter((row) => row.file === from.id);
    const plain = own.filter((row) => row.kind !== 'method');
    const here = plain.length > 0 || !BARE_METHODS.has(from.language) ? plain : own;
    if (here.length > 0) return { symbols: here, certainty: 'certain' };
    return (await this.#findImported(name, from)) ?? this.#findElsewhere(name, from);
  }

  /** No symbols: it comes from outside the workspace. Undefined: the file imports nothing of that name. */
  async #findImported(name: string, from: FileRow): Promise<Resolved | undefined> {
    let isImported = false;
    for (const { module, names } of await this.importsOf(from.id)) {
      const entry = names.find(({ as }) => as === name);
      if (entry === undefined) continue;
      isImported = true;
      const wanted = entry.name === 'default' || entry.name === '*' ? name : entry.name;
      const files = await this.filesMeant(from, module);
      const symbols = (await each(files, (file) => this.#exported(wanted, file, HANDED_ON))).flat();
      if (symbols.length > 0) return { symbols, certainty: 'certain' };
    }
    return isImported ? { symbols: [], certainty: 'certain' } : undefined;
  }

  async #findElsewhere(name: string, from: FileRow): Promise<Resolved> {
    const family = familyOf(from.language);
    const others = (await this.named(name)).filter(
      (row) => familyOf(row.language) === family && (row.kind !== 'method' || BARE_METHODS.has(row.language)),
    );
    if (languageNamed(from.language)?.sharesFolder) {
      const near = others.filter((row) => folderOf(row.path) === folderOf(from.path));
      if (near.length > 0) return { symbols: near, certainty: 'certain' };
    }
    const imports = await this.#filesImported(from);
    const within = others.filter((row) => imports.has(row.file));
    if (within.length > 0) return { symbols: within, certainty: within.length === 1 ? 'certain' : 'likely' };
    return { symbols: others, certainty: others.length === 1 ? 'likely' : 'possible' };
  }
}

export const createResolver = (tables: IndexTables, most: number = CANDIDATES): Resolver =>
  new RememberingResolver(tables, most);

/** All at once: a database is asked for them together. */
export const each = <From, To>(list: readonly From[], work: (item: From) => Promise<To>): Promise<To[]> =>
  Promise.all(list.map(work));

const folderKey = (path: string): string => path.split('/').at(-2) ?? '';
