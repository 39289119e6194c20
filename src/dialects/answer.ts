/**
 * The reading of an answer: what becomes of the calls that stand in the text of a model. One rule holds for every notation,
 * place and surface. A call outside thoughts, inline code and samples is made, or goes back to the model as what it is, or is
 * held, so that the model is asked about it once and the person told if that was in vain. None is lost, none is made twice.
 */
import { besideNative } from './answer/beside-native.ts';
import { calledBy } from './answer/call-words.ts';
import {
  type AnswerContext,
  type AnswerReaders,
  type AnswerText,
  type JudgedAnswer,
  type Judging,
  kept,
  returned,
  withIds,
  writtenOf,
} from './answer/judged.ts';
import { type AnswerReading, readAnswer, SCANNED } from './answer/reading.ts';
import { scannedCalls } from './answer/scanned-call.ts';
import { besideShown, isMeant } from './answer/shown-calls.ts';
import { withCalls } from './answer/with-calls.ts';
import { misread, withoutCalls } from './answer/without-calls.ts';
import type { ParseResult } from './types.ts';
import type { UnreadCall } from './unread-call.ts';

export const judgeAnswer = (answer: AnswerText, context: AnswerContext, readers: AnswerReaders): JudgedAnswer => {
  const { reads, tools, isTool } = context;
  const { result } = answer;
  if (typeof reads !== 'string' || reads === 'native' || tools?.length === 0) return kept(answer);
  const rules = { dialect: reads, isNamed: context.dialect !== 'auto', tools, isTool, isThoughts: context.isThoughts };
  const reading = context.isShaped ? asParsed(result) : readAnswer(answer, rules, readers.readAll);
  const { undescribed } = reading;
  const looked =
    undescribed === undefined
      ? answer
      : { ...answer, text: undescribed, whole: undescribed, result: { ...result, content: undescribed } };
  const judging: Judging = { answer, looked, context, readers, reading };
  if (context.native !== undefined && context.native.length > 0) return besideNative(judging, context.native);
  if (reading.parts.some(({ kind }) => kind === 'call')) return withCalls(judging);
  const isBroken = result.broken.some(({ name }) => name !== undefined && isTool(name));
  if (isBroken && tools !== undefined) return misread(judging) ?? kept(answer);
  const judged = trailingIn(judging) ?? besideShown(judging, withoutCalls(judging));
  const { held } = judged;
  // What may be a call in whatever form is one where its notation is looked for everywhere.
  const isSure = held?.calls.some(({ isUnclear }) => isUnclear !== true) === true;
  const scanned = isSure ? undefined : scannedIn(judging, judged);
  if (scanned !== undefined) return scanned;
  if (held !== undefined && isMeant(judging, held.calls)) return { ...judged, held: { ...held, isMeant: true } };
  return judged;
};

/** Where its notation was named, an object with a name and arguments is a call wherever it stands. */
const scannedIn = ({ looked, context, reading }: Judging, judged: JudgedAnswer): JudgedAnswer | undefined => {
  const { dialect, reads, tools, isTool, isShaped } = context;
  const isLooked = reads === SCANNED && dialect !== 'auto' && tools !== undefined && !isShaped;
  if (!isLooked || judged.written.parts.length > 0 || judged.isReturned) return undefined;
  // The person is told of a call to a tool already, where its words show it.
  const isShown = ({ name }: UnreadCall): boolean => judged.warning !== undefined && isTool(name);
  const unread = scannedCalls(looked.text, isTool).filter((call) => !isShown(call));
  return unread.length === 0 ? undefined : returned(unread, reading.dialect);
};

const asParsed = (result: ParseResult): AnswerReading => ({
  dialect: result.dialect,
  content: result.content,
  parts: [...writtenOf(result).parts],
  held: [],
  seen: [],
  samples: { calls: [], isLast: false },
  isMeant: false,
  tail: result.content,
});

/** Functions over several lines that an answer of unknown notation ends in, and a call that it ends inside of. */
const trailingIn = ({ answer, looked, context, readers }: Judging): JudgedAnswer | undefined => {
  const { reads, dialect, tools, isShaped } = context;
  const isScanned = reads === SCANNED;
  if ((reads !== 'auto' && !isScanned) || tools === undefined || isShaped) return undefined;
  const found = readers.trailing(looked.text, isScanned);
  if (found === undefined) return undefined;
  const { calls, broken, words } = found;
  if (!found.isInLine || isScanned) {
    const repair = { kind: 'call_after_words', detail: 'the call stood behind words, at the end of the answer' };
    const made = calls.map((call) => ({ ...call, repairs: [repair, ...call.repairs] }));
    return {
      text: words,
      written: withIds(writtenOf({ ...answer.result, dialect: found.dialect, calls: made, broken })),
    };
  }
  if (dialect !== 'auto') return undefined;
  const { name = '', arguments: args = {} } = calls[0] ?? {};
  const message = `The answer ends in ${calledBy(name)} in the middle of a line. Nothing was run.`;
  const unread = { name, arguments: args, text: answer.text.trim().slice(words.length).trim() };
  return { ...kept(answer), held: { code: 'unread_call', message, calls: [unread] } };
};
