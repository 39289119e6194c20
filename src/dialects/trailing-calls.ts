/**
 * Calls that a text ends in, behind words: `Sure!` and then the call. The parser leaves them in the text, since prose may
 * hold JSON on purpose; whoever runs a conversation knows that tools are on offer and that nothing follows. What the words
 * before introduce as a sample or a quotation stays prose.
 */
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

/** Words that introduce a sample or a quotation, in the last line before it. */
const SAMPLE =
  /\b(?:examples?|e\.g|for instance|such as|samples?|like (?:this|so|that)|looks? like|would|could|might|syntax|templates?|says?|said|reads|contains?|holds?|prints?|printed|shows?|outputs?|returns?|returned|quotes?|logs?|wrote|written|writes?|not|never|don't|instead of)\b/i;
/** The beginning of a line, or behind a sentence. */
const START = /(?:(\n)[ \t]*|[.!:…] +)(?=[{[]|[A-Za-z_]\w{0,127}\()/g;
/** Places that a call may begin at; a longer text is looked at from its end. */
const STARTS_MAX = 20;

/** `read`: with the tools on offer, in any dialect. Undefined where the text ends in none, or holds nothing else. */
export const trailingCalls = (text: string, read: (part: string) => ParseResult): TrailingCalls | undefined => {
  const whole = text.trimEnd();
  if (!/[}\])]$/.test(whole) || whole.includes('```')) return undefined;
  const starts = [...whole.matchAll(START)].slice(-STARTS_MAX);
  for (const { index, 0: before, 1: lineFeed } of starts) {
    const start = index + before.length;
    const words = whole.slice(0, start).trim();
    const { calls, broken, content, dialect } = read(whole.slice(start));
    if (words === '' || content.trim() !== '' || !(calls.every(isMeant) && isOneKind(calls, broken))) continue;
    return isSample(words) ? undefined : { words, calls, broken, dialect, isInLine: lineFeed === undefined };
  }
  return undefined;
};

/** Calls that can be run, or the one that cannot. */
const isOneKind = (calls: readonly ParsedCall[], broken: readonly BrokenCall[]): boolean =>
  broken.length === 0 ? calls.length > 0 : calls.length === 0 && broken.length === 1 && broken[0]?.name !== undefined;

/** `ls()` is a word of prose like any other; a tool's name has several words, or its arguments have names. */
const isMeant = ({ name, arguments: args }: ParsedCall): boolean => name.includes('_') || Object.keys(args).length > 0;

const isSample = (words: string): boolean => SAMPLE.test(words.slice(words.lastIndexOf('\n') + 1));
