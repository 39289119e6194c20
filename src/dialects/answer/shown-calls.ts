/** Calls that the words of an answer may show, and what may be one in no notation: the model is asked, or the person told. */
import { counted } from '../../core/number-text.ts';
import { isSample } from '../sample.ts';
import type { UnreadCall } from '../unread-call.ts';
import { bareArguments } from './bare-arguments.ts';
import { unclearText } from './call-words.ts';
import { headlessCall } from './headless-call.ts';
import { type HeldCalls, type JudgedAnswer, type Judging, kept, left, returned, withoutEnd } from './judged.ts';
import { unclearCall } from './unclear-call.ts';

/** `isShown`: it tells of a call that the words before it may show. */
export type FoundAnswer = JudgedAnswer & { isShown?: true };

/** A call that its words may show is told of where nothing else is said of the answer. */
export const besideShown = (judging: Judging, found: FoundAnswer | undefined): JudgedAnswer => {
  if (found !== undefined && !found.isShown) return found;
  const other = sampled(judging) ?? emptyBehind(judging);
  if (other !== undefined) return other;
  const last = unclear(judging);
  if (found === undefined || last.held !== undefined || last.warning !== undefined || last.isReturned) return last;
  const { isShown: _shown, ...told } = found;
  return told;
};

/** A sample is never made. Where the answer ends in it, it may be meant after all: the model is asked once. */
const sampled = (judging: Judging): JudgedAnswer | undefined => {
  const { calls, isLast } = judging.reading.samples;
  if (calls.length === 0) return undefined;
  const told: HeldCalls = { code: 'call_in_text', message: heldText(calls), calls };
  return { ...left(judging), ...(isLast || isMeant(judging, calls) ? { held: told } : { warning: told }) };
};

/** Somebody named a notation, and a sentence goes on with the call: nothing quotes or introduces it. */
export const isMeant = ({ answer: { whole }, context }: Judging, calls: readonly UnreadCall[]): boolean =>
  context.dialect !== 'auto' &&
  calls.every(({ text, isUnclear }) => {
    const before = whole.slice(0, Math.max(0, whole.indexOf(text)));
    const isCode = before.split(FENCE).length % 2 === 0;
    return !isUnclear && !isCode && WORD_BEFORE.test(before) && !isSample(before);
  });
const WORD_BEFORE = /[\p{L}\p{N}][ \t]*$/u;

/** What names a tool beside what could be its arguments is no answer before the model was asked. */
const unclear = (judging: Judging): JudgedAnswer => {
  const { looked, context } = judging;
  if (context.isShaped || !context.tools) return left(judging);
  const named = unclearCall(looked.text, context.tools);
  const headless = named === undefined ? headlessCall(looked.whole, context.tools) : undefined;
  if (headless?.isAll) return returned([headless.call], judging.reading.dialect);
  const call = named ?? headless?.call ?? bareArguments(looked.whole, context.tools);
  if (call === undefined) return left(judging);
  const told = { code: 'call_in_text' as const, message: unclearText(call.name), calls: [call] };
  const start = looked.text.indexOf(call.text);
  const before = looked.text.slice(0, start);
  const isShown = isSample(before) || isCodeAmongWords(before, looked.text.slice(start));
  return { ...left(judging), ...(isShown ? { warning: told } : { held: told }) };
};

/** It stands in a fence that words follow. */
const isCodeAmongWords = (before: string, rest: string): boolean => {
  const close = before.split(FENCE).length % 2 === 0 ? rest.indexOf(FENCE) : -1;
  return close >= 0 && /\p{L}/u.test(rest.slice(close + FENCE.length));
};
const FENCE = '```';

/** What was said before an empty call is the answer; where it announces one, the model is reminded of it. */
const emptyBehind = ({ answer, looked, context, readers }: Judging): JudgedAnswer | undefined => {
  const start = context.isShaped ? undefined : readers.emptyStart(looked.whole);
  if (start === undefined || isSample(looked.whole.slice(0, start))) return undefined;
  const empty = { name: '', arguments: {}, text: looked.whole.slice(start) };
  const message = 'The answer ends in an empty call, which names no tool. Nothing was run.';
  const text = withoutEnd(answer.text, empty);
  return { ...kept({ ...answer, text }), warning: { code: 'call_in_text', message, calls: [empty] } };
};

export const heldText = (held: readonly UnreadCall[]): string => {
  const names = [...new Set(held.map(({ name }) => name))].join(', ');
  const what = held.length === 1 ? `a call to ${names}` : `${counted(held.length, 'call')} (${names})`;
  return `The answer holds ${what}, beside which other text stands. Nothing was run.`;
};
