/** Which words of a changed line are new. Pure. */

/** A part of a line, and whether it is what changed. */
export type Piece = { text: string; changed: boolean };

/** Longer lines are compared at their ends alone. */
const COMPARED_PAIRS = 40_000;
/** Of the longer line; lines that share less are two lines and not one that changed. */
const SHARED_AT_LEAST = 0.35;

const wordsOf = (line: string): string[] => line.match(/[\p{L}\p{N}_]+|\s+|[\s\S]/gu) ?? [];
const isBlank = (text: string | undefined): boolean => text !== undefined && /^\s*$/.test(text);

/** For each word of one list, whether the other list has it too, at its place in the same order. */
const sharedWords = (before: readonly string[], after: readonly string[]): [boolean[], boolean[]] => {
  const [old, now] = [before.map(() => false), after.map(() => false)];
  let from = 0;
  while (from < before.length && from < after.length && before[from] === after[from]) {
    old[from] = now[from] = true;
    from += 1;
  }
  let end = 0;
  const most = Math.min(before.length, after.length) - from;
  while (end < most && before[before.length - 1 - end] === after[after.length - 1 - end]) {
    old[before.length - 1 - end] = now[after.length - 1 - end] = true;
    end += 1;
  }
  const [rows, columns] = [before.length - from - end, after.length - from - end];
  if (rows * columns === 0 || rows * columns > COMPARED_PAIRS) return [old, now];
  // The longest common part of what is left; a cell holds the length of that of the two rests.
  const width = columns + 1;
  const lengths = new Uint16Array((rows + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] as number;
  const isSame = (row: number, column: number): boolean => before[from + row] === after[from + column];
  for (let row = rows - 1; row >= 0; row -= 1)
    for (let column = columns - 1; column >= 0; column -= 1)
      lengths[row * width + column] = isSame(row, column)
        ? at(row + 1, column + 1) + 1
        : Math.max(at(row + 1, column), at(row, column + 1));
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    if (isSame(row, column)) {
      old[from + row] = now[from + column] = true;
      row += 1;
      column += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return [old, now];
};

/** Neighbours of one kind in one piece; a blank between two changes belongs to them. */
const piecesOf = (words: readonly string[], shared: readonly boolean[]): Piece[] => {
  const pieces: Piece[] = [];
  for (const [index, text] of words.entries()) {
    const isBetween = isBlank(text) && shared[index - 1] === false && shared[index + 1] === false;
    const changed = shared[index] === false || isBetween;
    const last = pieces.at(-1);
    if (last?.changed === changed) last.text += text;
    else pieces.push({ text, changed });
  }
  return pieces;
};

const lengthOf = (words: readonly string[], shared: readonly boolean[]): number =>
  words.reduce((sum, word, index) => sum + (shared[index] === true && !isBlank(word) ? word.length : 0), 0);

/** The two versions of one line; undefined where they have too little in common. */
export const wordChanges = (before: string, after: string): { before: Piece[]; after: Piece[] } | undefined => {
  const [old, now] = [wordsOf(before), wordsOf(after)];
  const [oldShared, nowShared] = sharedWords(old, now);
  const longer = Math.max(before.replaceAll(/\s/g, '').length, after.replaceAll(/\s/g, '').length);
  if (longer === 0 || lengthOf(old, oldShared) / longer < SHARED_AT_LEAST) return undefined;
  return { before: piecesOf(old, oldShared), after: piecesOf(now, nowShared) };
};
