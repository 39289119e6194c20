/** An answer without a call that is made, in which one is meant: it is understood after all, goes back or is held. */
import type { UnreadCall } from '../unread-call.ts';
import { calledBy, UNREADABLE, unreadable } from './call-words.ts';
import { EXACT_DIALECT } from './exact-call.ts';
import { judgeStray } from './judge-stray.ts';
import {
  type AnswerContext,
  type HeldCalls,
  type JudgedAnswer,
  type Judging,
  left,
  onlyCall,
  returned,
} from './judged.ts';
import { type AnswerReading, SCANNED } from './reading.ts';
import { type FoundAnswer, heldText } from './shown-calls.ts';
import { understoodCall } from './understood-call.ts';
import { cutAtEnd } from './with-calls.ts';

/** A call that its parser took for one that is cut or cannot be read, though it is known what it says or what is wrong. */
export const misread = (judging: Judging): JudgedAnswer | undefined => {
  const { answer, context, readers, reading } = judging;
  const { result, whole } = answer;
  if (result.broken.length !== 1 || result.calls.length > 0) return undefined;
  const unread = readers.unread(whole, 'auto');
  const isTold = unread?.problem !== undefined && unread.problem !== UNREADABLE && unread.isPart !== true;
  if (!isTold || unread.isCut === true) return closedAtEnd(judging);
  return understood(unread, context, reading) ?? returned([unread], reading.dialect);
};

/** Of a whole answer the last bracket alone is missing, and no limit ended it. */
const closedAtEnd = ({ answer, context, readers }: Judging): JudgedAnswer | undefined => {
  const whole = answer.whole.trim();
  if (context.isCut || context.reads === EXACT_DIALECT || !/^\{[\s\S]*\}$/.test(whole)) return undefined;
  const { calls, broken, content, dialect } = readers.readAll(`${whole}}`).result;
  const [call] = calls;
  if (call === undefined || calls.length + broken.length > 1 || content.trim() !== '') return undefined;
  const repair = { kind: 'missing_closer', detail: 'the last bracket of the call was missing' };
  return onlyCall({ ...call, repairs: [repair, ...call.repairs] }, dialect);
};

const understood = (
  unread: UnreadCall,
  context: AnswerContext,
  { dialect }: AnswerReading,
): JudgedAnswer | undefined => {
  const call = understoodCall(unread, context);
  return call && onlyCall(call, dialect);
};

/** In a named dialect a call that could not be read goes back to the model; else it is asked about, or told. */
export const withoutCalls = (judging: Judging): FoundAnswer | undefined => {
  const { looked, context, readers, reading } = judging;
  const { dialect, reads, isTool, tools, isShaped } = context;
  const isOpen = dialect === 'auto';
  const { held, seen } = reading;
  const cut = held.length === 0 || isShaped ? undefined : cutAtEnd(reading.tail, context, readers);
  const back = cut === undefined ? [] : [cut];
  const found = unreadIn(judging);
  const unread =
    held.length > 0 && reads !== EXACT_DIALECT && !found?.isMarked ? undefined : (found ?? emptyIn(judging));
  if (unread !== undefined) {
    const made = understood(unread, context, reading) ?? (unread.isMarked ? undefined : closedAtEnd(judging));
    if (made !== undefined) return made;
    const isBack = !isOpen || unread.isMarked === true || (unread.isPart !== true && isTool(unread.name));
    if (isBack) return returned([...(seen.length > 1 ? seen : [unread]), ...back], reading.dialect);
    const told = { code: 'unread_call' as const, message: unreadText(isTool, unread), calls: [unread] };
    return { ...left(judging), ...(isTool(unread.name) ? { held: told } : { warning: told }) };
  }
  if (held.length > 0) {
    if (isNothingElse(looked.text, held)) return returned(held.map(asWhole), reading.dialect);
    if (!isOpen || cut !== undefined) return returned([...seen, ...back], reading.dialect);
    const code = reading.isMeant ? 'unread_call' : 'call_in_text';
    return { ...left(judging), held: { code, message: heldText(held), calls: held } };
  }
  // Samples are known already.
  const rest = reading.samples.calls.length > 0 ? reading.tail : looked.text;
  const stray = tools === undefined || isShaped ? undefined : readers.stray(rest);
  const judged = stray && judgeStray(stray, { isOpen, isScanned: reads === SCANNED, isTool });
  if (judged === undefined) return undefined;
  if ('unread' in judged) return closedAtEnd(judging) ?? returned([judged.unread], reading.dialect);
  const { call, code, message, isAsked } = judged;
  const told: HeldCalls = { code, message, calls: [call] };
  if (isAsked) return { ...left(judging), held: told };
  return { ...left(judging), warning: told, ...(stray?.isShown ? { isShown: true } : {}) };
};

/** No word stands beside them. */
const isNothingElse = (text: string, calls: readonly UnreadCall[]): boolean => {
  const rest = calls.reduce((left, call) => left.replace(call.text, () => ' '), text);
  return !/[\p{L}\p{N}]/u.test(rest.replaceAll(/```\w*/g, ''));
};

const asWhole = ({ isPart: _words, ...call }: UnreadCall): UnreadCall => call;

/** An empty list is no call to its parser, which leaves nothing of the text then. */
const emptyIn = ({ looked, context, readers }: Judging): UnreadCall | undefined =>
  context.isShaped || readers.emptyStart(looked.whole.trim()) !== 0
    ? undefined
    : readers.unread(looked.whole, String(context.reads));

const unreadText = (isTool: AnswerContext['isTool'], { name, isPart }: UnreadCall): string => {
  const why = name === '' ? '' : isTool(name) ? ', beside which other text stands' : ', which is no tool here';
  return `The ${isPart ? 'answer holds' : 'whole answer is'} ${calledBy(name)}${why}. Nothing was run.`;
};

/** The call that a text is, or in a named dialect one that stands in it, and that is not to be made. */
const unreadIn = ({ looked, context, readers }: Judging): UnreadCall | undefined => {
  const { dialect, reads, isTool } = context;
  const { result, whole } = looked;
  const form = typeof dialect === 'string' && reads === 'auto' ? dialect : String(reads);
  const [first, ...more] = result.broken;
  if (first === undefined) return readers.unread(result.content, form);
  if (more.length > 0) return undefined;
  // Of a broken call the parser may know no name; or the whole answer is one to a tool that is not offered.
  if (first.name === undefined) return readers.unread(first.text, form);
  if (isTool(first.name)) return undefined;
  if (!/^\s*[<[{]/.test(whole)) return readers.unread(whole, form);
  return { name: first.name, arguments: {}, problem: unreadable(whole), text: whole.trim() };
};
