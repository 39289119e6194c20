/** Tables that the person wrote: what a note says of a row stands in that row, and not in another one. */
import type { Exchange } from '../exchanges.ts';
import { sentencesOf } from '../sentences.ts';
import { normalized } from './claims.ts';
import { clausesOf, type Passage, wordsOf } from './passages.ts';
import { isSameWord, KnownWords } from './same-words.ts';

/** `values`: the words of all rows of its table, but for keys and headings. */
type Row = { at: number; key: string; words: readonly string[]; head: readonly string[]; values: KnownWords };

/** `beside`: what the person said in sentences, before a table, around it and behind it. */
type Tables = { rows: readonly Row[]; beside: readonly (readonly string[])[] };

/** `mixed`: it has values of another row. `whole`: one row has all of it. */
export const createRows = (
  exchanges: readonly Exchange[],
  passages: () => readonly Passage[],
): ((note: string) => 'mixed' | 'whole' | 'other') => {
  let tables: Tables | undefined;
  return (note) => {
    tables ??= tablesIn(exchanges, passages);
    const { rows, beside } = tables;
    if (rows.length === 0 || clausesOf(note).some(({ isDenied }) => isDenied)) return 'other';
    const text = ` ${normalized(note).replaceAll(NO_LETTER, ' ')} `;
    const row = rows.findLast(({ key }) => text.includes(` ${key} `));
    if (row === undefined) return 'other';
    const own = wordsOf(row.key);
    const rest = wordsOf(note).filter((word) => !has(own, word));
    const isSaidBeside = (word: string): boolean =>
      beside.some((words) => has(words, word) && own.every((one) => has(words, one)));
    const isSaidLater = (word: string): boolean => passages().some((one) => one.at > row.at && has(one.words, word));
    if (rest.some((word) => !has(row.words, word) && row.values.has(word) && !isSaidLater(word) && !isSaidBeside(word)))
      return 'mixed';
    const isWhole = rest.length > 0 && rest.every((word) => has(row.words, word) || has(row.head, word));
    const isChanged = passages().some((one) => one.at > row.at && own.some((word) => has(one.words, word)));
    return isWhole && !isChanged && rest.some((word) => has(row.words, word)) ? 'whole' : 'other';
  };
};
const has = (words: readonly string[], word: string): boolean => words.some((one) => isSameWord(one, word));
const NO_LETTER = /[^\p{L}\p{M}\p{N}]+/gu;

const tablesIn = (exchanges: readonly Exchange[], passages: () => readonly Passage[]): Tables => {
  const all = exchanges.map(({ written = '' }, at) => rowsIn(written, at));
  const rows = all.flatMap((one) => one.rows);
  if (rows.length === 0) return { rows, beside: [] };
  const isTable = (at: number): boolean => (all[at]?.rows.length ?? 0) > 0;
  const around = all.flatMap(({ lines }, at) => (isTable(at) ? lines : [])).flatMap(sentencesOf);
  const elsewhere = passages().filter(({ at }) => !isTable(at));
  return { rows, beside: [...elsewhere.map(({ words }) => words), ...around.map(wordsOf)] };
};

const rowsIn = (written: string, at: number): { rows: Row[]; lines: string[] } => {
  if (!written.includes('\n') || written.length > TEXT_CHARACTERS) return { rows: [], lines: [] };
  const lines: string[] = [];
  const groups: Line[][] = [];
  let group: Line[] = [];
  for (const line of [...written.split('\n'), '']) {
    const cells = cellsOf(line);
    if (cells.length === 0 && RULE.test(line)) continue;
    if (cells.length >= FEWEST_CELLS && (group.length === 0 || group[0]?.cells.length === cells.length))
      group.push({ line, cells });
    else {
      if (cells.length < FEWEST_CELLS) lines.push(line);
      groups.push(group);
      group = cells.length >= FEWEST_CELLS ? [{ line, cells }] : [];
    }
  }
  // "Lotte, Piet and Sanne, who row" is no table.
  const alone = groups.filter(({ length }) => length < FEWEST_ROWS).flat();
  lines.push(...alone.map((one) => one.line));
  const found = groups.filter(({ length }) => length >= FEWEST_ROWS).map((one) => one.map(({ cells }) => cells));
  return { rows: found.flatMap((one) => rowsOf(one, at)), lines };
};
type Line = { line: string; cells: string[] };
const TEXT_CHARACTERS = 8_000;
const FEWEST_CELLS = 3;
const FEWEST_ROWS = 3;
const CELL_CHARACTERS = 40;
const RULE = /^[\s|:+-]+$/;

const cellsOf = (line: string): string[] => {
  if (RULE.test(line)) return [];
  const sign = ['|', '\t', ';', ','].find((one) => line.includes(one));
  if (sign === undefined) return [];
  const cells = line
    .trim()
    .replaceAll(/^\||\|$/g, '')
    .split(sign)
    .map((cell) => cell.trim());
  return cells.every(({ length }) => length <= CELL_CHARACTERS) ? cells : [];
};

const rowsOf = (rows: readonly string[][], at: number): Row[] => {
  const head = rows[0]?.some((cell) => /\p{N}/u.test(cell)) ? [] : (rows[0] ?? []);
  const heading = head.flatMap(wordsOf);
  const body = head.length > 0 ? rows.slice(1) : rows;
  const wordsOfRows = body.map((cells) => cells.flatMap(wordsOf));
  // What names another row may be said of this one: "Anna works with Ben".
  const named = new KnownWords([...heading, ...body.flatMap(([key = '']) => wordsOf(key))]);
  const values = new KnownWords(new Set(wordsOfRows.flat().filter((word) => !named.has(word))));
  return body.flatMap(([key = ''], index): Row[] => {
    const plain = normalized(key).replaceAll(NO_LETTER, ' ').trim();
    return plain === '' ? [] : [{ at, key: plain, words: wordsOfRows[index] ?? [], head: heading, values }];
  });
};
