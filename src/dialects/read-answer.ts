/** The reading of a whole answer: what its parser left in the text is looked through once more. */
import { counted } from '../core/number-text.ts';
import { auto } from './all-dialects.ts';
import { callMarks, emptyCallStart, spokenMark } from './answer/call-marks.ts';
import { calledBy, unclearText } from './answer/call-words.ts';
import { decodedAnswer } from './answer/decoded-answer.ts';
import { resultMarks } from './answer/invented.ts';
import type { AnswerContext, AnswerReaders, AnswerText, HeldCalls, JudgedAnswer } from './answer/judged.ts';
import type { AnswerPart } from './answer/reading.ts';
import { toldIfRefused } from './answer/refused-calls.ts';
import { unclearAs } from './answer/unclear-call.ts';
import { judgeAnswer } from './answer.ts';
import { REASONING_CLOSE, splitThoughts, thoughtMarks, withoutThoughts } from './opened-thoughts.ts';
import { createParser, parseToolCalls } from './parse.ts';
import { type StrayCall, type StrayOptions, strayCall } from './stray-call.ts';
import { type TrailingCalls, trailingCalls } from './trailing-calls.ts';
import type { EndOptions, ParsedCall, ParseResult, Parser, ParserEvent, ToolDefinition } from './types.ts';
import { findUnread, type IsTool, type UnreadCall } from './unread-call.ts';

/** The call that an answer is meant as and that `dialect` does not read; undefined where it is an answer. */
export const findUnreadCall = (answer: string, dialect: string, isTool?: IsTool): UnreadCall | undefined => {
  const read = (part: string, by: string, tools?: readonly ToolDefinition[]): ParseResult =>
    parseToolCalls(part, { dialect: by, ...(tools ? { tools } : {}) });
  return findUnread(answer, dialect, { read, isTool, marks });
};

const marks = callMarks(auto.calls);
const ofThoughts = thoughtMarks(auto.reasoning ?? []);

/** Whether a text begins with the mark of a call, in any notation, or with a part of one that it ends in. */
export const callMarkAtStart = (text: string): 'whole' | 'part' | undefined => {
  const begun = text.trimStart();
  if (marks.open.some((mark) => begun.startsWith(mark))) return 'whole';
  return marks.open.some((mark) => mark.startsWith(begun)) ? 'part' : undefined;
};

/**
 * The calls to `tools` that an answer of unknown notation ends in, behind words; undefined where it ends in none.
 * `anywhere`: also in the middle of a sentence.
 */
export const findTrailingCalls = (
  answer: string,
  tools: readonly ToolDefinition[],
  options: { anywhere?: boolean } = {},
): TrailingCalls | undefined =>
  trailingCalls(answer, (part) => parseToolCalls(part, { dialect: auto.name, tools }), options);

/** A call that stands in an answer and that nothing else reads, in any notation, whole or cut off. */
export const findStrayCall = (answer: string, tools: Omit<StrayOptions, 'read'>): StrayCall | undefined => {
  const found = anyStrayCall(answer, tools);
  return found?.isShown ? undefined : found;
};
const anyStrayCall = (answer: string, tools: Omit<StrayOptions, 'read'>): StrayCall | undefined =>
  strayCall(answer, { ...tools, read: (part) => parseToolCalls(part, { dialect: auto.name }) });

/** A text and what a parser made of it, all in one. */
export type ReadText = { text: string; events: readonly ParserEvent[]; result: ParseResult };

/**
 * The reading of a whole text that begins in thoughts which its parser did not know of: those before a closing mark that
 * nothing opened, or between marks of another dialect. Its text is what stands behind them. Undefined where there are none.
 */
export const readBehindThoughts = (
  text: string,
  result: ParseResult,
  open: () => Parser,
  options?: EndOptions,
): ReadText | undefined => {
  const read = (part: string): Omit<ReadText, 'text'> => {
    const parser = open();
    const events = parser.push(part);
    const { events: last, result } = parser.end(options);
    return { events: [...events, ...last], result };
  };
  const split = splitThoughts(text, result, ofThoughts, (part) => read(part).result);
  if (split === undefined) return undefined;
  const behind = read(split.rest);
  const reasoning = [split.thoughts, behind.result.reasoning].filter((part) => part !== '').join('\n\n');
  return { text: split.rest, events: behind.events, result: { ...behind.result, reasoning } };
};

/**
 * What becomes of every call in an answer: the one reading of all surfaces. Its text was read by `createParser`. What stands
 * behind a result that the model made up for its call is neither read nor kept.
 */
export const readAnswer = (answer: AnswerText, context: AnswerContext): JudgedAnswer => {
  const { tools, isTool, reads } = context;
  const inThoughts = context.isThoughts ? undefined : judgedThoughts(answer, context);
  if (inThoughts !== undefined) return inThoughts;
  const names = (tools ?? []).map((tool) => ('function' in tool ? tool.function.name : tool.name));
  const whole = answer.result.reasoning === '' ? answer.whole : withoutThoughts(answer.whole, auto.reasoning ?? []);
  const spoken = answer.result.calls.length > 0 ? undefined : spokenMark(whole, marks, isTool);
  if (spoken !== undefined) {
    const text = answer.text.includes(spoken) ? answer.text : whole;
    return { text, written: { dialect: answer.result.dialect, parts: [] } };
  }
  const readAs = (part: string, dialect: string): Omit<ReadText, 'text'> => {
    const parser = createParser({ dialect, ...(tools ? { tools } : {}) });
    const events = parser.push(part);
    const { events: last, result } = parser.end({ isCut: context.isCut === true });
    return { events: [...events, ...last], result };
  };
  const readers: AnswerReaders = {
    readAll: (part) => readAs(part, auto.name),
    // Where nothing is known of the tools, no key and no value is the name of one.
    unread: (part, dialect) => findUnreadCall(part, dialect, tools === undefined ? undefined : isTool),
    trailing: (part, anywhere) => findTrailingCalls(part, tools ?? [], { anywhere }),
    stray: (part) => anyStrayCall(part, { names, isTool }),
    emptyStart: (part) => emptyCallStart(part, marks),
  };
  if (typeof reads === 'string' && tools?.length !== 0 && !context.isShaped)
    for (const end of resultMarks(whole)) {
      const own = whole.slice(0, end).trimEnd();
      const read = readAs(own, reads);
      if (read.result.truncated || readers.readAll(own).result.truncated) continue;
      const judged = judgeAnswer({ ...read, text: read.result.content, whole: own }, context, readers);
      if (judged.written.parts.some(isWhole)) return { ...judged, invented: INVENTED };
    }
  const judged = toldIfRefused(judgeAnswer({ ...answer, whole }, context, readers));
  if (judged.written.parts.length > 0 || typeof reads !== 'string' || tools === undefined || context.isShaped)
    return judged;
  const readAgain = (text: string): JudgedAnswer => {
    const read = readAs(text, reads);
    return judgeAnswer({ ...read, text: read.result.content, whole: text }, context, readers);
  };
  const seen = whole.replace(UNSEEN, '');
  const clear = seen === whole ? undefined : readAgain(seen);
  const unseen = clear && withUnseen(clear, whole);
  if (unseen !== undefined || !isSilent(judged)) return unseen ?? judged;
  const told = clear === undefined ? judged : toldAs(clear, judged);
  const decoded = isSilent(told) ? decodedAnswer(seen) : seen;
  return decoded === seen ? told : toldAs(withEncoded(toldIfRefused(readAgain(decoded)), whole), told);
};

/** Characters that nobody sees: within the marks or the keys of a call they hide it from every parser. */
const UNSEEN = /\p{Cf}|\p{Variation_Selector}|\u034f/gu;
const UNSEEN_WITHIN = 'a character that cannot be seen stands within the call: write it again without';

const isSilent = ({ held, warning }: JudgedAnswer): boolean => held === undefined && warning === undefined;

/** What is said of a call without them is said of it with them. */
const toldAs = ({ held, warning }: JudgedAnswer, judged: JudgedAnswer): JudgedAnswer => ({
  ...judged,
  ...(held === undefined ? {} : { held }),
  ...(warning === undefined ? {} : { warning }),
});

/** What is a call without them goes back to the model: nobody can tell whether they belong to a value. */
const withUnseen = ({ written: { dialect, parts } }: JudgedAnswer, whole: string): JudgedAnswer | undefined => {
  const unread = parts.map((part): AnswerPart => {
    if (part.kind === 'unread') return part;
    return {
      kind: 'unread',
      unread: { name: nameOf(part), arguments: {}, problem: UNSEEN_WITHIN, text: whole.trim() },
    };
  });
  return parts.length === 0 ? undefined : { text: '', written: { dialect, parts: unread }, isReturned: true };
};

/** What is a call in an encoded text is made by nobody: the model is asked whether it means it. */
const withEncoded = ({ written, held, warning, text }: JudgedAnswer, whole: string): JudgedAnswer => {
  const unclear = (name: string): UnreadCall => unclearAs(name, whole.trim());
  const again = ({ code, message, calls }: HeldCalls): HeldCalls => ({
    code,
    message,
    calls: calls.map(({ name }) => unclear(name)),
  });
  const [first, ...more] = written.parts.map((part) => unclear(nameOf(part)));
  const made: HeldCalls | undefined = first && {
    code: 'call_in_text',
    message: unclearText(first.name),
    calls: [first, ...more],
  };
  const asked = made ?? (held && again(held));
  return {
    text,
    written,
    ...(asked === undefined ? {} : { held: asked }),
    ...(warning === undefined ? {} : { warning: again(warning) }),
  };
};

const nameOf = (part: AnswerPart): string => {
  if (part.kind === 'unread') return part.unread.name;
  return (part.kind === 'call' ? part.call.name : part.broken.name) ?? '';
};

/** It does not end in the arguments of a call. */
const isWhole = (part: AnswerPart): boolean =>
  part.kind === 'call' || (part.kind === 'unread' && part.unread.isCut !== true);

const INVENTED =
  'The answer went on behind its call with a result that the model made up. What stood there was not read and is not kept.';

/** Of thoughts that lead to no answer: the call that they end in, or what else of them may be one. */
export type ThoughtCall = Partial<{ call: ParsedCall; held: HeldCalls; warning: HeldCalls }>;

/**
 * Some models think their way to a call and stop there. It is made by the rules of an answer, and only where it stands alone
 * at the end of thoughts that ended by themselves (`isCut`: they did not). Anything else in thoughts is a draft: the model is
 * asked once about a call that may be meant, or the person is told of it.
 */
export const readThoughtCall = (
  thoughts: string,
  context: Pick<AnswerContext, 'tools' | 'isTool' | 'mayGuess' | 'isCut'>,
): ThoughtCall => {
  const { tools = [], isTool, isCut = false } = context;
  if (tools.length === 0 || thoughts.trim() === '') return {};
  const parser = createParser({ dialect: 'auto', tools });
  const begun = parser.push(thoughts);
  const { events: last, result } = parser.end({ isCut });
  const events = [...begun, ...last];
  const { written, held, warning } = readAnswer(
    { events, result, text: result.content, whole: thoughts },
    { ...context, dialect: 'auto', reads: 'auto', isThoughts: true },
  );
  const made = written.parts.at(-1);
  if (!isCut && made?.kind === 'call' && isTool(made.call.name) && lastCalls(events) === 1) return { call: made.call };
  if (warning !== undefined) return { warning: heldThoughts(warning.calls) };
  const calls = held?.calls ?? written.parts.flatMap((part) => draftOf(part, isTool));
  return calls.length === 0 ? {} : { held: heldThoughts(calls) };
};

/** Calls that the thoughts end in, with nothing between or behind them. */
const lastCalls = (events: readonly ParserEvent[]): number =>
  events.reduce((count, event) => {
    if (event.type === 'call_end') return count + 1;
    return event.type === 'text' && event.text.trim() !== '' ? 0 : count;
  }, 0);

const draftOf = (part: AnswerPart, isTool: AnswerContext['isTool']): UnreadCall[] =>
  part.kind === 'call' && isTool(part.call.name) ? [asDraft(part.call)] : [];

const asDraft = ({ name, arguments: args }: ParsedCall): UnreadCall => ({
  name,
  arguments: args,
  text: JSON.stringify({ name, arguments: args }),
  isPart: true,
});

const heldThoughts = (calls: readonly UnreadCall[]): HeldCalls => ({
  code: 'call_in_text',
  message: `The thoughts hold ${calls.length === 1 ? calledBy(calls[0]?.name) : counted(calls.length, 'call')}, and no answer came of them. Nothing was run.`,
  calls,
  isMeant: true,
  isThought: true,
});

const OPENED = (auto.reasoning ?? []).filter(({ close }) =>
  close.some((mark) => REASONING_CLOSE.test(mark) || /reasoning>|of_thought/.test(mark)),
);

/** Calls that a parser took out of thoughts which nothing closes. */
const judgedThoughts = ({ whole, text, result }: AnswerText, context: AnswerContext): JudgedAnswer | undefined => {
  const begun = whole.trimStart();
  const opened = OPENED.find(({ open, keepOpen }) => open !== undefined && !keepOpen && begun.startsWith(open));
  const last = result.calls.at(-1);
  if (opened?.open === undefined || last === undefined || text.trim() !== '') return undefined;
  if (!context.tools?.length || context.isShaped || opened.close.some((mark) => begun.includes(mark))) return undefined;
  const { call, held, warning } = readThoughtCall(begun.slice(opened.open.length), context);
  const { dialect } = result;
  if (call?.name === last.name) return { text, written: { dialect, parts: [{ kind: 'call', call: last }] } };
  const told = warning === undefined ? { held: held ?? heldThoughts(result.calls.map(asDraft)) } : { warning };
  return { text, written: { dialect, parts: [] }, ...told };
};
