/** What the tables of an index say about names, without deciding what a name means. */
import type { DatabaseSync } from 'node:sqlite';
import { fileKeys } from './imports.ts';
import { SEARCH_LIMITS } from './limits.ts';
import { REFERENCE_KINDS } from './outline.ts';
import { type FileRow, FROM_SYMBOLS, SYMBOL_COLUMNS, type SymbolRow } from './resolve.ts';

export type ReferenceRow = { name: string; file: number; symbol: number; kind: number; line: number };

const CALL = REFERENCE_KINDS.indexOf('call');
export const MEMBER = REFERENCE_KINDS.indexOf('member');
const LIMIT = SEARCH_LIMITS.graphReferences;

const ofKind = (onlyCalls: boolean): string => (onlyCalls ? `AND kind IN (${CALL}, ${MEMBER})` : '');

export class GraphTables {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  #all<Row>(sql: string, ...values: (string | number)[]): Row[] {
    return this.#database.prepare(sql).all(...values) as Row[];
  }

  /** `push`, `Parser.push`; a method may be named as it is called (`parser.push`). */
  symbolsCalled(name: string, file: FileRow | undefined): SymbolRow[] {
    const last = name.split(/\.|::|#/).at(-1) as string;
    const sql = `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE names.name = ? LIMIT ?`;
    const rows = this.#all<SymbolRow>(sql, last, LIMIT);
    const here = file === undefined ? rows : rows.filter((row) => row.file === file.id);
    if (last === name) return here;
    const wanted = name.replaceAll(/::|#/g, '.');
    const exact = here.filter((row) => row.full_name === wanted || row.full_name.endsWith(`.${wanted}`));
    return exact.length > 0 ? exact : here;
  }

  symbolsOf(file: FileRow): SymbolRow[] {
    const sql = `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.file = ? ORDER BY symbols.id`;
    return this.#all<SymbolRow>(sql, file.id);
  }

  symbolAt(id: number): SymbolRow | undefined {
    return this.#all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.id = ?`, id)[0];
  }

  /** These symbols and all that stand inside them. */
  withInside(symbols: readonly SymbolRow[]): number[] {
    const sql = 'SELECT id FROM symbols WHERE file = ? AND line_start >= ? AND line_end <= ? AND id >= ?';
    const rows = symbols.flatMap(({ file, line_start, line_end, id }) =>
      this.#all<{ id: number }>(sql, file, line_start, line_end, id),
    );
    return [...new Set(rows.map(({ id }) => id))];
  }

  contentsOf(symbol: SymbolRow): SymbolRow[] {
    return this.#all<SymbolRow>(
      `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS}
       WHERE parent = ? OR (parent IS NULL AND full_name = ? || '.' || names.name)
       ORDER BY files.path, line_start LIMIT ?`,
      symbol.id,
      symbol.name,
      LIMIT,
    );
  }

  referencesNamed(name: string, onlyCalls: boolean): ReferenceRow[] {
    return this.#all<ReferenceRow>(
      `SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name
       WHERE names.name = ? ${ofKind(onlyCalls)} LIMIT ?`,
      name,
      LIMIT,
    );
  }

  /** References of a file that stand in one of these symbols; 0: outside of all. */
  referencesIn(file: FileRow, within: readonly number[], onlyCalls: boolean): ReferenceRow[] {
    return this.#all<ReferenceRow>(
      `SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name
       WHERE file = ? AND symbol IN (SELECT value FROM json_each(?)) ${ofKind(onlyCalls)} ORDER BY line LIMIT ?`,
      file.id,
      JSON.stringify(within),
      LIMIT,
    );
  }

  /** Files with an import that may mean this file. */
  filesImporting(target: FileRow): number[] {
    const sql = 'SELECT DISTINCT file FROM imports WHERE key = ? LIMIT ?';
    const rows = fileKeys(target.path).flatMap((key) => this.#all<{ file: number }>(sql, key, LIMIT));
    return [...new Set(rows.map(({ file }) => file))];
  }
}
