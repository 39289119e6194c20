/** Answers about structure: what is defined where, who calls whom, what a file takes from others. */
import type { DatabaseSync } from 'node:sqlite';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { GraphAnswer, GraphQuestion, GraphRelation, GraphRow } from '../core/retrieval-port.ts';
import { GraphTables, MEMBER, type ReferenceRow } from './graph-tables.ts';
import { type Certainty, createResolver, type FileRow, type Resolver, type SymbolRow } from './resolve.ts';

/** A file, and the symbols in it that are meant; 0: what stands outside of all symbols. */
type Scope = { file: FileRow; within: number[] };

/** Answers questions about one index. It prepares nothing, so it may be kept as long as the database is open. */
export class Graph {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  ask(question: GraphQuestion): Outcome<GraphAnswer> {
    if (question.symbol === undefined && question.path === undefined) {
      return failure('validation_failed', 'Name a symbol, a path, or both.');
    }
    const rows = new GraphQuery(this.#database, question).rows();
    if (!rows.ok) return rows;
    const unique = distinct(rows.value).sort(bySureness);
    return succeed({ rows: unique.slice(0, question.limit), more: Math.max(0, unique.length - question.limit) });
  }
}

/** One question: what it asks about, looked up once. */
class GraphQuery {
  readonly #tables: GraphTables;
  readonly #resolver: Resolver;
  readonly #question: GraphQuestion;
  readonly #file: FileRow | undefined;
  readonly #symbols: readonly SymbolRow[];

  constructor(database: DatabaseSync, question: GraphQuestion) {
    const { symbol, path } = question;
    this.#tables = new GraphTables(database);
    this.#resolver = createResolver(database);
    this.#question = question;
    this.#file = path === undefined ? undefined : this.#resolver.fileAt(path);
    this.#symbols = symbol === undefined ? [] : this.#tables.symbolsCalled(symbol, this.#file);
  }

  rows(): Outcome<GraphRow[]> {
    const { relation, symbol, path } = this.#question;
    if (path !== undefined && this.#file === undefined) {
      return failure('not_found', `${path} is not in the index. It may be new, ignored or no text.`);
    }
    if (symbol !== undefined && this.#symbols.length === 0 && relation !== 'imported_by') {
      const where = path === undefined ? 'in this workspace' : `in ${path}`;
      return failure('not_found', `${symbol} is not defined ${where}.`);
    }
    return succeed(this.#rowsOf(relation));
  }

  #rowsOf(relation: GraphRelation): GraphRow[] {
    switch (relation) {
      case 'defines':
        return this.#targets().map(rowOf);
      case 'contains':
        return this.#contents();
      case 'calls':
        return this.#scopes().flatMap((scope) => this.#referencesFrom(scope, true));
      case 'references':
        return this.#question.symbol === undefined
          ? this.#scopes().flatMap((scope) => this.#referencesFrom(scope, false))
          : this.#referencesTo(this.#symbols, false);
      case 'called_by':
        return this.#callers();
      case 'imports':
        return this.#files().flatMap((file) => this.#importsOf(file));
      case 'imported_by':
        return this.#files().flatMap((file) => this.#importersOf(file));
      default:
        return relation satisfies never;
    }
  }

  /** The file, where it is asked about as a whole. */
  get #wholeFile(): FileRow | undefined {
    return this.#question.symbol === undefined ? this.#file : undefined;
  }

  /** The definitions that are asked about. */
  #targets(): readonly SymbolRow[] {
    return this.#wholeFile ? this.#tables.symbolsOf(this.#wholeFile) : this.#symbols;
  }

  #files(): FileRow[] {
    if (this.#file) return [this.#file];
    const ids = new Set(this.#symbols.map(({ file }) => file));
    return [...ids].flatMap((id) => this.#resolver.fileOf(id) ?? []);
  }

  #scopes(): Scope[] {
    const file = this.#wholeFile;
    if (file) return [{ file, within: [0, ...this.#tables.symbolsOf(file).map(({ id }) => id)] }];
    return this.#files().map((each) => ({
      file: each,
      within: this.#tables.withInside(this.#symbols.filter((row) => row.file === each.id)),
    }));
  }

  #contents(): GraphRow[] {
    const file = this.#wholeFile;
    const rows = file
      ? this.#tables.symbolsOf(file).filter(({ parent }) => parent === null)
      : this.#symbols.flatMap((symbol) => this.#tables.contentsOf(symbol));
    return rows.map(rowOf);
  }

  #callers(): GraphRow[] {
    const { path } = this.#question;
    return this.#targets().flatMap((target) => {
      const rows = this.#referencesTo([target], true);
      // What calls itself inside the file asked about says nothing about who needs the file.
      return this.#wholeFile ? rows.filter((row) => row.path !== path) : rows;
    });
  }

  /** Where a name stands for one of these symbols; under another name too, where it was imported as that. */
  #referencesTo(symbols: readonly SymbolRow[], onlyCalls: boolean): GraphRow[] {
    const wanted = new Set(symbols.map(({ id }) => id));
    return [...this.#namesOf(symbols)].flatMap((name) =>
      this.#tables.referencesNamed(name, onlyCalls).flatMap((reference) => {
        const from = this.#resolver.fileOf(reference.file);
        if (from === undefined) return [];
        const { symbols: meant, certainty } = this.#resolver.resolve(name, from, reference.kind === MEMBER);
        return meant.some(({ id }) => wanted.has(id)) ? this.#placeOf(reference, certainty) : [];
      }),
    );
  }

  #namesOf(symbols: readonly SymbolRow[]): Set<string> {
    const names = new Set(symbols.map(({ name }) => name));
    for (const symbol of symbols) {
      const { file: id, path, language } = symbol;
      const target = { id, path, language: language as FileRow['language'] };
      for (const { names: brought } of this.#importRowsMeaning(target)) {
        for (const { name, as } of brought) if (name === symbol.name) names.add(as);
      }
    }
    return names;
  }

  #placeOf(reference: ReferenceRow, certainty: Certainty): GraphRow[] {
    const file = this.#resolver.fileOf(reference.file);
    if (file === undefined) return [];
    const symbol = reference.symbol === 0 ? undefined : this.#tables.symbolAt(reference.symbol);
    const row: GraphRow = symbol ? rowOf(symbol) : { name: file.path, kind: 'file', path: file.path };
    return [{ ...row, line: reference.line, certainty }];
  }

  /** What is named inside these symbols (or at the top of a file), and which definition each name means. */
  #referencesFrom({ file, within }: Scope, onlyCalls: boolean): GraphRow[] {
    const seen = new Set<string>();
    const known: GraphRow[] = [];
    const outside: GraphRow[] = [];
    for (const { name, kind, line } of this.#tables.referencesIn(file, within, onlyCalls)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { symbols, certainty } = this.#resolver.resolve(name, file, kind === MEMBER);
      if (symbols.length === 0) outside.push({ name, kind: 'outside', line });
      else for (const symbol of symbols) known.push({ ...rowOf(symbol), line, certainty });
    }
    return [...known, ...outside];
  }

  #importsOf(file: FileRow): GraphRow[] {
    return this.#resolver.importsOf(file.id).flatMap(({ module, line }): GraphRow[] => {
      const files = this.#resolver.filesMeant(file, module);
      return files.length === 0
        ? [{ name: module, kind: 'module', line }]
        : files.map(({ path }) => ({ name: module, kind: 'file', path, line, certainty: 'certain' }));
    });
  }

  #importersOf(file: FileRow): GraphRow[] {
    const { symbol } = this.#question;
    return this.#importRowsMeaning(file)
      .filter(({ names }) => symbol === undefined || names.length === 0 || names.some(({ name }) => name === symbol))
      .map(({ from, module, line }) => ({ name: module, kind: 'file', path: from.path, line, certainty: 'certain' }));
  }

  #importRowsMeaning(target: FileRow) {
    return this.#tables.filesImporting(target).flatMap((id) => {
      const from = this.#resolver.fileOf(id);
      if (from === undefined) return [];
      return this.#resolver
        .importsOf(id)
        .filter(({ module }) => this.#resolver.filesMeant(from, module).some((meant) => meant.id === target.id))
        .map((row) => ({ ...row, from }));
    });
  }
}

const rowOf = (symbol: SymbolRow): GraphRow => ({
  name: symbol.full_name,
  kind: symbol.kind,
  path: symbol.path,
  line_start: symbol.line_start,
  line_end: symbol.line_end,
});

const distinct = (rows: readonly GraphRow[]): GraphRow[] => [
  ...new Map(
    rows.map((row) => [`${row.name}\n${row.path}\n${row.line_start}\n${row.line}\n${row.kind}`, row]),
  ).values(),
];

const SURENESS: Record<Certainty, number> = { certain: 0, likely: 1, possible: 2 };
/** A stable sort: inside one degree the order stays. */
const bySureness = (a: GraphRow, b: GraphRow): number =>
  SURENESS[a.certainty ?? 'certain'] - SURENESS[b.certainty ?? 'certain'];
