/** The parts of files that a question is answered from. */
import type { Candidate, IndexTables } from '../../../../core/index-port.ts';
import { matching } from '../matching.ts';
import { markOf, plainText, storable } from '../words.ts';
import type { IndexQueries } from './queries.ts';

const CANDIDATE_COLUMNS = `chunks.id::float8 AS id, chunks.file::float8 AS file, files.path, files.language,
  chunks.line_start AS "lineStart", chunks.line_end AS "lineEnd", coalesce(full_name, '') AS symbol,
  chunks.symbol::float8 AS "symbolId", coalesce(kind, '') AS kind, coalesce(symbols.line_start, 0) AS "symbolStart",
  chunks.text, files.modified_ms AS "modifiedMs"`;
const FROM_CHUNKS = `FROM halter.index_chunks AS chunks
  JOIN halter.index_files AS files ON files.index = chunks.index AND files.id = chunks.file`;

type PartTables = Pick<
  IndexTables,
  'terms' | 'matching' | 'defining' | 'everyPart' | 'candidates' | 'partAt' | 'textOf'
>;

export const partTables = (queries: IndexQueries, index: number): PartTables => {
  const partAt = queries.listed<{ file: number; line: number }, { id: number }>(
    `SELECT asked.at::int AS at, found.id FROM unnest($2::bigint[], $3::int[]) WITH ORDINALITY AS asked (file, line, at),
       LATERAL (SELECT id::float8 AS id FROM halter.index_chunks AS chunks WHERE index = $1 AND chunks.file = asked.file
         AND line_start <= asked.line AND line_end >= asked.line ORDER BY chunks.id LIMIT 1) AS found`,
    (keys) => [keys.map(({ file }) => file), keys.map(({ line }) => line)],
  );

  return {
    async terms(words) {
      const rows = await queries.all<{ at: number; term: string | null; parts: number; chunks: number }>(
        `SELECT counted_chunks AS chunks, found.* FROM halter.indexes LEFT JOIN (
           SELECT (asked.at - 1)::int AS at, term, coalesce(
             (SELECT chunks FROM halter.index_common_words WHERE index = $1 AND index_common_words.word = term),
             (SELECT count(*)::int FROM halter.index_chunks
               WHERE words @@ (quote_literal($3) || ' & ' || quote_literal(term))::tsquery)) AS parts
           FROM unnest($2::text[]) WITH ORDINALITY AS asked (word, at),
             unnest(tsvector_to_array(to_tsvector('halter.words', asked.word))) AS term
         ) AS found ON true WHERE number = $1`,
        words.map(plainText),
        markOf(index),
      );
      return {
        chunks: rows[0]?.chunks ?? 0,
        terms: rows.flatMap(({ at, term, parts }) => (term === null ? [] : [{ at, term, parts }])),
      };
    },
    matching: (sought) => matching((text, ...values) => queries.all(text, ...values), sought, index),
    defining: (names, limit) =>
      queries.all(
        `SELECT found.* FROM unnest($2::text[]) WITH ORDINALITY AS asked (sought, at), LATERAL (
           SELECT chunks.id::float8 AS id, files.path FROM halter.index_symbols AS symbols
           JOIN halter.index_files AS files ON files.index = $1 AND files.id = symbols.file
           JOIN halter.index_chunks AS chunks ON chunks.index = $1 AND chunks.file = symbols.file
             AND chunks.line_start <= symbols.line_start AND chunks.line_end >= symbols.line_start
           WHERE symbols.index = $1 AND md5(name) = md5(sought) AND name = sought ORDER BY symbols.id, chunks.id LIMIT $3
         ) AS found ORDER BY at`,
        names.map(storable),
        limit,
      ),
    everyPart: (limit) =>
      queries.all(
        `SELECT chunks.id::float8 AS id, path ${FROM_CHUNKS} WHERE chunks.index = $1 ORDER BY chunks.id LIMIT $2`,
        limit,
      ),
    async candidates(ids) {
      const rows = await queries.all<Candidate>(
        `SELECT ${CANDIDATE_COLUMNS} ${FROM_CHUNKS}
         LEFT JOIN halter.index_symbols AS symbols ON symbols.index = chunks.index AND symbols.id = chunks.symbol
         WHERE chunks.index = $1 AND chunks.id = ANY ($2::bigint[]) ORDER BY chunks.id`,
        ids,
      );
      return new Map(rows.map((row) => [row.id, row]));
    },
    partAt: async (file, line) => (await partAt({ file, line }))[0]?.id,
    textOf: (path) =>
      queries.all(
        `SELECT line_start AS "lineStart", text ${FROM_CHUNKS} WHERE chunks.index = $1 AND path = $2
         ORDER BY line_start, chunks.id`,
        storable(path),
      ),
  };
};
