/** Answers about structure: what is defined where, who calls whom, what a file takes from others. */

import type { DatabaseSync } from 'node:sqlite';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { GraphAnswer, GraphQuestion, GraphRow } from '../core/retrieval-port.ts';
import { fileKeys } from './imports.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { REFERENCE_KINDS } from './outline.ts';
import {
  type Certainty,
  createResolver,
  type FileRow,
  FROM_SYMBOLS,
  type Resolver,
  SYMBOL_COLUMNS,
  type SymbolRow,
} from './resolve.ts';

type ReferenceRow = { name: string; file: number; symbol: number; kind: number; line: number };

const CALL = REFERENCE_KINDS.indexOf('call');
const MEMBER = REFERENCE_KINDS.indexOf('member');

export type Graph = { ask(question: GraphQuestion): Outcome<GraphAnswer> };

export const createGraph = (database: DatabaseSync): Graph => {
  const all = <Row>(sql: string, ...values: (string | number)[]): Row[] =>
    database.prepare(sql).all(...values) as Row[];
  const limit = SEARCH_LIMITS.graphReferences;

  /** `push`, `Parser.push`; a method may be named as it is called (`parser.push`). */
  const symbolsCalled = (name: string, file: FileRow | undefined): SymbolRow[] => {
    const last = name.split(/\.|::|#/).at(-1) as string;
    const rows = all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE names.name = ? LIMIT ?`, last, limit);
    const here = file === undefined ? rows : rows.filter((row) => row.file === file.id);
    if (last === name) return here;
    const wanted = name.replaceAll(/::|#/g, '.');
    const exact = here.filter((row) => row.full_name === wanted || row.full_name.endsWith(`.${wanted}`));
    return exact.length > 0 ? exact : here;
  };
  const symbolsOf = (file: FileRow): SymbolRow[] =>
    all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.file = ? ORDER BY symbols.id`, file.id);
  const symbolAt = (id: number): SymbolRow | undefined =>
    all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.id = ?`, id)[0];

  /** A symbol with all that stands inside it. */
  const withInside = (symbols: readonly SymbolRow[]): number[] => [
    ...new Set(
      symbols.flatMap((symbol) =>
        all<{ id: number }>(
          'SELECT id FROM symbols WHERE file = ? AND line_start >= ? AND line_end <= ? AND id >= ?',
          symbol.file,
          symbol.line_start,
          symbol.line_end,
          symbol.id,
        ).map(({ id }) => id),
      ),
    ),
  ];

  const placeOf = (resolver: Resolver, reference: ReferenceRow, certainty: Certainty): GraphRow[] => {
    const file = resolver.fileOf(reference.file);
    if (file === undefined) return [];
    const symbol = reference.symbol === 0 ? undefined : symbolAt(reference.symbol);
    return [
      {
        ...(symbol === undefined ? { name: file.path, kind: 'file', path: file.path } : rowOf(symbol)),
        line: reference.line,
        certainty,
      },
    ];
  };

  /** Where a name stands for one of these symbols; under another name too, where it was imported as that. */
  const referencesTo = (resolver: Resolver, symbols: readonly SymbolRow[], onlyCalls: boolean): GraphRow[] => {
    const wanted = new Set(symbols.map(({ id }) => id));
    const names = new Set(symbols.map(({ name }) => name));
    for (const symbol of symbols) {
      for (const { names: brought } of importersOf(resolver, symbol)) {
        for (const { name, as } of brought) if (name === symbol.name) names.add(as);
      }
    }
    const kinds = onlyCalls ? `AND kind IN (${CALL}, ${MEMBER})` : '';
    return [...names].flatMap((name) =>
      all<ReferenceRow>(
        `SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name
         WHERE names.name = ? ${kinds} LIMIT ?`,
        name,
        limit,
      ).flatMap((reference) => {
        const from = resolver.fileOf(reference.file);
        if (from === undefined) return [];
        const { symbols: meant, certainty } = resolver.resolve(name, from, reference.kind === MEMBER);
        return meant.some(({ id }) => wanted.has(id)) ? placeOf(resolver, reference, certainty) : [];
      }),
    );
  };
  const importersOf = (resolver: Resolver, symbol: SymbolRow) =>
    importRowsMeaning(resolver, {
      id: symbol.file,
      path: symbol.path,
      language: symbol.language as FileRow['language'],
    });
  const importRowsMeaning = (resolver: Resolver, target: FileRow) =>
    fileKeys(target.path)
      .flatMap((key) => all<{ file: number }>('SELECT DISTINCT file FROM imports WHERE key = ? LIMIT ?', key, limit))
      .filter(({ file }, index, rows) => rows.findIndex((row) => row.file === file) === index)
      .flatMap(({ file }) => {
        const from = resolver.fileOf(file);
        if (from === undefined) return [];
        return resolver
          .importsOf(file)
          .filter(({ module }) => resolver.filesMeant(from, module).some(({ id }) => id === target.id))
          .map((row) => ({ ...row, from }));
      });

  /** What is named inside these symbols (or at the top of a file), and which definition each name means. */
  const referencesFrom = (
    resolver: Resolver,
    file: FileRow,
    within: readonly number[],
    onlyCalls: boolean,
  ): GraphRow[] => {
    const kinds = onlyCalls ? `AND kind IN (${CALL}, ${MEMBER})` : '';
    const rows = all<ReferenceRow>(
      `SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name
       WHERE file = ? AND symbol IN (SELECT value FROM json_each(?)) ${kinds} ORDER BY line LIMIT ?`,
      file.id,
      JSON.stringify(within),
      limit,
    );
    const seen = new Set<string>();
    const known: GraphRow[] = [];
    const outside: GraphRow[] = [];
    for (const { name, kind, line } of rows) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { symbols, certainty } = resolver.resolve(name, file, kind === MEMBER);
      if (symbols.length === 0) outside.push({ name, kind: 'outside', line });
      else for (const symbol of symbols) known.push({ ...rowOf(symbol), line, certainty });
    }
    return [...known, ...outside];
  };

  const importsOf = (resolver: Resolver, file: FileRow): GraphRow[] =>
    resolver.importsOf(file.id).flatMap(({ module, line }): GraphRow[] => {
      const files = resolver.filesMeant(file, module);
      return files.length === 0
        ? [{ name: module, kind: 'module', line }]
        : files.map(({ path }) => ({ name: module, kind: 'file', path, line, certainty: 'certain' }));
    });

  const contents = (symbols: readonly SymbolRow[]): GraphRow[] =>
    symbols.flatMap((symbol) =>
      all<SymbolRow>(
        `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE parent = ? OR (parent IS NULL AND full_name = ? || '.' || names.name)
         ORDER BY files.path, line_start LIMIT ?`,
        symbol.id,
        symbol.name,
        limit,
      ).map(rowOf),
    );

  const rowsOf = ({ relation, symbol, path }: GraphQuestion): Outcome<GraphRow[]> => {
    const resolver = createResolver(database);
    const file = path === undefined ? undefined : resolver.fileAt(path);
    if (path !== undefined && file === undefined) {
      return failure('not_found', `${path} is not in the index. It may be new, ignored or no text.`);
    }
    const symbols = symbol === undefined ? [] : symbolsCalled(symbol, file);
    if (symbol !== undefined && symbols.length === 0 && relation !== 'imported_by') {
      return failure(
        'not_found',
        `${symbol} is not defined ${path === undefined ? 'in this workspace' : `in ${path}`}.`,
      );
    }
    const files = file ? [file] : filesOf(resolver, symbols);
    const scopes = (): [FileRow, number[]][] =>
      symbol === undefined && file
        ? [[file, [0, ...symbolsOf(file).map(({ id }) => id)]]]
        : files.map((each) => [each, withInside(symbols.filter((row) => row.file === each.id))]);
    const targets = (): SymbolRow[] => (symbol === undefined && file ? symbolsOf(file) : symbols);
    switch (relation) {
      case 'defines':
        return succeed(symbol === undefined && file ? symbolsOf(file).map(rowOf) : symbols.map(rowOf));
      case 'contains':
        return succeed(
          symbol === undefined && file
            ? symbolsOf(file)
                .filter(({ parent }) => parent === null)
                .map(rowOf)
            : contents(symbols),
        );
      case 'calls':
        return succeed(scopes().flatMap(([each, within]) => referencesFrom(resolver, each, within, true)));
      case 'references':
        return symbol === undefined
          ? succeed(scopes().flatMap(([each, within]) => referencesFrom(resolver, each, within, false)))
          : succeed(referencesTo(resolver, symbols, false));
      case 'called_by':
        return succeed(
          targets().flatMap((target) => {
            const rows = referencesTo(resolver, [target], true);
            // What calls itself inside the file asked about says nothing about who needs the file.
            return symbol === undefined ? rows.filter((row) => row.path !== path) : rows;
          }),
        );
      case 'imports':
        return succeed(files.flatMap((each) => importsOf(resolver, each)));
      case 'imported_by':
        return succeed(
          (file ? [file] : files).flatMap((each) =>
            importRowsMeaning(resolver, each)
              .filter(
                ({ names }) => symbol === undefined || names.length === 0 || names.some(({ name }) => name === symbol),
              )
              .map(
                ({ from, module, line }): GraphRow => ({
                  name: module,
                  kind: 'file',
                  path: from.path,
                  line,
                  certainty: 'certain',
                }),
              ),
          ),
        );
      default:
        return relation satisfies never;
    }
  };

  return {
    ask(question) {
      if (question.symbol === undefined && question.path === undefined) {
        return failure('validation_failed', 'Name a symbol, a path, or both.');
      }
      const rows = rowsOf(question);
      if (!rows.ok) return rows;
      const unique = distinct(rows.value).sort(bySureness);
      return succeed({ rows: unique.slice(0, question.limit), more: Math.max(0, unique.length - question.limit) });
    },
  };
};

const filesOf = (resolver: Resolver, symbols: readonly SymbolRow[]): FileRow[] =>
  [...new Set(symbols.map(({ file }) => file))].flatMap((id) => resolver.fileOf(id) ?? []);

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
