/**
 * The reading of an answer: what becomes of the calls that stand in the text of a model. One rule holds for every notation,
 * place and surface. A call outside thoughts, inline code and samples is made, or goes back to the model as what it is, or is
 * held, so that the model is asked about it once and the person told if that was in vain. None is lost, none is made twice.
 */
import { isObject, type JsonObject, type JsonValue } from '../core/json.ts';
import { counted } from '../core/number-text.ts';
import { calledBy, NAMELESS, UNREADABLE, unreadable } from './answer/call-words.ts';
import { EXACT_DIALECT, exactFault } from './answer/exact-call.ts';
import { judgeStray } from './answer/judge-stray.ts';
import { type AnswerPart, type AnswerReading, type ReadEvents, readAnswer, SCANNED } from './answer/reading.ts';
import { scannedCalls } from './answer/scanned-call.ts';
import { unclearCall } from './answer/unclear-call.ts';
import { understoodCall } from './answer/understood-call.ts';
import type { Dialect } from './prompts.ts';
import { isSample } from './sample.ts';
import type { StrayCall } from './stray-call.ts';
import type { TrailingCalls } from './trailing-calls.ts';
import type { ParsedCall, ParseResult, ParserEvent, ToolDefinition } from './types.ts';
import type { UnreadCall } from './unread-call.ts';

/** The calls that stand in a text, in its order, and the dialect that they are written in. */
export type WrittenCalls = { parts: readonly AnswerPart[]; dialect: string };

export type AnswerText = {
  events: readonly ParserEvent[];
  result: ParseResult;
  /** As the person saw it. */
  text: string;
  /** As it came, calls in it included. */
  whole: string;
};

export type AnswerContext = {
  /** What a call can be made to; undefined: nothing is known, and JSON among words may be anything. */
  tools: readonly ToolDefinition[] | undefined;
  /** There is such a tool, on offer or not. */
  isTool(name: string): boolean;
  /** The name of a call without one may be guessed to be this. */
  mayGuess(name: string): boolean;
  /** That the prompt is written in; `auto`: nobody named one. */
  dialect: Dialect;
  /** By which the text was read. */
  reads: Dialect;
  /** Calls in the server's own field. */
  native?: readonly { name: string; arguments: JsonObject }[];
  /** The answer is to have a shape, so JSON among its words is meant as it is. */
  isShaped?: boolean;
  /** A limit ended the answer. */
  isCut?: boolean;
};

/** How the rest of the text is looked through. */
export type AnswerReaders = {
  readAll: ReadEvents;
  unread(text: string, dialect: string): UnreadCall | undefined;
  trailing(text: string, anywhere: boolean): TrailingCalls | undefined;
  stray(text: string): StrayCall | undefined;
  /** Where a call begins that the text ends in, and of which nothing is there but its marks. */
  emptyStart(text: string): number | undefined;
};

/** A call to a tool on offer among words: the model is asked about it once, and the person told if that was in vain. */
export type HeldCalls = {
  code: 'unread_call' | 'call_in_text';
  message: string;
  calls: readonly UnreadCall[];
  /** In the notation that was named, and nothing shows it to be a sample: what the model says when it is asked is its answer. */
  isMeant?: true;
};

export type JudgedAnswer = {
  text: string;
  written: WrittenCalls;
  /** Nothing of the text was meant for the person. */
  isReturned?: true;
  held?: HeldCalls;
  /** Of what nobody can make the person is told. */
  warning?: HeldCalls;
  /** What to say of a result that the model made up for its call; it is left out. */
  invented?: string;
};

export const judgeAnswer = (answer: AnswerText, context: AnswerContext, readers: AnswerReaders): JudgedAnswer => {
  const { reads, tools, isTool } = context;
  const { result } = answer;
  if (typeof reads !== 'string' || reads === 'native' || tools?.length === 0) return kept(answer);
  const rules = { dialect: reads, isNamed: context.dialect !== 'auto', tools, isTool };
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
  if (held !== undefined)
    return isMeant(judging, held.calls) ? { ...judged, held: { ...held, isMeant: true } } : judged;
  return scannedIn(judging, judged) ?? judged;
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

type Judging = {
  answer: AnswerText;
  /** The same without the descriptions of tools in it, for whoever looks for calls. */
  looked: AnswerText;
  context: AnswerContext;
  readers: AnswerReaders;
  reading: AnswerReading;
};

/** As its parser found them. */
export const writtenOf = ({ calls, broken, dialect }: ParseResult): WrittenCalls => ({
  dialect,
  parts: [
    ...calls.map((call): AnswerPart => ({ kind: 'call', call })),
    ...broken.map((one): AnswerPart => ({ kind: 'broken', broken: one })),
  ],
});

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

/** The call came without a name, and its arguments fit one tool. */
export const isGuessed = ({ repairs }: Pick<ParsedCall, 'repairs'>): boolean =>
  repairs.some(({ kind }) => kind === 'inferred_name');

/** The server may hand over in its field what it left in the text as well; other calls of the text are answered. */
const besideNative = ({ answer, reading }: Judging, native: NonNullable<AnswerContext['native']>): JudgedAnswer => {
  const { result, text } = answer;
  const { parts, held, dialect } = reading;
  const isEcho = echoesOf(native);
  const found = parts.flatMap((part): AnswerPart[] => {
    if (part.kind === 'broken') return [part];
    const call = part.kind === 'call' ? part.call : part.unread;
    if (isEcho(call)) return [];
    if (part.kind !== 'call' || result.calls.includes(part.call)) return [part];
    const { name, arguments: args } = part.call;
    return [
      {
        kind: 'unread',
        unread: { name, arguments: args, problem: TWICE, text: JSON.stringify({ name, arguments: args }) },
      },
    ];
  });
  const others = held.filter((unread) => !isEcho(unread));
  const written = [...found, ...others.map((unread): AnswerPart => ({ kind: 'unread', unread }))];
  return { text, written: { dialect, parts: written } };
};

type NamedCall = { name: string; arguments: JsonObject };

/** Each call of the field has one copy in the text. A copy more is a call of its own. */
const echoesOf = (native: readonly NamedCall[]): ((call: NamedCall) => boolean) => {
  const left = native.map(keyOf);
  return (call) => {
    const at = left.indexOf(keyOf(call));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
};

/** The order of keys means nothing, and a text may hold a number as a word. */
const keyOf = ({ name, arguments: args }: NamedCall): string => JSON.stringify([name.trim(), canonical(args)]);

const canonical = (value: JsonValue): JsonValue => {
  if (Array.isArray(value)) return value.map(canonical);
  if (!isObject(value)) return String(value);
  const keys = Object.keys(value).sort();
  return keys.map((key) => [key, canonical(value[key] as JsonValue)]);
};

const TWICE = 'it stands in the text, beside calls in the field for calls: send it in that field';

const returned = (calls: readonly UnreadCall[], dialect: string): JudgedAnswer => ({
  text: '',
  written: { dialect, parts: calls.map((unread) => ({ kind: 'unread', unread })) },
  isReturned: true,
});

/** Parts that were read by themselves each counted from 1. */
const withIds = ({ parts, dialect }: WrittenCalls): WrittenCalls => {
  const ids = parts.flatMap((part) => (part.kind === 'call' ? [part.call.id] : []));
  if (new Set(ids).size === ids.length) return { parts, dialect };
  let number = 0;
  const numbered = parts.map((part): AnswerPart => {
    if (part.kind !== 'call') return part;
    number += 1;
    return /^call_\d+$/.test(part.call.id) ? { kind: 'call', call: { ...part.call, id: `call_${number}` } } : part;
  });
  return { parts: numbered, dialect };
};

/** Calls are made; what stands beside them and cannot be is answered as well. */
const withCalls = ({ answer, context, readers, reading }: Judging): JudgedAnswer => {
  const { dialect, reads, mayGuess } = context;
  const { whole, result } = answer;
  // In a named dialect the name of a call is not guessed.
  const isRisky = (call: ParsedCall): boolean => isGuessed(call) && (dialect !== 'auto' || !mayGuess(call.name));
  const isRead = reading.parts.some((part) => part.kind === 'call' && !isRisky(part.call));
  // A mark that begins a call and closes the one before it has lost a stroke.
  const isMark = (part: AnswerPart): boolean =>
    part.kind === 'broken' && !context.isCut && readers.emptyStart(part.broken.text.trim()) === 0;
  const written = reading.parts.filter((part) => !(isRead && isMark(part)));
  const parts = written.map((part): AnswerPart => {
    if (part.kind === 'call' && isRisky(part.call)) {
      return {
        kind: 'unread',
        unread: { name: '', arguments: part.call.arguments, problem: NAMELESS, text: whole.trim() },
      };
    }
    // Its parser read no name yet, and then nobody would hear of it.
    const isNameless = isRead && part.kind === 'broken' && part.broken.name === undefined;
    const unread = isNameless ? cutAtEnd(part.broken.text, context, readers) : undefined;
    return unread === undefined ? part : { kind: 'unread', unread };
  });
  const first = parts.find((part) => part.kind === 'call')?.call;
  if (first === undefined) return { text: '', written: { dialect: reading.dialect, parts }, isReturned: true };
  const inexact = exactFault(reads, first.name, whole, readers.unread);
  if (inexact !== undefined) return returned([inexact], reading.dialect);
  const said = tidied(reading.content === result.content ? answer.text : reading.content);
  const unmarked = reading.parts.reduce(
    (rest, part) => (part.kind === 'broken' && isMark(part) ? withoutEnd(rest, part.broken) : rest),
    said,
  );
  const text = parts.reduce((rest, part) => (part.kind === 'unread' ? withoutEnd(rest, part.unread) : rest), unmarked);
  const tail = behindBroken(reading.tail, parts);
  const cut = cutAtEnd(tail, context, readers) ?? misshapenAtEnd(tail, context, readers);
  if (cut === undefined) return { text, written: withIds({ dialect: reading.dialect, parts }) };
  return {
    text: withoutEnd(text, cut),
    written: withIds({ dialect: reading.dialect, parts: [...parts, { kind: 'unread', unread: cut }] }),
  };
};

/** Behind the calls that cannot be read and are answered already: their text stands in the content. */
const behindBroken = (text: string, parts: readonly AnswerPart[]): string =>
  parts.reduce((rest, part) => {
    const at = part.kind === 'broken' && part.broken.text !== '' ? rest.indexOf(part.broken.text) : -1;
    return at < 0 || part.kind !== 'broken' ? rest : rest.slice(at + part.broken.text.length);
  }, text);

/** Without what is left of the marks around a call: the beginning of an end tag, a backtick that was opened before it. */
const tidied = (text: string): string => {
  const untagged = text.replace(/\s*<\/[\w|:-]*$/, '');
  const isOdd = untagged.trimEnd().endsWith('`') && untagged.split('`').length % 2 === 0;
  return isOdd ? untagged.trimEnd().slice(0, -1).trimEnd() : untagged;
};

export const withoutEnd = (text: string, { text: end }: { text: string }): string =>
  text.trimEnd().endsWith(end.trimEnd()) ? text.trimEnd().slice(0, -end.trimEnd().length).trimEnd() : text;

/** A call to a tool on offer that the answer ends inside of. */
const cutAtEnd = (text: string, { isTool, tools }: AnswerContext, readers: AnswerReaders): UnreadCall | undefined => {
  const stray = tools === undefined ? undefined : readers.stray(text);
  const judged = stray?.isCut ? judgeStray(stray, { isOpen: true, isScanned: false, isTool }) : undefined;
  return judged !== undefined && 'unread' in judged ? judged.unread : undefined;
};

/** What the answer ends in, behind calls, is one more that no notation reads. */
const misshapenAtEnd = (
  text: string,
  { isTool, tools }: AnswerContext,
  readers: AnswerReaders,
): UnreadCall | undefined => {
  const unread = tools === undefined || text.trim() === '' ? undefined : readers.unread(text, 'auto');
  return unread && (unread.isMarked || isTool(unread.name)) ? unread : undefined;
};

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

const kept = ({ text, result }: AnswerText): JudgedAnswer => ({ text, written: writtenOf(result) });

/** Nothing is made. What was taken for a call and is a sample stands in the text again. */
const left = ({ answer, reading }: Judging): JudgedAnswer => ({
  text: reading.content === answer.result.content ? answer.text : reading.content,
  written: { dialect: reading.dialect, parts: reading.parts },
});

/** What names a tool beside what could be its arguments is no answer before the model was asked. */
const unclear = (judging: Judging): JudgedAnswer => {
  const { looked, context } = judging;
  const call = context.isShaped || !context.tools ? undefined : unclearCall(looked.text, context.tools);
  if (call === undefined) return left(judging);
  const message = `The answer holds what may be ${calledBy(call.name)}, in a form that is not read. Nothing was run.`;
  const told = { code: 'call_in_text' as const, message, calls: [call] };
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

/** A call that its parser took for one that is cut or cannot be read, though it is known what it says or what is wrong. */
const misread = (judging: Judging): JudgedAnswer | undefined => {
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

const onlyCall = (call: ParsedCall, dialect: string): JudgedAnswer => ({
  text: '',
  written: { dialect, parts: [{ kind: 'call', call }] },
});

const understood = (
  unread: UnreadCall,
  context: AnswerContext,
  { dialect }: AnswerReading,
): JudgedAnswer | undefined => {
  const call = understoodCall(unread, context);
  return call && onlyCall(call, dialect);
};

/** In a named dialect a call that could not be read goes back to the model; else it is asked about, or told. */
const withoutCalls = (judging: Judging): FoundAnswer | undefined => {
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

/** `isShown`: it tells of a call that the words before it may show. */
type FoundAnswer = JudgedAnswer & { isShown?: true };

/** A call that its words may show is told of where nothing else is said of the answer. */
const besideShown = (judging: Judging, found: FoundAnswer | undefined): JudgedAnswer => {
  if (found !== undefined && !found.isShown) return found;
  const other = sampled(judging) ?? emptyBehind(judging);
  if (other !== undefined) return other;
  const last = unclear(judging);
  if (found === undefined || last.held !== undefined || last.warning !== undefined || last.isReturned) return last;
  const { isShown: _shown, ...told } = found;
  return told;
};

/** No word stands beside them. */
const isNothingElse = (text: string, calls: readonly UnreadCall[]): boolean => {
  const rest = calls.reduce((left, call) => left.replace(call.text, () => ' '), text);
  return !/[\p{L}\p{N}]/u.test(rest.replaceAll(/```\w*/g, ''));
};

const asWhole = ({ isPart: _words, ...call }: UnreadCall): UnreadCall => call;

/** A sample is never made. Where the answer ends in it, it may be meant after all: the model is asked once. */
const sampled = (judging: Judging): JudgedAnswer | undefined => {
  const { calls, isLast } = judging.reading.samples;
  if (calls.length === 0) return undefined;
  const told: HeldCalls = { code: 'call_in_text', message: heldText(calls), calls };
  return { ...left(judging), ...(isLast || isMeant(judging, calls) ? { held: told } : { warning: told }) };
};

/** Somebody named a notation, and a sentence goes on with the call: nothing quotes or introduces it. */
const isMeant = ({ answer: { whole }, context }: Judging, calls: readonly UnreadCall[]): boolean =>
  context.dialect !== 'auto' &&
  calls.every(({ text, isUnclear }) => {
    const before = whole.slice(0, Math.max(0, whole.indexOf(text)));
    const isCode = before.split(FENCE).length % 2 === 0;
    return !isUnclear && !isCode && WORD_BEFORE.test(before) && !isSample(before);
  });
const WORD_BEFORE = /[\p{L}\p{N}][ \t]*$/u;

/** An empty list is no call to its parser, which leaves nothing of the text then. */
const emptyIn = ({ looked, context, readers }: Judging): UnreadCall | undefined =>
  context.isShaped || readers.emptyStart(looked.whole.trim()) !== 0
    ? undefined
    : readers.unread(looked.whole, String(context.reads));

/** What was said before an empty call is the answer; where it announces one, the model is reminded of it. */
const emptyBehind = ({ answer, looked, context, readers }: Judging): JudgedAnswer | undefined => {
  const start = context.isShaped ? undefined : readers.emptyStart(looked.whole);
  if (start === undefined || isSample(looked.whole.slice(0, start))) return undefined;
  const empty = { name: '', arguments: {}, text: looked.whole.slice(start) };
  const message = 'The answer ends in an empty call, which names no tool. Nothing was run.';
  const text = withoutEnd(answer.text, empty);
  return { ...kept({ ...answer, text }), warning: { code: 'call_in_text', message, calls: [empty] } };
};

const heldText = (held: readonly UnreadCall[]): string => {
  const names = [...new Set(held.map(({ name }) => name))].join(', ');
  const what = held.length === 1 ? `a call to ${names}` : `${counted(held.length, 'call')} (${names})`;
  return `The answer holds ${what}, beside which other text stands. Nothing was run.`;
};

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
