/** What stands between the marks that only a call has, in any notation: nothing, as in `[TOOL_CALLS][]`, or what no parser reads. */
import { type CallSyntax, END_TOKENS } from '../engine/grammar.ts';

/** The marks of every notation, the longest first. */
export type CallMarks = { open: readonly string[]; close: readonly string[] };

export type MarkedText = {
  /** What stands between the marks, piece by piece. Of an empty call none: no word, value or name is there. */
  pieces: readonly string[];
  /** A mark closes it. */
  isClosed: boolean;
  /** Nothing follows the mark that opens it. */
  isBegun?: boolean;
};

/** A call in which nothing stands is short. */
const EMPTY_CHARACTERS = 500;
/** All that a list or an object without a value has. */
const EMPTY = /^(?:[\s[\]{}(),:;"'`/>=]|\b(?:null|none|tool|name|function|arguments|args|parameters)\b)*$/i;
/** A fence and marks that a name follows need more than a mark to be a call; words such as `Action:` stand in any text. */
const WHOLE_MARK = /^(?!```|\w+:$).*[^\w\s=]$/s;
const QUOTES = `"'\``;

export const callMarks = (calls: readonly CallSyntax[]): CallMarks => {
  const open = calls.flatMap((syntax) => syntax.open);
  const close = calls.flatMap((syntax) => [...(syntax.close ?? []), ...(syntax.skip ?? [])]);
  return { open: longestFirst(open), close: longestFirst([...close, ...END_TOKENS]) };
};

const longestFirst = (marks: readonly string[]): string[] =>
  [...new Set(marks)].filter((mark) => /[^\w\s:]/.test(mark)).sort((left, right) => right.length - left.length);

/** Undefined where no mark of a call begins the text. */
export const betweenMarks = (text: string, { open, close }: CallMarks): MarkedText | undefined => {
  let inside = text.trim();
  let isWhole = false;
  let isOpen = false;
  for (let mark = firstIn(inside, open); mark !== undefined; mark = firstIn(inside, open)) {
    isOpen = true;
    isWhole ||= WHOLE_MARK.test(mark);
    inside = inside.slice(mark.length).trim();
  }
  if (!isOpen) return undefined;
  let isClosed = false;
  for (let mark = lastIn(inside, close); mark !== undefined; mark = lastIn(inside, close)) {
    isClosed ||= !END_TOKENS.includes(mark);
    inside = inside.slice(0, -mark.length).trim();
  }
  const pieces = piecesOf(inside, [...open, ...close]);
  if (inside.length <= EMPTY_CHARACTERS && pieces.every((piece) => EMPTY.test(piece)))
    return { pieces: [], isClosed, isBegun: !isClosed && inside === '' };
  return isWhole ? { pieces, isClosed } : undefined;
};

const piecesOf = (text: string, marks: readonly string[]): string[] =>
  marks
    .filter((mark) => text.includes(mark))
    .reduce((pieces, mark) => pieces.flatMap((piece) => piece.split(mark)), [text])
    .map((piece) => piece.trim())
    .filter((piece) => piece !== '');

const firstIn = (text: string, marks: readonly string[]): string | undefined =>
  marks.find((mark) => text.startsWith(mark) || text === mark.trimEnd());
const lastIn = (text: string, marks: readonly string[]): string | undefined =>
  marks.find((mark) => text.endsWith(mark));

/** Where an empty call begins that a text ends in, behind words; undefined where it ends in none. In quotation marks it is spoken of. */
export const emptyCallStart = (text: string, marks: CallMarks): number | undefined => {
  const from = Math.max(0, text.length - EMPTY_CHARACTERS);
  const starts = marks.open.flatMap((mark) => {
    const at = text.indexOf(mark, from);
    return at < 0 || QUOTES.includes(text[at - 1] ?? ' ') ? [] : [at];
  });
  return starts
    .sort((left, right) => left - right)
    .find((start) => betweenMarks(text.slice(start), marks)?.pieces.length === 0);
};

/** One mark, and words of one sentence around it: nothing in the text could be a call, and the mark is spoken of. */
const SPOKEN = /^([^{}[\]<>=|`]*)([<[][^{}[\]<> ]{1,60}[>\]=]) (\p{L}[^{}[\]<>=|`]*[.!?…])\s*$/u;
/** What is said of a mark that begins its sentence. */
const SAID = /^(?:is|are|was|opens?|begins?|starts?|marks?|means|tags?|tokens?|stands?|and|or)\b/;

/** The mark of a call that a text only speaks of; undefined where a call may have been begun. */
export const spokenMark = (text: string, marks: CallMarks, isTool: (name: string) => boolean): string | undefined => {
  const [, before = '', mark = '', behind = ''] = SPOKEN.exec(text) ?? [];
  if (!marks.open.includes(mark) || behind.split(/[^\w-]+/).some(isTool)) return undefined;
  return /[\p{L}\p{N}] $/u.test(before) || (before.trim() === '' && SAID.test(behind)) ? mark : undefined;
};
