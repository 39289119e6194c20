/**
 * Which definition a name means. Nothing of this is kept: a name is resolved when it is asked for, against the files as
 * they are in the index then, so a change in one file never leaves a wrong link in another.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { importMeans } from './imports.ts';
import { type LanguageName, languageNamed } from './languages.ts';

export type Certainty = 'certain' | 'likely' | 'possible';
export type SymbolRow = {
  id: number;
  file: number;
  path: string;
  language: string;
  name: string;
  full_name: string;
  kind: string;
  parent: number | null;
  line_start: number;
  line_end: number;
};
export type FileRow = { id: number; path: string; language: LanguageName };
export type ImportRow = { file: number; module: string; names: { name: string; as: string }[]; line: number };
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

export const SYMBOL_COLUMNS = `symbols.id AS id, symbols.file AS file, files.path AS path, files.language AS language,
  names.name AS name, full_name, kind, parent, line_start, line_end`;
export const FROM_SYMBOLS = `FROM symbols JOIN files ON files.id = symbols.file JOIN names ON names.id = symbols.name`;

export type Resolver = {
  fileOf(id: number): FileRow | undefined;
  fileAt(path: string): FileRow | undefined;
  importsOf(file: number): ImportRow[];
  /** The files of the workspace that a module's name means. */
  filesMeant(from: FileRow, module: string): FileRow[];
  named(name: string): SymbolRow[];
  /** `member`: it is called on something, so it means a method more likely than a function. */
  resolve(name: string, from: FileRow, member: boolean): Resolved;
};

/** One of these lives as long as one question: it remembers what it looked up. */
class RememberingResolver implements Resolver {
  readonly #byId: StatementSync;
  readonly #byPath: StatementSync;
  readonly #importRows: StatementSync;
  readonly #byKey: StatementSync;
  readonly #byName: StatementSync;
  readonly #imports = new Map<number, ImportRow[]>();
  readonly #meant = new Map<string, FileRow[]>();
  readonly #candidates = new Map<string, SymbolRow[]>();
  readonly #resolved = new Map<string, Resolved>();
  readonly #files = new Map<number, FileRow | undefined>();

  constructor(database: DatabaseSync, most: number) {
    this.#byId = database.prepare('SELECT id, path, language FROM files WHERE id = ?');
    this.#byPath = database.prepare('SELECT id, path, language FROM files WHERE path = ?');
    this.#importRows = database.prepare('SELECT file, module, names, line FROM imports WHERE file = ?');
    this.#byKey = database.prepare(
      'SELECT id, path, language FROM file_keys JOIN files ON files.id = file_keys.file WHERE key = ? LIMIT 500',
    );
    this.#byName = database.prepare(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE names.name = ? LIMIT ${most}`);
  }

  fileOf(id: number): FileRow | undefined {
    if (!this.#files.has(id)) this.#files.set(id, this.#byId.get(id) as FileRow | undefined);
    return this.#files.get(id);
  }

  importsOf(file: number): ImportRow[] {
    let rows = this.#imports.get(file);
    if (rows === undefined) {
      rows = (this.#importRows.all(file) as (Omit<ImportRow, 'names'> & { names: string })[]).map((row) => ({
        ...row,
        names: JSON.parse(row.names) as ImportRow['names'],
      }));
      this.#imports.set(file, rows);
    }
    return rows;
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

  filesMeant(from: FileRow, module: string): FileRow[] {
    const key = `${from.id} ${module}`;
    let found = this.#meant.get(key);
    if (found === undefined) {
      const rows = [...new Set(this.#keysOf(from, module))].flatMap((word) => this.#byKey.all(word) as FileRow[]);
      const unique = new Map(rows.map((row) => [row.id, row]));
      found = [...unique.values()].filter(
        (row) =>
          familyOf(row.language) === familyOf(from.language) && importMeans(from.language, module, from.path, row.path),
      );
      this.#meant.set(key, found);
    }
    return found;
  }

  named(name: string): SymbolRow[] {
    let rows = this.#candidates.get(name);
    if (rows === undefined) {
      rows = this.#byName.all(name) as SymbolRow[];
      this.#candidates.set(name, rows);
    }
    return rows;
  }

  fileAt(path: string): FileRow | undefined {
    return this.#byPath.get(path) as FileRow | undefined;
  }

  resolve(name: string, from: FileRow, member: boolean): Resolved {
    const key = `${from.id} ${member} ${name}`;
    let found = this.#resolved.get(key);
    if (found === undefined) {
      found = member ? this.#findMember(name, from) : this.#find(name, from);
      this.#resolved.set(key, found);
    }
    return found;
  }

  #filesImported(from: FileRow): Set<number> {
    const meant = this.importsOf(from.id).flatMap(({ module }) => this.filesMeant(from, module));
    return new Set(meant.map(({ id }) => id));
  }

  /** What `name` is in this file, or in a file that it hands on. */
  #exported(name: string, file: FileRow, depth: number): SymbolRow[] {
    const own = this.named(name).filter((row) => row.file === file.id);
    if (own.length > 0 || depth === 0) return own;
    for (const { module, names } of this.importsOf(file.id)) {
      const handed = names.find((entry) => entry.as === name);
      if (names.length > 0 && handed === undefined) continue;
      const wanted = handed && handed.name !== 'default' && handed.name !== '*' ? handed.name : name;
      for (const next of this.filesMeant(file, module)) {
        if (next.id === file.id) continue;
        const found = this.#exported(wanted, next, depth - 1);
        if (found.length > 0) return found;
      }
    }
    return [];
  }

  /** What the thing is on which it is called is not known, so a name is all there is to go by. */
  #findMember(name: string, from: FileRow): Resolved {
    const family = familyOf(from.language);
    const all = this.named(name).filter((row) => familyOf(row.language) === family && row.kind !== 'constant');
    const imported = this.#filesImported(from);
    const near = all.filter((row) => row.file === from.id || imported.has(row.file));
    if (near.length > 0) return { symbols: near, certainty: near.length === 1 ? 'likely' : 'possible' };
    return { symbols: all, certainty: all.length === 1 ? 'likely' : 'possible' };
  }

  #find(name: string, from: FileRow): Resolved {
    const own = this.named(name).filter((row) => row.file === from.id);
    const plain = own.filter((row) => row.kind !== 'method');
    const here = plain.length > 0 || !BARE_METHODS.has(from.language) ? plain : own;
    if (here.length > 0) return { symbols: here, certainty: 'certain' };
    return this.#findImported(name, from) ?? this.#findElsewhere(name, from);
  }

  /** No symbols: it comes from outside the workspace. Undefined: the file imports nothing of that name. */
  #findImported(name: string, from: FileRow): Resolved | undefined {
    let isImported = false;
    for (const { module, names } of this.importsOf(from.id)) {
      const entry = names.find(({ as }) => as === name);
      if (entry === undefined) continue;
      isImported = true;
      const wanted = entry.name === 'default' || entry.name === '*' ? name : entry.name;
      const symbols = this.filesMeant(from, module).flatMap((file) => this.#exported(wanted, file, HANDED_ON));
      if (symbols.length > 0) return { symbols, certainty: 'certain' };
    }
    return isImported ? { symbols: [], certainty: 'certain' } : undefined;
  }

  #findElsewhere(name: string, from: FileRow): Resolved {
    const family = familyOf(from.language);
    const others = this.named(name).filter(
      (row) => familyOf(row.language) === family && (row.kind !== 'method' || BARE_METHODS.has(row.language)),
    );
    if (languageNamed(from.language)?.sharesFolder) {
      const near = others.filter((row) => folderOf(row.path) === folderOf(from.path));
      if (near.length > 0) return { symbols: near, certainty: 'certain' };
    }
    const imports = this.#filesImported(from);
    const within = others.filter((row) => imports.has(row.file));
    if (within.length > 0) return { symbols: within, certainty: within.length === 1 ? 'certain' : 'likely' };
    return { symbols: others, certainty: others.length === 1 ? 'likely' : 'possible' };
  }
}

export const createResolver = (database: DatabaseSync, most: number = CANDIDATES): Resolver =>
  new RememberingResolver(database, most);

const folderKey = (path: string): string => path.split('/').at(-2) ?? '';
