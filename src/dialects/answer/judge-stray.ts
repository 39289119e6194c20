/** What becomes of a call in an answer that no parser read: back to the model, or a word to the person. */
import type { StrayCall } from '../stray-call.ts';
import type { UnreadCall } from '../unread-call.ts';
import { AMONG, CUT, calledBy, NO_NOTATION } from './call-words.ts';

export type StrayRules = {
  /** Nobody named a notation, so prose may hold JSON on purpose. */
  isOpen: boolean;
  /** The dialect whose document looks for calls anywhere. */
  isScanned: boolean;
  isTool(name: string): boolean;
};

/** `unread` goes back to the model; of the rest the person is told, where `isAsked` after the model. */
export type StrayJudgement =
  | { unread: UnreadCall }
  | { code: 'unread_call' | 'call_in_text'; message: string; call: UnreadCall; isAsked: boolean };

export const judgeStray = (stray: StrayCall, rules: StrayRules): StrayJudgement => {
  if (goesBack(stray, rules))
    return { unread: { ...unreadOf(stray), ...(stray.place === 'alone' ? {} : { isPart: true }) } };
  const { name, place, isLast, isShown } = stray;
  const isAsked = rules.isTool(name) && (isLast || !isShown);
  const why = name === '' || rules.isTool(name) ? '' : ', which is no tool here';
  const holds = place === 'alone' && isLast ? 'whole answer is' : isLast ? 'answer ends in' : 'answer holds';
  const code = place === 'alone' && isLast ? 'unread_call' : 'call_in_text';
  return { code, message: `The ${holds} ${calledBy(name)}${why}. Nothing was run.`, call: unreadOf(stray), isAsked };
};

/**
 * What was cut is no sample that somebody chose. In a named notation a call of its own line, or the last thing that is
 * said, is meant as one; in the middle of a line it is a quotation, except where calls are looked for anywhere.
 */
const goesBack = (stray: StrayCall, { isOpen, isScanned, isTool }: StrayRules): boolean => {
  const { name, place, isCut, isLast, isShown } = stray;
  if (isShown) return false;
  const isKnown = isTool(name);
  if (isCut) return isKnown || (name === '' && (!isOpen || place !== 'word')) || (!isOpen && place !== 'word');
  if (isOpen) return false;
  if (place !== 'word') return true;
  return isKnown && (isScanned || isLast);
};

const unreadOf = ({ name, arguments: args, text, isCut, place, isLast }: StrayCall): UnreadCall => ({
  name,
  arguments: args,
  text,
  problem: isCut ? CUT : place === 'alone' && isLast ? NO_NOTATION : AMONG,
  ...(isCut ? { isCut: true as const } : {}),
});
