/** The items of a list in an answer, as they are written: on lines of their own, or numbered in one line. */

/** Two at least; none where the text holds no list. Of more than one list the last, from which one chooses. */
export const listItems = (text: string): string[] => {
  const lists = linesOfLists(text);
  return lists.findLast((items) => items.length > 1 && !FILE_LINE.test(items[0] ?? '')) ?? numberedInLine(text);
};

const ITEM = /^\s*(?:[-*+•]|\(?(?:\d{1,2}|\p{L})[.):、．])\s*\S/u;

/** The lines of a file are numbered too, and what is shown of them begins anywhere. */
const FILE_LINE = /^(?:[2-9]|\d\d): /;

/** Lines behind an item that are indented belong to it; blank lines stand between items. */
const linesOfLists = (text: string): string[][] => {
  const lists: string[][] = [[]];
  for (const line of text.split('\n')) {
    const items = lists.at(-1) as string[];
    if (ITEM.test(line)) items.push(oneLine(line));
    else if (/^\s+\S/.test(line) && items.length > 0) items.push(`${items.pop()} ${oneLine(line)}`);
    else if (line.trim() !== '' && items.length > 0) lists.push([]);
  }
  return lists;
};

/** "1. this 2. that 3. the other": the numbers follow each other. */
const numberedInLine = (text: string): string[] => {
  const starts: number[] = [];
  for (const mark of text.matchAll(/(?<=^|[\s:])\(?(\d{1,2})[.)](?=\s)/gu))
    if (Number(mark[1]) === starts.length + 1) starts.push(mark.index);
  if (starts.length < 2) return [];
  return starts.map((start, at) => oneLine(text.slice(start, starts[at + 1])));
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
