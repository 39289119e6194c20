/** What is shown of a text that is longer than anybody reads, until the person asks for all of it. */

export const LONG_TEXT = {
  /** Twice the longest answers that models give. */
  beginningCharacters: 200_000,
  /** More than a screen holds. Of the end there is this much at least, and twice as much and a block at most. */
  endCharacters: 4_000,
  /** So far back the edge of a block is looked for. */
  blockCharacters: 4_000,
} as const;

/**
 * Its beginning, and its newest words for those who watch it grow. Both are cut where a block of Markdown ends, so that
 * each can be read by itself. The end begins at the same place for a while, so that what is read does not move.
 * Undefined: the text is shown whole.
 */
export const longText = (text: string): { beginning: string; end: string } | undefined => {
  const { beginningCharacters, endCharacters } = LONG_TEXT;
  if (text.length <= beginningCharacters) return undefined;
  const steps = Math.floor((text.length - beginningCharacters) / endCharacters);
  const first = edgeBefore(text, beginningCharacters);
  const last = steps < 2 ? first : edgeBefore(text, beginningCharacters + (steps - 1) * endCharacters);
  return { beginning: text.slice(0, first.at), end: last.fence + text.slice(last.at) };
};

type Edge = { at: number /** What opens the code again that is cut there. */; fence: string };

const edgeBefore = (text: string, place: number): Edge => {
  const from = Math.max(0, place - LONG_TEXT.blockCharacters);
  const fences = fencesBefore(text, place);
  const fenceAt = (at: number): Fence | undefined => fences.find(({ start, end }) => start < at && at < end);
  for (let at = text.lastIndexOf('\n\n', place - 2); at >= from; at = text.lastIndexOf('\n\n', at - 1))
    if (fenceAt(at + 2) === undefined) return { at: at + 2, fence: '' };
  const line = text.lastIndexOf('\n', place - 1) + 1;
  const at = line > from ? line : afterWord(text, from, place);
  const fence = fenceAt(at);
  return { at, fence: fence === undefined ? '' : `${fence.line}\n` };
};

type Fence = { start: number; end: number; line: string };
const FENCE = /^ {0,3}(`{3,}|~{3,})([^\n]*)$/gm;

/** The blocks of code that begin before this place; one that is open there has no end yet. */
const fencesBefore = (text: string, place: number): Fence[] => {
  const found: Fence[] = [];
  let open: (Fence & { mark: string }) | undefined;
  for (const { index, 0: line, 1: mark = '', 2: rest = '' } of text.slice(0, place).matchAll(FENCE)) {
    if (open === undefined) {
      if (mark.startsWith('`') && rest.includes('`')) continue;
      open = { start: index, end: Number.POSITIVE_INFINITY, line, mark };
      found.push(open);
    } else if (rest.trim() === '' && mark.startsWith(open.mark)) {
      open.end = index + line.length;
      open = undefined;
    }
  }
  return found;
};

const afterWord = (text: string, from: number, place: number): number => {
  const blank = text.lastIndexOf(' ', place - 1) + 1;
  return blank > from ? blank : betweenCharacters(text, place);
};

/** The place itself, or the one before it where it is within a pair of surrogates. */
const betweenCharacters = (text: string, place: number): number =>
  (text.codePointAt(place - 1) ?? 0) > 0xffff ? place - 1 : place;
