/**
 * What is kept, by rules alone, of turns that are left out of the window: what the person said word for word, what they
 * decided, the tasks, the files with a line each, and the lines of results that stand out.
 */

import type { Event } from '../events.ts';
import { LIMITS } from '../limits.ts';
import { type ToolCall, writtenText } from '../message.ts';
import type { Task } from '../ports.ts';
import type { ToolResult } from '../tool-result.ts';
import { type Decision, decisionLines, decisionsIn, deniedCalls } from './decisions.ts';
import { exchangesIn } from './exchanges.ts';
import { fileLines, filesIn } from './file-lines.ts';
import { type ConversationNotes, notesLines } from './notes.ts';
import { createReadMessages, type ReadMessages, withSaidTo } from './read-messages.ts';
import { createSaid, type Said, type SaidChoice } from './said.ts';
import { costOf, FURTHER_LINE_INDENT } from './said-choice.ts';
import { saidTo } from './said-to.ts';
import { fitting, ITEM_CHARACTERS, section } from './sections.ts';
import { linesAbout, standingLines } from './standing-lines.ts';
import { testEnding } from './test-endings.ts';
import { callText, firstWords } from './text.ts';
import { type Traced, type TraceOf, tracedCalls } from './traced-calls.ts';

export type RetainOptions = {
  trace: TraceOf;
  tasks: readonly Task[];
  notes?: ConversationNotes | undefined;
  /** What the person wants kept now, word for word. */
  focus?: string | undefined;
  /** How much may be kept, in characters; each part has its share of it. */
  maxCharacters: number;
  /** What the person said may take so much, where it is more than its share. */
  saidCharacters?: number | undefined;
  /** How it was chosen when room was made before. */
  saidBefore?: SaidChoice | undefined;
  /** The model can look up what was left out. */
  isSearchable?: boolean | undefined;
};

/** What was kept, for the person. */
export type RetainedCounts = { messages: number; shortened: number; decisions: number; files: number; lines: number };
export type Retained = {
  text: string;
  counts: RetainedCounts;
  /** Every message of the person stands whole, so more room is of no use. */
  isComplete: boolean;
  /** The first words of messages that stand in part. */
  shortened: readonly string[];
  /** The first words of messages of which nothing stands, the weightiest first. */
  dropped: readonly string[];
  /** How what the person said was chosen, where not all of it had room. */
  said?: SaidChoice | undefined;
};

const SHARE = {
  messages: 0.6,
  files: 0.14,
  lines: 0.12,
  decisions: 0.08,
  commands: 0.08,
  aside: 0.06,
  about: 0.1,
} as const;
const FOCUS_SHARE = 0.4;
const ANSWER_CHARACTERS = 320;
const ANSWER_SHARE = 0.15;
/** What short messages were said to comes on top of what the person said: of all that is kept, and where there is little of it. */
const SAID_TO_SHARE = 0.1;
const SAID_TO_CHARACTERS_MIN = 600;
/** One choice, where every token counts. */
const SAID_TO_CHARACTERS_TIGHTEST = 130;

/**
 * What is kept of the events before a place in the log, as the log is now: it may be one that grows. What takes long is
 * found once for all places and all plans.
 */
export const createRetainer = (
  events: readonly Event[],
  trace: RetainOptions['trace'],
): ((keptFrom: number, options: RetainOptions) => Retained) => {
  const log = [...events];
  const calls = tracedCalls(log, trace);
  const traced = calls.map(tracedText);
  return (keptFrom, options) => {
    const focuses = focusesIn(log, options.focus);
    const { read, leftAt } = foundBefore({ log, traced, focuses });
    const left = leftAt.get(keptFrom) ?? leftOut(log, { calls, read }, keptFrom, focuses);
    leftAt.set(keptFrom, left);
    return fullest(left, options, focuses);
  };
};

/** None of these lists changes any more. */
type Looked = { log: readonly Event[]; traced: readonly string[]; focuses: readonly string[] };
type FoundIn = Looked & { read: ReadMessages; leftAt: Map<number, LeftOut> };
/** By the first event of a log: a plan is made, made again with what the server counts, and again with the notes of the model. */
const latest = new WeakMap<Event, FoundIn>();
const foundBefore = (looked: Looked): FoundIn => {
  const [first] = looked.log;
  const before = first && latest.get(first);
  if (before && isSame(before, looked)) return before;
  const found = { ...looked, read: before?.read ?? createReadMessages(), leftAt: new Map() };
  if (first) latest.set(first, found);
  return found;
};
/** Room is made: what was found is not held until it is made again, which may be never. */
export const forgetFound = ([first]: readonly Event[]): void => {
  if (first) latest.delete(first);
};
const isSame = (before: Looked, now: Looked): boolean =>
  isSameList(before.log, now.log) && isSameList(before.focuses, now.focuses) && isSameList(before.traced, now.traced);
const isSameList = <T>(one: readonly T[], other: readonly T[]): boolean =>
  one === other || (one.length === other.length && one.every((item, at) => item === other[at]));
const tracedText = ({ seq, trace: { kind, what, isPart } }: Traced): string => `${seq} ${kind} ${isPart} ${what}`;

/**
 * Where something that the person said once has no room, and the window is too small for all that may be kept, what was
 * found in results gives way: it can be read again.
 */
const fullest = (left: LeftOut, options: RetainOptions, focuses: readonly string[]): Retained => {
  const usual =
    Math.floor(options.maxCharacters * SHARE.messages) + Math.min(left.saidToCharacters, saidToMost(options));
  const room = Math.max(options.saidCharacters ?? 0, usual);
  const quoted = options.notes?.said;
  const said = left.choose(room, options.saidBefore, quoted);
  const found = foundIn(left, options, 1);
  if (!said.lacksFacts || options.maxCharacters >= LIMITS.compactionRetainedCharacters)
    return retainedOf(left, options, focuses, said, found);
  const less = foundIn(left, options, FOUND_SHARE_LEAST);
  const freed = charactersOf(found) - charactersOf(less);
  return retainedOf(left, options, focuses, left.choose(room + freed, undefined, quoted), less);
};
/** Of their shares. */
const FOUND_SHARE_LEAST = 0.3;

type Found = { files: readonly string[]; lines: readonly string[]; commands: readonly string[] };
const foundIn = (left: LeftOut, { maxCharacters }: RetainOptions, part: number): Found => {
  const room = (share: keyof typeof SHARE): number => Math.floor(maxCharacters * SHARE[share] * part);
  return {
    files: fileLines(left.files, room('files')),
    lines: fitting(left.lines, room('lines')),
    commands: fitting(left.commands, room('commands')),
  };
};
const charactersOf = ({ files, lines, commands }: Found): number => costOf([...files, ...lines, ...commands]);

/** What is found of the events before a place, whatever room there is for it. */
type LeftOut = {
  events: readonly Event[];
  said: readonly string[];
  choose: ReturnType<typeof createSaid>;
  /** What the first message that stays was said to. */
  nextSaidTo: string | undefined;
  /** What short messages were said to takes so much. */
  saidToCharacters: number;
  decisions: readonly Decision[];
  files: ReturnType<typeof filesIn>;
  lines: readonly string[];
  /** About what the person wants kept. */
  about: readonly string[];
  commands: readonly string[];
  aside: readonly string[];
};

const leftOut = (
  log: readonly Event[],
  { calls, read }: { calls: readonly Traced[]; read: ReadMessages },
  keptFrom: number,
  focuses: readonly string[],
): LeftOut => {
  const isLeftOut = ({ seq }: { seq: number }): boolean => seq < keptFrom;
  const events = log.filter(isLeftOut);
  const leftCalls = calls.filter(isLeftOut);
  const written = saidIn(events);
  const worked = workedIn(events, [...leftCalls, ...deniedCalls(events)]);
  const next = log.find(({ type, seq }) => type === 'user_message_added' && seq >= keptFrom);
  const exchanges = exchangesIn(next ? [...events, next] : events);
  const to = saidTo(exchanges, worked);
  const said = written.map((text, at) => withSaidTo(text, to[at]));
  const firsts = said.flatMap((text, at) => (isFirstOfRun(text, at, said) ? [at] : []));
  const ofFirsts = (texts: readonly string[]): string[] => firsts.map((at) => texts[at] ?? '');
  const corrects = [...firsts, written.length].map((at) => exchanges[at]?.isCorrection === true);
  return {
    events,
    said,
    choose: createSaid(ofFirsts(written), focuses, { worked: ofFirsts(worked), saidTo: ofFirsts(to), corrects, read }),
    nextSaidTo: to[written.length] || undefined,
    saidToCharacters: to.slice(0, written.length).reduce((sum, { length }) => sum + length, 0),
    decisions: decisionsIn(events),
    files: filesIn(leftCalls),
    lines: standingLines(log, calls)
      .filter(isLeftOut)
      .map(({ text }) => text),
    about: linesAbout(log, calls, focuses)
      .filter(isLeftOut)
      .map(({ text }) => text),
    commands: commandsIn(leftCalls),
    aside: putAsideIn(events),
  };
};

const retainedOf = (
  left: LeftOut,
  options: RetainOptions,
  focuses: readonly string[],
  messages: Said,
  { files, lines, commands }: Found,
): Retained => {
  const room = (share: keyof typeof SHARE): number => Math.floor(options.maxCharacters * SHARE[share]);
  const decisions = decisionLines(left.decisions, room('decisions'));
  const aside = fitting(left.aside, room('aside'));
  const wanted = wholeOrCut(focuses, Math.floor(options.maxCharacters * FOCUS_SHARE));
  if (left.said.length === 0) {
    const text = section('The user wants this kept in mind, word for word', wanted).join('\n');
    return {
      text,
      counts: { messages: 0, shortened: 0, decisions: 0, files: 0, lines: 0 },
      isComplete: true,
      shortened: [],
      dropped: [],
    };
  }
  const { said } = left;
  const keptLines = new Set(messages.lines);
  const repeated = said.filter((one, at) => !isFirstOfRun(one, at, said) && keptLines.has(one)).length;
  const text = [
    'Earlier in this conversation, left out here to save room:',
    ...section('The user wants this kept in mind, word for word', wanted),
    ...section('Lines of results about that', fitting(left.about, room('about'))),
    ...section('The user said, word for word', messages.lines.map(asItem)),
    ...section('The user decided', decisions),
    ...notesLines(options.notes ?? {}),
    ...section('Open tasks', openTasks(options.tasks)),
    ...section('Files', files),
    ...section('Lines of results that stood out', lines),
    ...section('Commands run, the latest first', commands),
    ...section('Long results, which read_file shows in ranges', aside),
    ...lastAnswer(left, Math.min(ANSWER_CHARACTERS, Math.floor(options.maxCharacters * ANSWER_SHARE))),
    `Look at files again before you rely on what they held.${options.isSearchable ? ' search_session finds what was said and shown before.' : ''}`,
  ].join('\n');
  const { whole, shortened, dropped } = messages;
  const counts = {
    messages: whole + shortened.length + repeated,
    shortened: shortened.length,
    decisions: decisions.length,
    files: files.length,
    lines: lines.length,
  };
  const isComplete = shortened.length === 0 && whole + repeated === said.length;
  return {
    text,
    counts,
    isComplete,
    shortened: named(shortened.slice(-SHORTENED_NAMED)),
    dropped: named(dropped.slice(0, DROPPED_NAMED)),
    said: messages.choice && { ...messages.choice, ...(messages.lacksFacts ? { lacks_facts: true } : {}) },
  };
};

const named = (messages: readonly string[]): string[] =>
  messages.map((message) => firstWords(message, NAMED_CHARACTERS));
/** The newest. The others are in the prompt to be seen. */
const SHORTENED_NAMED = 8;
/** The weightiest. */
const DROPPED_NAMED = 100;
const NAMED_CHARACTERS = 60;

/** A choice that nobody understands any more is none, so it has room also where there is little. */
const saidToMost = ({ maxCharacters }: RetainOptions): number =>
  maxCharacters <= LIMITS.compactionRetainedCharactersMin
    ? SAID_TO_CHARACTERS_TIGHTEST
    : Math.max(SAID_TO_CHARACTERS_MIN, Math.floor(maxCharacters * SAID_TO_SHARE));

/** What is said again and again, one time after the other, stands once. */
const isFirstOfRun = (text: string, at: number, all: readonly string[]): boolean => text !== all[at - 1];

const saidIn = (left: readonly Event[]): string[] =>
  left.flatMap((event) =>
    event.type === 'user_message_added' ? [inLines(writtenText(event.content)) || '(nothing in words)'] : [],
  );

/** For each of those messages, the arguments of the calls that ran or were denied before the next one. */
const workedIn = (left: readonly Event[], calls: readonly { seq: number; call: ToolCall }[]): string[] => {
  const starts = left.flatMap(({ type, seq }) => (type === 'user_message_added' ? [seq] : []));
  return starts.map((start, at) => {
    const end = starts[at + 1] ?? Number.POSITIVE_INFINITY;
    const own = calls.filter(({ seq }) => seq > start && seq < end);
    return own.map(({ call }) => wordsOf(call)).join('\n');
  });
};

const wordsOf = ({ arguments: args }: ToolCall): string =>
  Object.values(args)
    .map((value) => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, ARGUMENT_CHARACTERS))
    .join('\n');
/** Of one argument: what was asked for stands in its beginning, or it is a whole file. */
const ARGUMENT_CHARACTERS = 1_000;

/** The lines of a message stay, with what they are indented by: rows of a table, code and YAML say nothing without. */
const inLines = (text: string): string => {
  const lines = text
    .replaceAll(/[\r\v\f\u0085\u2028\u2029]+/gu, (breaks) => (breaks === '\r' ? '' : ' '))
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(withoutPadding);
  return lines.length === 1 ? lines.join('').trim() : lines.join('\n');
};
const withoutPadding = (line: string): string => {
  const words = line.trim();
  const indent = line.slice(0, line.indexOf(words.charAt(0))).slice(0, INDENT_MAX);
  return `${indent}${words.replaceAll(/ {2,}/g, ' ')}`;
};
const INDENT_MAX = 24;

/** The further lines of a message belong to its item, whatever they begin with. */
const asItem = (message: string): string => message.replaceAll('\n', `\n${' '.repeat(FURTHER_LINE_INDENT)}`);

/** What the person wanted kept whenever they asked for room, the latest first. */
export const focusesIn = (log: readonly Event[], now?: string): string[] => {
  const before = log.flatMap((event) => (event.type === 'context_compacted' && event.focus ? [event.focus] : []));
  return [...new Set([...before, ...(now ? [now] : [])].reverse())];
};

/** The latest is cut where there is no room for it. */
const wholeOrCut = (texts: readonly string[], characters: number): string[] => {
  const [latest] = texts;
  const kept = fitting(texts.map(oneLine), characters);
  return kept.length > 0 || latest === undefined ? kept : [firstWords(latest, characters)];
};

const openTasks = (tasks: readonly Task[]): string[] =>
  tasks
    .filter(({ status }) => status !== 'completed')
    .map(({ id, content, status }) => `${id} ${firstWords(content, ITEM_CHARACTERS)} (${status})`);

const commandsIn = (calls: readonly Traced[]): string[] => {
  const ran = new Map<string, string>();
  for (const { trace, result } of calls.toReversed()) {
    const what = firstWords(trace.what, ITEM_CHARACTERS);
    if (trace.kind === 'ran' && !ran.has(what)) ran.set(what, `${what}${endOf(result)}`);
  }
  return [...ran.values()];
};

/** A filter behind the tests ends well whatever they do, so what they counted is told too. */
const endOf = ({ success, data, error_message: message }: ToolResult): string => {
  const ends = [success ? '' : 'failed', testEnding(data ?? message ?? '') ?? ''].filter((part) => part !== '');
  return ends.length === 0 ? '' : ` (${ends.join('; ')})`;
};

/** Results that were put aside whole, the latest first: without its name nobody finds one again. */
const putAsideIn = (left: readonly Event[]): string[] => {
  const calls = new Map<string, ToolCall>();
  const places = new Map<string, string>();
  for (const event of left) {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    else if (event.type === 'tool_finished' && event.result.metadata.result_file !== undefined) {
      const call = calls.get(event.tool_call_id);
      if (call) places.set(event.result.metadata.result_file, callText(call));
    }
  }
  return [...places].reverse().map(([place, call]) => `${place}: ${call}`);
};

/** Its beginning, and what the first message that stays was said to. */
const lastAnswer = ({ events, nextSaidTo }: LeftOut, characters: number): string[] => {
  const answer = events.findLast((event) => event.type === 'assistant_message_added' && event.message.content !== '');
  if (answer?.type !== 'assistant_message_added') return [];
  const whole = oneLine(answer.message.content);
  const beginning = firstWords(whole, characters);
  const rest = beginning === whole || nextSaidTo === undefined ? '' : ` ${nextSaidTo}`;
  const { by_halter: isByHalter = false } = answer.message;
  return [`${isByHalter ? 'The end of that part' : 'Your last answer of that part'}: ${beginning}${rest}`];
};

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
