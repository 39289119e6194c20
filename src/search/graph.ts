/** Answers about structure: what is defined where, who calls whom, what a file takes from others. */
import type { FileRow, IndexTables, ReferenceRow, SymbolRow } from '../core/index-port.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { GraphAnswer, GraphQuestion, GraphRelation, GraphRow } from '../core/retrieval-port.ts';
import { GraphTables, MEMBER } from './graph-tables.ts';
import { type Certainty, createResolver, each, type Resolver } from './resolve.ts';

/** A file, and the symbols in it that are meant; 0: what stands outside of all symbols. */
type Scope = { file: FileRow; within: number[] };

/** Answers questions about one index. It may be kept as long as the index is open. */
export class Graph {
  readonly #tables: IndexTables;

  constructor(tables: IndexTables) {
    this.#tables = tables;
  }

  async ask(question: GraphQuestion): Promise<Outcome<GraphAnswer>> {
    if (question.symbol === undefined && question.path === undefined) {
      return failure('validation_failed', 'Name a symbol, a path, or both.');
    }
    const rows = await askGraph(this.#tables, question);
    if (!rows.ok) return rows;
    const unique = distinct(rows.value).sort(bySureness);
    return succeed({ rows: unique.slice(0, question.limit), more: Math.max(0, unique.length - question.limit) });
  }
}

const askGraph = async (index: IndexTables, question: GraphQuestion): Promise<Outcome<GraphRow[]>> => {
  const { relation, symbol, path } = question;
  const tables = new GraphTables(index);
  const resolver = createResolver(index);
  const file = path === undefined ? undefined : await resolver.fileAt(path);
  if (path !== undefined && file === undefined) {
    return failure('not_found', `${path} is not in the index. It may be new, ignored or no text.`);
  }
  const symbols = symbol === undefined ? [] : await tables.symbolsCalled(symbol, file);
  if (symbol !== undefined && symbols.length === 0 && relation !== 'imported_by') {
    const where = path === undefined ? 'in this workspace' : `in ${path}`;
    return failure('not_found', `${symbol} is not defined ${where}.`);
  }
  return succeed(await new GraphQuery({ tables, resolver, question, file, symbols }).rows(relation));
};

type QueryParts = {
  tables: GraphTables;
  resolver: Resolver;
  question: GraphQuestion;
  file: FileRow | undefined;
  symbols: readonly SymbolRow[];
};

/** One question, with what it asks about. */
class GraphQuery {
  readonly #tables: GraphTables;
  readonly #resolver: Resolver;
  readonly #question: GraphQuestion;
  readonly #file: FileRow | undefined;
  readonly #symbols: readonly SymbolRow[];

  constructor({ tables, resolver, question, file, symbols }: QueryParts) {
    this.#tables = tables;
    this.#resolver = resolver;
    this.#question = question;
    this.#file = file;
    this.#symbols = symbols;
  }

  async rows(relation: GraphRelation): Promise<GraphRow[]> {
    switch (relation) {
      case 'defines':
        return (await this.#targets()).map(rowOf);
      case 'contains':
        return this.#contents();
      case 'calls':
        return flat(await this.#scopes(), (scope) => this.#referencesFrom(scope, true));
      case 'references':
        return this.#question.symbol === undefined
          ? flat(await this.#scopes(), (scope) => this.#referencesFrom(scope, false))
          : this.#referencesTo(this.#symbols, false);
      case 'called_by':
        return this.#callers();
      case 'imports':
        return flat(await this.#files(), (file) => this.#importsOf(file));
      case 'imported_by':
        return flat(await this.#files(), (file) => this.#importersOf(file));
      default:
        return relation satisfies never;
    }
  }

  /** The file, where it is asked about as a whole. */
  get #wholeFile(): FileRow | undefined {
    return this.#question.symbol === undefined ? this.#file : undefined;
  }

  /** The definitions that are asked about. */
  async #targets(): Promise<readonly SymbolRow[]> {
    return this.#wholeFile ? this.#tables.symbolsOf(this.#wholeFile) : this.#symbols;
  }

  async #files(): Promise<FileRow[]> {
    if (this.#file) return [this.#file];
    const ids = new Set(this.#symbols.map(({ file }) => file));
    const found = await each([...ids], (id) => this.#resolver.fileOf(id));
    return found.filter((file) => file !== undefined);
  }

  async #scopes(): Promise<Scope[]> {
    const file = this.#wholeFile;
    if (file) return [{ file, within: [0, ...(await this.#tables.symbolsOf(file)).map(({ id }) => id)] }];
    return each(await this.#files(), async (one) => ({
      file: one,
      within: await this.#tables.withInside(this.#symbols.filter((row) => row.file === one.id)),
    }));
  }

  async #contents(): Promise<GraphRow[]> {
    const file = this.#wholeFile;
    const rows = file
      ? (await this.#tables.symbolsOf(file)).filter(({ parent }) => parent === null)
      : await flat(this.#symbols, (symbol) => this.#tables.contentsOf(symbol));
    return rows.map(rowOf);
  }

  async #callers(): Promise<GraphRow[]> {
    const { path } = this.#question;
    return flat(await this.#targets(), async (target) => {
      const rows = await this.#referencesTo([target], true);
      // What calls itself inside the file asked about says nothing about who needs the file.
      return this.#wholeFile ? rows.filter((row) => row.path !== path) : rows;
    });
  }

  /** Where a name stands for one of these symbols; under another name too, where it was imported as that. */
  async #referencesTo(symbols: readonly SymbolRow[], onlyCalls: boolean): Promise<GraphRow[]> {
    const wanted = new Set(symbols.map(({ id }) => id));
    return flat([...(await this.#namesOf(symbols))], async (name) =>
      flat(await this.#tables.referencesNamed(name, onlyCalls), async (reference) => {
        const from = await this.#resolver.fileOf(reference.file);
        if (from === undefined) return [];
        const { symbols: meant, certainty } = await this.#resolver.resolve(name, from, reference.kind === MEMBER);
        return meant.some(({ id }) => wanted.has(id)) ? this.#placeOf(reference, certainty) : [];
      }),
    );
  }

  async #namesOf(symbols: readonly SymbolRow[]): Promise<Set<string>> {
    const names = new Set(symbols.map(({ name }) => name));
    const others = await flat(symbols, async ({ file: id, path, language, name: own }) => {
      const rows = await this.#importRowsMeaning({ id, path, language });
      return rows.flatMap(({ names: brought }) => brought.filter(({ name }) => name === own).map(({ as }) => as));
    });
    for (const name of others) names.add(name);
    return names;
  }

  async #placeOf(reference: ReferenceRow, certainty: Certainty): Promise<GraphRow[]> {
    const file = await this.#resolver.fileOf(reference.file);
    if (file === undefined) return [];
    const symbol = reference.symbol === 0 ? undefined : await this.#tables.symbolAt(reference.symbol);
    const row: GraphRow = symbol ? rowOf(symbol) : { name: file.path, kind: 'file', path: file.path };
    return [{ ...row, line: reference.line, certainty }];
  }

  /** What is named inside these symbols (or at the top of a file), and which definition each name means. */
  async #referencesFrom({ file, within }: Scope, onlyCalls: boolean): Promise<GraphRow[]> {
    const rows = await this.#tables.referencesIn(file, within, onlyCalls);
    const first = new Map(rows.toReversed().map((row) => [row.name, row]));
    const named = rows.filter((row) => first.get(row.name) === row);
    const known: GraphRow[] = [];
    const outside: GraphRow[] = [];
    const meant = await each(named, ({ name, kind }) => this.#resolver.resolve(name, file, kind === MEMBER));
    for (const [at, { symbols, certainty }] of meant.entries()) {
      const { name, line } = named[at] as ReferenceRow;
      if (symbols.length === 0) outside.push({ name, kind: 'outside', line });
      else for (const symbol of symbols) known.push({ ...rowOf(symbol), line, certainty });
    }
    return [...known, ...outside];
  }

  async #importsOf(file: FileRow): Promise<GraphRow[]> {
    return flat(await this.#resolver.importsOf(file.id), async ({ module, line }): Promise<GraphRow[]> => {
      const files = await this.#resolver.filesMeant(file, module);
      return files.length === 0
        ? [{ name: module, kind: 'module', line }]
        : files.map(({ path }) => ({ name: module, kind: 'file', path, line, certainty: 'certain' }));
    });
  }

  async #importersOf(file: FileRow): Promise<GraphRow[]> {
    const { symbol } = this.#question;
    return (await this.#importRowsMeaning(file))
      .filter(({ names }) => symbol === undefined || names.length === 0 || names.some(({ name }) => name === symbol))
      .map(({ from, module, line }) => ({ name: module, kind: 'file', path: from.path, line, certainty: 'certain' }));
  }

  async #importRowsMeaning(target: FileRow) {
    return flat(await this.#tables.filesImporting(target), async (id) => {
      const [from, rows] = await Promise.all([this.#resolver.fileOf(id), this.#resolver.importsOf(id)]);
      if (from === undefined) return [];
      return flat(rows, async (row) => {
        const meant = await this.#resolver.filesMeant(from, row.module);
        return meant.some((file) => file.id === target.id) ? [{ ...row, from }] : [];
      });
    });
  }
}

const flat = async <From, To>(list: readonly From[], work: (item: From) => Promise<To[]>): Promise<To[]> =>
  (await each(list, work)).flat();

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
