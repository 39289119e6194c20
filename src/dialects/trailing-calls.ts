/**
 * Calls that a text ends in, behind words: `Sure!` and then the call. The parser leaves them in the text, since prose may
 * hold JSON on purpose; whoever runs a conversation knows that tools are on offer and that nothing follows. What the words
 * before introduce as a sample or a quotation stays prose.
 */
import { isPresented } from './sample.ts';
import type { BrokenCall, ParsedCall, ParseResult } from './types.ts';

export type TrailingCalls = {
  /** What stands before them. */
  words: string;
  calls: ParsedCall[];
  /** One that cannot be read to its end; then there are no calls. */
  broken: BrokenCall[];
  dialect: string;
  /** They begin in the middle of a line, where a person may be told of them as well. */
  isInLine: boolean;
};

/** The beginning of a line, or behind a sentence. */
const START = /(?:(^|\n)[ \t]*|[.!?:…] +)(?=[{[]|[A-Za-z_][\w.-]{0,127}(?:\(|\[ARGS\]))/g;
/** In the middle of a sentence, where the document looks for JSON anywhere. */
const ANYWHERE = /(?:(\n)[ \t]*|(?<![^\S\n])[^\S\n]+)(?=[{[])/g;
/** A call of Mistral whose first mark its server took away. */
const UNMARKED = /^[\w.-]{1,128}\[ARGS\]/;
const MARK = '[TOOL_CALLS]';
/** Places that a call may begin at; a longer text is looked at from its end. */
const STARTS_MAX = 20;

/**
 * `read`: with the tools on offer, in any dialect. Undefined where the text ends in none, or holds nothing else; of the
 * calls that have no mark of their own, one that is the whole text counts as well.
 */
export const trailingCalls = (
  text: string,
  read: (part: string) => ParseResult,
  { anywhere = false }: { anywhere?: boolean } = {},
): TrailingCalls | undefined => {
  const whole = text.trimEnd();
  if (!/[}\])]$/.test(whole) || whole.includes('```')) return undefined;
  const starts = [...whole.matchAll(START), ...(anywhere ? whole.matchAll(ANYWHERE) : [])];
  for (const { index, 0: before, 1: lineFeed } of starts.slice(-STARTS_MAX)) {
    const start = index + before.length;
    const words = whole.slice(0, start).trim();
    const part = whole.slice(start);
    const isUnmarked = UNMARKED.test(part);
    const { calls, broken, content, dialect } = read(isUnmarked ? MARK + part : part);
    if (words === '' && !isUnmarked) continue;
    if (content.trim() !== '' || !(part.endsWith(')') ? calls.every(isMeant) : true) || !isOneKind(calls, broken))
      continue;
    return isPresented(words) ? undefined : { words, calls, broken, dialect, isInLine: lineFeed === undefined };
  }
  return undefined;
};

/** Calls that can be run, or the one that cannot. */
const isOneKind = (calls: readonly ParsedCall[], broken: readonly BrokenCall[]): boolean =>
  broken.length === 0 ? calls.length > 0 : calls.length === 0 && broken.length === 1 && broken[0]?.name !== undefined;

/** `ls()` is a word of prose like any other; a tool's name has several words, or its arguments have names. */
const isMeant = ({ name, arguments: args }: ParsedCall): boolean => name.includes('_') || Object.keys(args).length > 0;
