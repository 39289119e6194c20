/** Tables that the person wrote: what a note says of a row stands in that row, and not in another one. */
import type { Exchange } from '../exchanges.ts';
import { normalized } from './claims.ts';
import { clausesOf, type Passage, wordsOf } from './passages.ts';
import { isSameWord } from './same-words.ts';

type Row = { at: number; key: string; words: readonly string[]; head: readonly string[]; others: readonly string[] };

/** `mixed`: it has values of another row. `whole`: one row has all of it. */
export const createRows = (
  exchanges: readonly Exchange[],
  passages: () => readonly Passage[],
): ((note: string) => 'mixed' | 'whole' | 'other') => {
  let found: readonly Row[] | undefined;
  return (note) => {
    found ??= exchanges.flatMap(({ written }, at) => (written === undefined ? [] : rowsIn(written, at)));
    if (found.length === 0 || clausesOf(note).some(({ isDenied }) => isDenied)) return 'other';
    const text = ` ${normalized(note).replaceAll(NO_LETTER, ' ')} `;
    const row = found.findLast(({ key }) => text.includes(` ${key} `));
    if (row === undefined) return 'other';
    const own = wordsOf(row.key);
    const rest = wordsOf(note).filter((word) => !has(own, word));
    const isSaidLater = (word: string): boolean => passages().some((one) => one.at > row.at && has(one.words, word));
    if (rest.some((word) => !has(row.words, word) && has(row.others, word) && !isSaidLater(word))) return 'mixed';
    const isWhole = rest.length > 0 && rest.every((word) => has(row.words, word) || has(row.head, word));
    const isChanged = passages().some((one) => one.at > row.at && own.some((word) => has(one.words, word)));
    return isWhole && !isChanged && rest.some((word) => has(row.words, word)) ? 'whole' : 'other';
  };
};
const has = (words: readonly string[], word: string): boolean => words.some((one) => isSameWord(one, word));
const NO_LETTER = /[^\p{L}\p{M}\p{N}]+/gu;

const rowsIn = (written: string, at: number): Row[] => {
  if (!written.includes('\n') || written.length > TEXT_CHARACTERS) return [];
  const groups: string[][][] = [];
  let group: string[][] = [];
  for (const line of [...written.split('\n'), '']) {
    const cells = cellsOf(line);
    if (cells.length === 0 && RULE.test(line)) continue;
    if (cells.length >= FEWEST_CELLS && (group.length === 0 || group[0]?.length === cells.length)) group.push(cells);
    else {
      groups.push(group);
      group = cells.length >= FEWEST_CELLS ? [cells] : [];
    }
  }
  return groups.filter(({ length }) => length >= FEWEST_ROWS).flatMap((rows) => rowsOf(rows, at));
};
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
  return body.flatMap(([key = ''], index): Row[] => {
    const plain = normalized(key).replaceAll(NO_LETTER, ' ').trim();
    if (plain === '') return [];
    const others = wordsOfRows
      .filter((_, other) => other !== index)
      .flat()
      .filter((word) => !has(heading, word));
    return [{ at, key: plain, words: wordsOfRows[index] ?? [], head: heading, others }];
  });
};
