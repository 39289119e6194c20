/** A long text in little room: how it begins and how it ends, with how much of it is between. Pure. */

/** How many characters a row of the screen holds, and how many rows there are for the beginning and for the end. */
export type Room = { columns: number; head: number; tail: number };
export type HeadAndTail = { head: string; between: string; tail: string };

/** Undefined where the whole has room. What is left out is more than a row. */
export const headAndTail = (text: string, room: Room): HeadAndTail | undefined => {
  const lines = text.replace(/\n+$/, '').split('\n');
  const all = lines.reduce((sum, line) => sum + rowsOf(line, room.columns), 0);
  if (all <= room.head + room.tail + 1) return undefined;
  const head = rowsFrom(lines, room.head, room.columns, (line, count) => line.slice(0, count));
  const tail = rowsFrom([...lines].reverse(), room.tail, room.columns, (line, count) => line.slice(-count)).reverse();
  const [begins, ends] = [head.join('\n').toWellFormed(), tail.join('\n').toWellFormed()];
  return { head: begins, between: text.replace(/\n+$/, '').slice(begins.length, -ends.length), tail: ends };
};

const rowsOf = (line: string, columns: number): number => Math.max(1, Math.ceil(line.length / columns));

/** Lines as long as there is room; of the last of them the part that still has it. */
const rowsFrom = (
  lines: readonly string[],
  rows: number,
  columns: number,
  part: (line: string, count: number) => string,
): string[] => {
  const taken: string[] = [];
  let left = rows;
  for (const line of lines) {
    if (left <= 0) break;
    taken.push(part(line, left * columns));
    left -= rowsOf(line, columns);
  }
  return taken;
};
