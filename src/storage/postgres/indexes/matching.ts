/** Parts of an index that hold one of these words, by BM25. */
import type { Scored, Sought } from '../../../core/index-port.ts';
import type { QueryResultRow } from '../driver.ts';
import { markOf, quoted, storable } from './words.ts';

/**
 * How often a word is there, for BM25: a name counts `times`, a path and the text (D) a share of that. `ts_rank` counts
 * the second time a quarter, the third a ninth, and divides by the sum of that, so the text counts more than in
 * node:sqlite, which counts each time alike.
 */
const ALL_WEIGHED = { weights: '{0.2, 0, 0.1667, 1}', times: 3 };
const TEXT_ALONE = { weights: '{1, 0, 0, 0}', times: 1 };
const RANK_DIVIDED_BY = 1.644934;
/** As they are in FTS5. */
const BM25 = { saturation: 1.2, length: 0.75 };

/** Asks one index, whose number is the first value. */
type All = <Row extends QueryResultRow>(text: string, ...values: readonly unknown[]) => Promise<Row[]>;

/** BM25: each word counts as often as it is there, less each time and in a long part, and as much as it says. */
export const matching = async (
  all: All,
  { anyOf, common, textOnly, paths, limit }: Sought,
  index: number,
): Promise<Scored[]> => {
  const { saturation, length } = BM25;
  const place = textOnly ? ':D' : '';
  const words = anyOf.map(({ term }) => quoted(term) + place);
  if (words.length === 0) return [];
  const { weights, times } = textOnly ? TEXT_ALONE : ALL_WEIGHED;
  const scores = anyOf.map((_word, at) => {
    const often = `(ts_rank('${weights}', words, ($4::text[])[${at + 1}]::tsquery) * ${times * RANK_DIVIDED_BY})`;
    // As often / (often + long), with the rank asked for once.
    return `($5::float8[])[${at + 1}] * (1 - long / (${often} + long))`;
  });
  const also = common.map(
    (_word, at) => `CASE WHEN words @@ ($6::text[])[${at + 1}]::tsquery THEN ($7::float8[])[${at + 1}] ELSE 0 END`,
  );
  const [from, only] =
    paths === undefined
      ? ['', '$8::text[] IS NULL']
      : ['JOIN halter.index_files AS files ON files.index = $1 AND files.id = chunks.file', 'path = ANY ($8::text[])'];
  return all<Scored>(
    `SELECT id::float8 AS id, score${['', ...also].join(' + ')} AS score FROM (
       SELECT chunks.id, words, ${scores.join(' + ')} AS score
       FROM halter.index_chunks AS chunks ${from} JOIN halter.indexes ON number = $1,
         LATERAL (SELECT ${saturation} * (${1 - length} + ${length} * length(words) / average_words) AS long) AS of_length
       WHERE words @@ $2::tsquery AND chunks.index = $1 AND ${only} ORDER BY score DESC, chunks.id LIMIT $3) AS best
     WHERE $6::text[] IS NOT NULL AND $7::float8[] IS NOT NULL ORDER BY 2 DESC, 1`,
    `${quoted(markOf(index))} & (${words.join(' | ')})`,
    limit,
    words,
    anyOf.map(({ weight }) => weight),
    common.map(({ stem }) => `${quoted(stem)}:*`),
    common.map(({ weight }) => weight),
    paths?.map(storable) ?? null,
  );
};
