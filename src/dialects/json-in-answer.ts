/** The JSON value of an answer that may hold words as well. */
import type { LenientJson } from './repair-json.ts';
import { NOT_CLOSED, readJsonText } from './unclosed-json.ts';

/**
 * The whole answer, what stands in a fence in it, or what lies between its outermost brackets. A value that the text does not
 * close is never read, since it may be a part of what was meant. `isCut`: something ended the answer from outside, so words
 * and numbers, which nothing closes, are not read either.
 */
export const jsonInAnswer = (answer: string, isCut: boolean): LenientJson => {
  const whole = readJsonText(answer.trim(), 'refuse');
  if (whole.ok) return isCut && !isClosed(whole) ? NOT_CLOSED : whole;
  const fence = /```(?:json)?\s*\n([\s\S]*?)\n?```/.exec(answer);
  const end = Math.max(answer.lastIndexOf('}'), answer.lastIndexOf(']')) + 1;
  const [, fenced] = fence ?? [];
  if (fence && fenced !== undefined && !isCut) {
    const inFence = readJsonText(fenced, 'refuse');
    if (inFence.ok) return inFence;
  }
  const start = answer.search(/[{[]/);
  // A bracket that opens behind them, or a quote, is of another value, or of the rest of this one.
  if (start < 0 || end <= start || /[{["]/.test(answer.slice(end))) return isCut ? NOT_CLOSED : whole;
  const between = readJsonText(answer.slice(start, end), 'refuse');
  return between.ok ? between : whole;
};

const isClosed = (read: LenientJson): boolean => read.ok && typeof read.value === 'object' && read.value !== null;
