/**
 * Where in the text of a model its calls stand, and whether one is mentioned there and not made: inside a sentence, in
 * quotation marks, in the cell of a table. It is told by the grammar of the place, and not by words.
 */
import { END_TOKENS } from '../engine/grammar.ts';

/** What a parser took out of a text: `from` and `to` are where the words before and behind it end and begin in that text. */
export type Gap = {
  /** Offset in what was left of the text, as `at` of the call says it. */
  at: number;
  from: number;
  to: number;
};

/** Whether a part of the text is what was taken out of it, and nothing else. */
export type IsTaken = (part: string, at: number) => boolean;

/** Places that are tried for the end of one gap. */
const TRIED_PLACES = 32;
/** Calls of one answer whose places are looked at. */
export const PLACES_MAX = 100;

/**
 * What stands between the pieces that were left of `whole`, at the offsets `places` of `content`. Those that cannot be told
 * for certain are left out.
 */
export const gapsIn = (whole: string, content: string, places: readonly number[], isTaken: IsTaken): Gap[] => {
  const gaps: Gap[] = [];
  const marks = places.toSorted((left, right) => left - right);
  const text = withoutEndTokens(whole);
  let from = endOf(text, content.slice(0, marks[0]).trim());
  for (const [index, at] of marks.entries()) {
    if (from === undefined || index === PLACES_MAX) return gaps;
    const next = marks[index + 1];
    const behind = content.slice(at, next).trim();
    const to =
      next === undefined ? endGap(text, behind, from) : behindGap(text, behind, from, (part) => isTaken(part, at));
    if (to === undefined) return gaps;
    gaps.push({ at, from, to });
    from = to + behind.length;
  }
  return gaps;
};

const endOf = (text: string, words: string): number | undefined => {
  const at = text.indexOf(words);
  return at < 0 ? undefined : at + words.length;
};

/** The last words end the text. */
const endGap = (text: string, words: string, from: number): number | undefined => {
  const to = text.length - words.length;
  return to >= from && text.endsWith(words) ? to : undefined;
};

const behindGap = (
  text: string,
  words: string,
  from: number,
  isTaken: (part: string) => boolean,
): number | undefined => {
  let at = text.indexOf(words, from);
  for (let tried = 0; at >= 0 && tried < TRIED_PLACES; tried += 1) {
    if (isTaken(text.slice(from, at))) return at;
    at = text.indexOf(words, at + 1);
  }
  return undefined;
};

const withoutEndTokens = (text: string): string => {
  const whole = text.trimEnd();
  const token = END_TOKENS.find((one) => whole.endsWith(one));
  return token === undefined ? whole : withoutEndTokens(whole.slice(0, -token.length));
};

/** What was taken out stands in the text again, as it was written. */
export const withGaps = (
  whole: string,
  content: string,
  gaps: readonly Gap[],
): { text: string; moved: (offset: number) => number } => {
  const moves: { at: number; by: number }[] = [];
  let text = content;
  for (const { at, from, to } of gaps.toReversed()) {
    const before = text.slice(0, at).trimEnd();
    const behind = text.slice(at).trimStart();
    const space = text.length - before.length - behind.length;
    const written = before === '' ? whole.slice(from, to).trimStart() : whole.slice(from, to);
    text = before + written + behind;
    moves.push({ at, by: written.length - space });
  }
  return { text, moved: (offset) => moves.reduce((sum, { at, by }) => (offset >= at ? sum + by : sum), offset) };
};

const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '“': '”',
  '‘': '’',
  '«': '»',
  '„': '“',
  '»': '«',
};
/** What may stand before a call in its line and is no sentence. */
const LABEL = /^\s*(?:[-*•>]|\d+[.)])?\s*$/;
const CELL = /^\s*\|(?!\w*\|)/;
const WORDS = /[\p{L}\p{N}]/u;

/** Stands in the place of calls that no parser took out of the text. */
export const CALL_CHARACTER = '\0';

/** The offsets of the gaps that hold calls which are mentioned: a sentence that goes on around one is told of by its whole line. */
export const mentionedIn = (all: string, gaps: readonly Gap[]): ReadonlySet<number> => {
  const whole = withoutEndTokens(all);
  const calls = gaps.map(({ at, from, to }) => {
    const written = whole.slice(from, to);
    return { at, start: to - written.trimStart().length, end: from + written.trimEnd().length };
  });
  const lines = calls.reduce<(typeof calls)[]>((found, call) => {
    const line = found.at(-1);
    const isSame = line !== undefined && !whole.slice(line.at(-1)?.end, call.start).includes('\n');
    if (isSame) line.push(call);
    else found.push([call]);
    return found;
  }, []);
  return new Set(
    lines.flatMap((line) => {
      const parts = partsOf(whole, line);
      const isInside = isInSentence(parts);
      const quoted = line.filter((_, index) => isQuoted(parts[index] ?? '', parts[index + 1] ?? ''));
      return (isInside ? line : quoted).map(({ at }) => at);
    }),
  );
};

/** A line without its calls: what stands before them, between them and behind them. */
const partsOf = (whole: string, line: readonly { start: number; end: number }[]): string[] => {
  const stop = whole.indexOf('\n', line.at(-1)?.end);
  let from = whole.lastIndexOf('\n', (line[0]?.start ?? 0) - 1) + 1;
  if (line[0]?.start === 0) from = 0;
  const parts = line.map(({ start, end }) => {
    const part = whole.slice(from, start);
    from = end;
    return part;
  });
  return [...parts, whole.slice(from, stop < 0 ? undefined : stop)];
};

const isInSentence = (parts: readonly string[]): boolean => {
  const [before = '', ...behind] = parts.flatMap((part) => part.split(/\0+/));
  if (CELL.test(before)) return true;
  if (LABEL.test(before) || !WORDS.test(before)) return false;
  // It goes on behind a call, or ends there.
  return behind.some((part) => WORDS.test(part) || (/^[.,;!?)]/.test(part) && !/[.:!?…]\s*$/.test(before)));
};

/** Behind these words inline code is open, or a fence with more in it than what follows. */
export const isInCode = (before: string): boolean => {
  const parts = before.split(FENCE);
  const inside = parts.length % 2 === 0 ? (parts.at(-1) ?? '').replace(/^[\w-]*/, '') : '';
  const line = before.trimEnd().split('\n').at(-1)?.replaceAll('```', '') ?? '';
  return WORDS.test(inside) || before.split('~~~').length % 2 === 0 || /`[ \t]*$/.test(before) || isOdd(line);
};
const FENCE = '```';
const isOdd = (line: string): boolean => line.split('`').length % 2 === 0;

const isQuoted = (before: string, behind: string): boolean => {
  const close = QUOTES[before.at(-1) ?? ''];
  return close !== undefined && behind.startsWith(close);
};
