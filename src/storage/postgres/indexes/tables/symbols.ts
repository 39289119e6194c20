/** Symbols of an index, and where they are spoken of. */
import type { IndexTables, ReferenceRow, SymbolRow } from '../../../../core/index-port.ts';
import { storable } from '../words.ts';
import { type IndexQueries, ofEach } from './queries.ts';

const SYMBOL_COLUMNS = `symbols.id::float8 AS id, symbols.file::float8 AS file, path, language, name, full_name, kind,
  parent::float8 AS parent, line_start, line_end`;
const FROM_SYMBOLS = `FROM halter.index_symbols AS symbols
  JOIN halter.index_files AS files ON files.index = symbols.index AND files.id = symbols.file`;
const REFERENCES = `SELECT name, file::float8 AS file, symbol::float8 AS symbol, kind, line
  FROM halter.index_references WHERE index = $1`;

type Lines = { file: number; from: number; to: number; limit: number };
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

export const symbolTables = (queries: IndexQueries): SymbolTables => {
  const symbolsNamed = queries.listed<[name: string, limit: number], SymbolRow>(
    ofEach(
      'text',
      SYMBOL_COLUMNS,
      `${FROM_SYMBOLS} WHERE symbols.index = $1 AND md5(name) = md5(sought) AND name = sought ORDER BY symbols.id LIMIT $3`,
    ),
    (keys) => [keys.map(([name]) => storable(name)), Math.max(...keys.map(([, limit]) => limit))],
  );
  const symbolsById = queries.listed<number, SymbolRow>(
    ofEach('bigint', SYMBOL_COLUMNS, `${FROM_SYMBOLS} WHERE symbols.index = $1 AND symbols.id = sought`),
    (keys) => [keys],
  );
  const referencesBetween = queries.listed<Lines, ReferenceRow>(
    `SELECT asked.at::int AS at, found.*
     FROM unnest($2::bigint[], $3::int[], $4::int[], $5::int[]) WITH ORDINALITY AS asked (file, first, last, most, at),
       LATERAL (${REFERENCES} AND index_references.file = asked.file AND line BETWEEN first AND last
         ORDER BY name, symbol, kind LIMIT most) AS found ORDER BY asked.at`,
    (keys) => [
      keys.map(({ file }) => file),
      keys.map(({ from }) => from),
      keys.map(({ to }) => to),
      keys.map(({ limit }) => limit),
    ],
  );
  return {
    symbolsNamed: async (name, limit) => (await symbolsNamed([name, limit])).slice(0, limit),
    symbolsOf: (file) =>
      queries.all(
        `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS} WHERE symbols.index = $1 AND symbols.file = $2 ORDER BY symbols.id`,
        file,
      ),
    symbolById: async (id) => (await symbolsById(id))[0],
    withInside: async ({ file, line_start, line_end, id }) =>
      (
        await queries.all<{ id: number }>(
          `SELECT id::float8 AS id FROM halter.index_symbols
           WHERE index = $1 AND file = $2 AND line_start >= $3 AND line_end <= $4 AND id >= $5 ORDER BY id`,
          file,
          line_start,
          line_end,
          id,
        )
      ).map((row) => row.id),
    contentsOf: ({ id, name }, limit) =>
      queries.all(
        `SELECT ${SYMBOL_COLUMNS} ${FROM_SYMBOLS}
         WHERE symbols.index = $1 AND (parent = $2 OR (parent IS NULL AND full_name = $3 || '.' || name))
         ORDER BY path, line_start LIMIT $4`,
        id,
        name,
        limit,
      ),
    referencesNamed: (name, kinds, limit) =>
      queries.all(
        `${REFERENCES} AND md5(name) = md5($2) AND name = $2 AND ($3::int[] IS NULL OR kind = ANY ($3))
         ORDER BY file, symbol, kind LIMIT $4`,
        storable(name),
        kinds ?? null,
        limit,
      ),
    referencesIn: (file, within, kinds, limit) =>
      queries.all(
        `${REFERENCES} AND file = $2 AND symbol = ANY ($3::bigint[]) AND ($4::int[] IS NULL OR kind = ANY ($4))
         ORDER BY line, symbol, name, kind LIMIT $5`,
        file,
        within,
        kinds ?? null,
        limit,
      ),
    referencesBetween: (file, from, to, limit) => referencesBetween({ file, from, to, limit }),
  };
};
