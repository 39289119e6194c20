/** Symbols of an index, and where they are spoken of. */
import type { SQLInputValue } from 'node:sqlite';
import type { IndexTables, ReferenceRow, SymbolRow } from '../../core/index-port.ts';
import type { SqliteStatements } from './statements.ts';

const SYMBOL_COLUMNS = `symbols.id AS id, symbols.file AS file, files.path AS path, files.language AS language,
  names.name AS name, full_name, kind, parent, line_start, line_end`;
const FROM_SYMBOLS = 'FROM symbols JOIN files ON files.id = symbols.file JOIN names ON names.id = symbols.name';
const REFERENCES = 'SELECT names.name AS name, file, symbol, kind, line FROM refs JOIN names ON names.id = refs.name';

const ofKinds = (kinds: readonly number[] | undefined): string =>
  kinds === undefined ? '' : `AND kind IN (${kinds.join(', ')})`;

type SymbolTables = Pick<
  IndexTables,
  | 'symbolsNamed'
  | 'symbolsOf'
  | 'symbolById'
  | 'withInside'
  | 'contentsOf'
  | 'referencesNamed'
  | 'referencesIn'
  | 'referencesBetween'
>;

export const symbolTables = (statements: SqliteStatements): SymbolTables => {
  const symbols = (rest: string, ...values: SQLInputValue[]): SymbolRow[] =>
    statements.all<SymbolRow>(`SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} ${rest}`, ...values);
  return {
    symbolsNamed: async (name, limit) => symbols('WHERE names.name = ? LIMIT ?', name, limit),
    symbolsOf: async (file) => symbols('WHERE symbols.file = ? ORDER BY symbols.id', file),
    symbolById: async (id) => symbols('WHERE symbols.id = ?', id)[0],
    withInside: async ({ file, line_start, line_end, id }) =>
      statements
        .all<{ id: number }>(
          'SELECT id FROM symbols WHERE file = ? AND line_start >= ? AND line_end <= ? AND id >= ?',
          file,
          line_start,
          line_end,
          id,
        )
        .map((row) => row.id),
    contentsOf: async ({ id, name }, limit) =>
      symbols(
        `WHERE parent = ? OR (parent IS NULL AND full_name = ? || '.' || names.name)
         ORDER BY files.path, line_start LIMIT ?`,
        id,
        name,
        limit,
      ),
    referencesNamed: async (name, kinds, limit) =>
      statements.all<ReferenceRow>(`${REFERENCES} WHERE names.name = ? ${ofKinds(kinds)} LIMIT ?`, name, limit),
    referencesIn: async (file, within, kinds, limit) =>
      statements.all<ReferenceRow>(
        `${REFERENCES} WHERE file = ? AND symbol IN (SELECT value FROM json_each(?)) ${ofKinds(kinds)}
         ORDER BY line LIMIT ?`,
        file,
        JSON.stringify(within),
        limit,
      ),
    referencesBetween: async (file, from, to, limit) =>
      statements.all<ReferenceRow>(
        `${REFERENCES} WHERE file = ? AND line BETWEEN ? AND ? LIMIT ?`,
        file,
        from,
        to,
        limit,
      ),
  };
};
