/**
 * Thoughts that a parser cannot know of while it reads: the prompt opened them, so the text has only the mark that closes
 * them; or they stand between marks of another dialect. A call in them is a draft.
 */
import type { ReasoningSyntax } from './engine/grammar.ts';
import type { ParseResult } from './types.ts';

export type SplitThoughts = { thoughts: string; rest: string };

/** Closes reasoning and nothing else. */
export const REASONING_CLOSE = /think|inner_suffix|final/i;

/** The marks that open and close thoughts, each once. */
export type ThoughtMarks = { openers: readonly string[]; closers: readonly string[] };

/** Made once for a list of syntaxes: many dialects share their marks, and every answer is searched for them. */
export const thoughtMarks = (syntaxes: readonly ReasoningSyntax[]): ThoughtMarks => ({
  openers: [...new Set(syntaxes.flatMap(({ open, keepOpen }) => (open === undefined || keepOpen ? [] : [open])))],
  closers: [...new Set(syntaxes.flatMap(({ close }) => close).filter((mark) => REASONING_CLOSE.test(mark)))],
});

/** Marks that are looked at in one text. */
export const MARKS_MAX = 16;

/**
 * The thoughts before the first mark that closes any, and the text behind it; undefined where the text has none, or where
 * `result`, which was read of it, knows them. A mark in a fence, in inline code, in quotation marks, inside a call or in
 * the middle of a sentence is spoken of.
 */
export const splitThoughts = (
  text: string,
  result: ParseResult,
  { openers, closers }: ThoughtMarks,
  read: (part: string) => ParseResult,
): SplitThoughts | undefined => {
  if (result.reasoning !== '') return undefined;
  const start = text.length - text.trimStart().length;
  const opener = openers.find((one) => text.startsWith(one, start)) ?? '';
  for (const { at, mark } of spokenMarks(text, closers)) {
    const rest = text.slice(at + mark.length);
    const thoughts = text.slice(start + opener.length, at).trim();
    const before = read(text.slice(0, at));
    if (before.truncated && opener === '') continue;
    // Before anything else it is what a template left, and behind calls alone it ends an answer.
    if (thoughts === '' || (before.content.trim() === '' && rest.trim() === '')) return undefined;
    const hasCalls = before.calls.length + before.broken.length > 0;
    if (opener === '' && !hasCalls && isMentioned(text, at, rest, openers)) continue;
    return { thoughts, rest };
  }
  return undefined;
};

/** A text without the thoughts that it begins with. */
export const withoutThoughts = (text: string, syntaxes: readonly ReasoningSyntax[]): string => {
  const whole = text.trimStart();
  const begun = syntaxes.find(({ open, keepOpen }) => open !== undefined && !keepOpen && whole.startsWith(open));
  if (begun === undefined) return text;
  const ends = begun.close.flatMap((mark) => {
    const at = whole.indexOf(mark);
    return at < 0 ? [] : [at + mark.length];
  });
  return ends.length === 0 ? text : whole.slice(Math.min(...ends)).trimStart();
};

/** Those that stand in no fence, no inline code and no quotation marks of their line. */
const spokenMarks = (text: string, marks: readonly string[]): { at: number; mark: string }[] => {
  const found: { at: number; mark: string }[] = [];
  let isFence = false;
  for (let from = 0; from <= text.length && found.length < MARKS_MAX; ) {
    const end = text.indexOf('\n', from);
    const line = text.slice(from, end < 0 ? text.length : end);
    if (line.trimStart().startsWith('```')) isFence = !isFence;
    else if (!isFence && marks.some((mark) => line.includes(mark)))
      found.push(...marksIn(line, marks).map(({ at, mark }) => ({ at: from + at, mark })));
    if (end < 0) break;
    from = end + 1;
  }
  return found.slice(0, MARKS_MAX);
};

const marksIn = (line: string, marks: readonly string[]): { at: number; mark: string }[] => {
  const found: { at: number; mark: string }[] = [];
  let quote: string | undefined;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (character === '\\' && quote === '"') at += 1;
    else if (quote !== undefined) quote = character === quote ? undefined : quote;
    else if (character === '"' || character === '`') quote = character;
    else if (character === '<' || character === '[') {
      const mark = marks.find((one) => line.startsWith(one, at));
      if (mark !== undefined && line[at - 1] !== "'") found.push({ at, mark });
    }
  }
  return found;
};

/** A sentence goes on around it, or the mark that opens thoughts stands in its line as well. */
const isMentioned = (text: string, at: number, rest: string, openers: readonly string[]): boolean => {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  const goesOn = /\S[ \t]$/.test(line) && /^[ \t]+\p{Ll}|^[.,;:)]/u.test(rest);
  return goesOn || openers.some((one) => line.includes(one));
};
