/**
 * Which of the calls that stand in an answer are made, in every notation and place.
 *
 * - What the parser reads is made, but for what the words before it introduce as a sample.
 * - Where an answer ends in a call that is made, every call before it is made too, in order and in whatever notation.
 * - A call to no tool, and one that cannot be read, is answered beside those that are made.
 * - Other calls to tools on offer are held: they stand among words, also in a fence with words behind it.
 */

import type { JsonObject, JsonValue } from '../../core/json.ts';
import { goesOn, isOwnSaying, isPlainLead, isPresented, leadOf } from '../sample.ts';
import { describesTool } from '../tool-schema.ts';
import type { BrokenCall, ParsedCall, ParseResult, ParserEvent, ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { AMONG, MENTIONED, oneAtATime, writeExactly } from './call-words.ts';
import { EXACT_DIALECT } from './exact-call.ts';
import { CALL_CHARACTER, type Gap, gapsIn, isInCode, mentionedIn, PLACES_MAX, withGaps } from './mentions.ts';
import { fitsTool } from './understood-call.ts';
import { hasWords, type WrittenCall, withoutCalls, writtenCalls } from './written-calls.ts';

/** One call of an answer, in the order of the text. */
export type AnswerPart =
  | { kind: 'call'; call: ParsedCall }
  | { kind: 'broken'; broken: BrokenCall }
  /** Answered with what is wrong with it. */
  | { kind: 'unread'; unread: UnreadCall };

export type AnswerReading = {
  dialect: string;
  /** What is left for a person. */
  content: string;
  parts: AnswerPart[];
  /** Calls to tools on offer that are not made, since words stand beside them. Their text is in the content. */
  held: UnreadCall[];
  /** These and the samples, in the order of the text. */
  seen: UnreadCall[];
  /** Calls to tools that the words before them introduce as samples. `isLast`: nothing but what the model does follows. */
  samples: { calls: UnreadCall[]; isLast: boolean };
  /** The answer begins with one of them, or ends in one behind a sentence: nobody quotes a call there. */
  isMeant: boolean;
  /** The content behind the last call that was seen. */
  tail: string;
  /** The content without the descriptions of tools in it; undefined where it holds none. */
  undescribed?: string;
};

export type AnswerRules = {
  /** By which the text was read. */
  dialect: string;
  /** Somebody named a notation, so calls in another one are asked for again where words stand beside them. */
  isNamed: boolean;
  /** What was offered; undefined: nothing is known, and JSON among words may be anything. */
  tools: readonly ToolDefinition[] | undefined;
  isTool(name: string): boolean;
  isThoughts?: boolean | undefined;
};

type Parsed = { events: readonly ParserEvent[]; result: ParseResult };
/** `whole`: as it came, calls in it included. */
type Written = Parsed & { whole: string };

/** Reads a whole text in any dialect. */
export type ReadEvents = (text: string) => Parsed;

/** The dialect whose document looks for calls anywhere in a text. */
export const SCANNED = 'plain-json';
const AUTO = 'auto';

/** A call that is no text any more, and where it stood. */
type Marked = { at: number; part: Exclude<AnswerPart, { kind: 'unread' }> };
type Text = { content: string; marked: Marked[] };
type Item = { start: number; end: number } & ({ part: Marked['part'] } | { written: WrittenCall });

export const readAnswer = (
  { events, result, whole }: Written,
  rules: AnswerRules,
  readAll: ReadEvents,
): AnswerReading => {
  const { dialect, tools, isTool } = rules;
  const asRead = textOf(events, result);
  const reading: AnswerReading = {
    parts: [],
    dialect: result.dialect,
    content: asRead.content,
    held: [],
    seen: [],
    samples: NO_SAMPLES,
    isMeant: false,
    tail: asRead.content,
  };
  if (dialect === 'native' || tools?.length === 0) return { ...reading, parts: asRead.marked.map(({ part }) => part) };
  const text = dialect === AUTO ? asRead : withOtherMarks(asRead, isTool, readAll);
  const read = (part: string): ParseResult => readAll(part).result;
  const { content } = text;
  const isShown = (name: string, args: JsonValue | undefined): boolean => describesTool(tools, name, args);
  const fits = (name: string, args: JsonObject): boolean => fitsTool(tools, { name, arguments: args });
  const seen = writtenCalls(content, { isTool, read, isShown, fits });
  const shown = seen.filter((one) => one.isShown);
  if (shown.length > 0) Object.assign(reading, { undescribed: withoutCalls(content, shown) });
  const written = seen.filter((one) => !one.isShown && !isSpokenOf(one, content));
  const told = malformedIn(text);
  const readable = written.filter((one) => !told.some(({ start, end }) => start <= one.start && one.start < end));
  const items: Item[] = [
    ...text.marked.map(({ at, part }) => ({ start: at, end: at, part })),
    ...readable.map((one) => ({ start: one.start, end: one.end, written: one })),
  ].sort((left, right) => left.start - right.start);
  const tail = content.slice(items.reduce((last, { end }) => Math.max(last, end), 0));
  const gaps = gapsOf(whole, text, read);
  const mentioned = new Set(gaps.length === 0 ? [] : mentionedIn(masked(whole, content, readable), gaps));
  if (rules.isThoughts) for (const at of inCode(whole, text, gaps)) mentioned.add(at);
  const plain = plainlyLed({ items, content, whole, gaps }, rules);
  const introduced = introducedIn(items, content, mentioned, whole, plain);
  const explained = explainedIn(items, content);
  const samples = new Set([...introduced, ...explained]);
  const isSample = (item: Item): boolean => samples.has(item);
  const meant = items.filter((item) => !isSample(item));
  const spans = meant.flatMap((item) => ('written' in item ? [item.written] : []));
  const isOneExact = items.length === 1 && asRead.marked.length === 1;
  const isAmongWords = hasWords(content, spans);
  const look: Look = {
    content,
    sourceOf: sourcesIn(whole, text, gaps),
    whyOf: ({ name, arguments: args }, item) => {
      if (dialect !== EXACT_DIALECT) return isSample(item) ? MENTIONED : AMONG;
      return items.length > 1 ? oneAtATime(items.length) : isAmongWords ? AMONG : writeExactly(name, args);
    },
  };
  if (dialect === EXACT_DIALECT && meant.length > 0 && !isOneExact) {
    const seen = items.flatMap((item) => seenIn(look, item));
    return { ...reading, tail, parts: [], held: seen, seen };
  }
  // A sample that the parser took out of the text stands in it again, as the model wrote it.
  const kept = gaps.filter(({ at }) => items.every((item) => 'written' in item || item.start !== at || isSample(item)));
  const left = withGaps(whole, content, kept);
  const all = isMade(meant, content, rules, isAmongWords);
  if (all || meant.some((item) => 'part' in item && item.part.kind === 'call')) {
    const isBehindWords = /\p{L}/u.test(withoutCalls(content, spans));
    const parts = items.flatMap((item): AnswerPart[] =>
      isSample(item)
        ? sampleIn(look, item)
        : !all && 'written' in item
          ? besideIn(look, item)
          : [madeOf(content, item, isBehindWords)],
    );
    const taken = spans.map(({ start, end }) => ({ start: left.moved(start), end: left.moved(end) }));
    return { ...reading, tail, content: withoutCalls(left.text, taken), parts };
  }
  // In a fence a call to no tool is a quotation, and so it is where nobody named a notation.
  const held = (item: Item): UnreadCall[] =>
    rules.isNamed && !('written' in item && item.written.isFenced) ? seenIn(look, item) : heldIn(look, item);
  const seenHere =
    tools === undefined ? [] : items.flatMap((item) => (isSample(item) ? heldIn(look, item) : held(item)));
  return {
    ...reading,
    tail,
    content: left.text,
    parts: meant.flatMap((item) => ('part' in item ? [item.part] : [])),
    // Where one is asked about, the others are as well.
    held: tools === undefined || meant.flatMap(held).length === 0 ? [] : seenHere,
    seen: seenHere,
    samples: {
      calls: [...samples].flatMap((item) => (tools === undefined && 'written' in item ? [] : heldIn(look, item))),
      // Words behind a call that nothing else shows to be a sample leave it unclear.
      isLast:
        mentioned.size > 0 ||
        explained.some((item) => !introduced.has(item)) ||
        items
          .slice(-1)
          .some(
            (item) => isSample(item) && (goesOn(content.slice(item.end)) || isOwnSaying(content.slice(0, item.start))),
          ),
    },
    isMeant: isMeant(meant, content),
  };
};

const isMeant = (items: readonly Item[], content: string): boolean => {
  const [first, last] = [items[0], items.at(-1)];
  const isFirst =
    first !== undefined && 'written' in first && !first.written.isFenced && first.written.place === 'alone';
  const isSaid = last !== undefined && 'written' in last && last.written.place === 'sentence' && isEnd(content, last);
  return isFirst || isSaid;
};

/** A sentence goes on around a call to a tool that there is not. */
const isSpokenOf = ({ call, problem, place, isFenced, end }: WrittenCall, content: string): boolean =>
  call === undefined &&
  problem === undefined &&
  place === 'word' &&
  !isFenced &&
  /^[^\n]*\p{L}/u.test(content.slice(end, end + LINE_CHARACTERS));
const LINE_CHARACTERS = 400;

/** Calls that cannot be read are told of already, and their text is in the content. */
const malformedIn = ({ content, marked }: Text): { start: number; end: number }[] =>
  marked.flatMap(({ part }) => {
    const written = part.kind === 'broken' && part.broken.problem === 'malformed' ? part.broken.text.trim() : '';
    const start = written === '' ? -1 : content.indexOf(written);
    return start < 0 ? [] : [{ start, end: start + written.length }];
  });

/** The text that is left, and where calls stood in it. */
const textOf = (events: readonly ParserEvent[], { broken }: ParseResult): Text => {
  const text: Text = { content: '', marked: [] };
  const begun = broken.filter(({ name }) => name !== undefined);
  for (const event of events) {
    if (event.type === 'text') text.content += event.text;
    if (event.type !== 'call_end') continue;
    const cut = event.call === undefined ? begun.shift() : undefined;
    const at = text.content.length;
    if (event.call !== undefined) text.marked.push({ at, part: { kind: 'call', call: event.call } });
    else if (cut !== undefined) text.marked.push({ at, part: { kind: 'broken', broken: cut } });
  }
  const rest = broken.filter((one) => !text.marked.some(({ part }) => part.kind === 'broken' && part.broken === one));
  for (const one of rest) text.marked.push({ at: text.content.length, part: { kind: 'broken', broken: one } });
  return text;
};

/** A call with marks is one in every dialect. */
const withOtherMarks = ({ content, marked }: Text, isTool: AnswerRules['isTool'], readAll: ReadEvents): Text => {
  const all: Text = { content: '', marked: [] };
  // The text of a call that cannot be read stands in the content, and would be found again.
  const told = new Set(marked.flatMap(({ part }) => (part.kind === 'broken' ? [part.broken.text] : [])));
  const isTold = ({ part }: Marked): boolean => part.kind === 'broken' && told.has(part.broken.text);
  let from = 0;
  const addText = (piece: string): void => {
    if (piece.trim() === '') {
      all.content += piece;
      return;
    }
    const { events, result } = readAll(piece);
    const read = textOf(events, result);
    const other = { ...read, marked: read.marked.filter((one) => !isTold(one)) };
    const isCalled = other.marked.some(({ part }) => part.kind === 'call' || isTool(part.broken.name ?? ''));
    const base = all.content.length;
    all.content += isCalled ? other.content : piece;
    if (isCalled) all.marked.push(...other.marked.map(({ at, part }) => ({ at: base + at, part })));
  };
  for (const { at, part } of marked) {
    addText(content.slice(from, at));
    all.marked.push({ at: all.content.length, part });
    from = at;
  }
  addText(content.slice(from));
  return all;
};

const NO_SAMPLES: AnswerReading['samples'] = { calls: [], isLast: false };

/** What the words before it introduce as a sample, and what follows such a call with nothing between. */
const introducedIn = (
  items: readonly Item[],
  content: string,
  mentioned: ReadonlySet<number>,
  whole: string,
  plain: Item | undefined,
): ReadonlySet<Item> => {
  const samples = new Set<Item>();
  for (const [index, item] of items.entries()) {
    const before = items[index - 1];
    const left = content.slice(before?.end ?? 0, item.start);
    // The parser takes the mark of a line together with its call.
    const words = before === undefined && left.trim() === '' ? leadOf(whole) : left;
    const follows = before !== undefined && FOLLOWS.test(words);
    const isCall = 'written' in item || item.part.kind === 'call';
    const isMentioned = 'part' in item ? mentioned.has(item.start) : item.written.isQuoted === true;
    const isShown = (): boolean => (follows ? samples.has(before) : item !== plain && isPresented(words));
    if (isCall && (isMentioned || isShown())) samples.add(item);
  }
  return samples;
};

type Answered = { items: readonly Item[]; content: string; whole: string; gaps: readonly Gap[] };

/** The one call of an answer that ends in it, in marks of its own and with the arguments of its tool, behind a few plain words. */
const plainlyLed = (
  { items, content, whole, gaps }: Answered,
  { tools, isThoughts }: AnswerRules,
): Item | undefined => {
  const [item, ...others] = items;
  const gap = gaps.find(({ at }) => at === item?.start);
  if (item === undefined || others.length > 0 || gap === undefined) return undefined;
  if (!('part' in item) || item.part.kind !== 'call' || !isEnd(content, item)) return undefined;
  const written = whole.slice(gap.from, gap.to);
  const isMarked = OWN_MARKS.test(written) || (isThoughts === true && ACTION.test(written));
  const isPlain = isMarked && fitsTool(tools, item.part.call) && isPlainLead(linesBefore(whole, gap));
  return isPlain ? item : undefined;
};
/** What only a model writes that calls: a pair of tags, or a token. */
const OWN_MARKS = /^\s*(?:<[|｜]?[\w▁:-]+[^\n>]*>|\[TOOL_CALLS\])/u;

/** In ReAct an action stands behind its thought. */
const ACTION = /^\s*Action:/;

/** With the space that the parser took together with the call. */
const linesBefore = (whole: string, { from, to }: Gap): string =>
  whole.slice(0, to - whole.slice(from, to).trimStart().length);

/** Words behind the last call may explain it; those of a call without marks are looked at by its place. */
const explainedIn = (items: readonly Item[], content: string): readonly Item[] => {
  const last = items.at(-1);
  const isMarked = last !== undefined && 'part' in last && last.part.kind === 'call';
  return isMarked && !goesOn(content.slice(last.end)) ? lastGroup(items, content) : [];
};

/** Nothing stands between two calls but the mark of the next line. */
const FOLLOWS = /^[\s,;]*(?:[-*•]|\d+[.)])?\s*$/;

/** The last call, and those before it with nothing between. */
const lastGroup = (items: readonly Item[], content: string): readonly Item[] => {
  const from = items.findLastIndex((item, index) => WORDS.test(content.slice(items[index - 1]?.end ?? 0, item.start)));
  return items.slice(Math.max(0, from));
};
const WORDS = /[\p{L}\p{N}]/u;

/** The answer ends in a call that is made, so all of them are. */
const isMade = (
  items: readonly Item[],
  content: string,
  { dialect, isNamed, tools }: AnswerRules,
  isAmongWords: boolean,
): boolean => {
  const last = items.at(-1);
  const hasMarked = items.some((item) => 'part' in item && item.part.kind === 'call');
  const isAny = hasMarked || items.some((item) => 'written' in item && item.written.call !== undefined);
  if (last === undefined || !isAny || dialect === EXACT_DIALECT) return false;
  if (tools === undefined && !hasMarked) return isNamed && !isAmongWords;
  if ('part' in last) return true;
  if (!isEnd(content, last)) return false;
  const { place, isFenced } = last.written;
  const isOwnLine = isFenced || place === 'alone' || place === 'line';
  if (dialect === SCANNED) return true;
  return isOwnLine && (!isNamed || dialect === AUTO || hasMarked || !isAmongWords);
};

const isEnd = (content: string, { end }: Item): boolean => !/[\p{L}\p{N}]/u.test(content.slice(end));

const madeOf = (content: string, item: Item, isBehindWords: boolean): AnswerPart => {
  if ('part' in item) return item.part;
  const { call } = item.written;
  if (call === undefined) return { kind: 'unread', unread: unreadOf(content, item.written) };
  if (!isBehindWords) return { kind: 'call', call };
  const repair = { kind: 'call_after_words', detail: 'the call stood among words, and the answer ends in a call' };
  return { kind: 'call', call: { ...call, repairs: [repair, ...call.repairs] } };
};

/** Not made beside those that are. A fence with a call to no tool is a quotation. */
const besideIn = (look: Look, item: Item): AnswerPart[] => {
  if ('written' in item && item.written.call === undefined && item.written.problem === undefined)
    return item.written.isFenced ? [] : [{ kind: 'unread', unread: unreadOf(look.content, item.written) }];
  return heldIn(look, item).map((unread) => ({ kind: 'unread', unread }));
};

/** Answered beside calls that are made, where there is such a tool. */
const sampleIn = (look: Look, item: Item): AnswerPart[] =>
  heldIn(look, item).map((unread) => ({ kind: 'unread', unread }));

/** What was seen of any call, where none of them is made. */
const seenIn = (look: Look, item: Item): UnreadCall[] =>
  'part' in item || item.written.call !== undefined
    ? heldIn(look, item)
    : [{ ...unreadOf(look.content, item.written), isPart: true }];

/** What was seen of a call to a tool on offer, and is not made. */
const heldIn = (look: Look, item: Item): UnreadCall[] => {
  if ('part' in item) return item.part.kind === 'call' ? [markedSample(look, item.part.call, item)] : [];
  const { call, problem } = item.written;
  if (call === undefined && problem === undefined) return [];
  return [
    { ...unreadOf(look.content, item.written), problem: problem ?? look.whyOf(item.written, item), isPart: true },
  ];
};

const unreadOf = (content: string, { name, arguments: args, problem, start, end }: WrittenCall): UnreadCall => ({
  name,
  arguments: args,
  text: content.slice(start, end),
  ...(problem === undefined ? {} : { problem }),
});

const markedSample = (look: Look, { name, arguments: args }: ParsedCall, item: Item): UnreadCall => ({
  name,
  arguments: args,
  problem: look.whyOf({ name, arguments: args }, item),
  text: look.sourceOf(item.start) ?? JSON.stringify({ name, arguments: args }),
  isPart: true,
});

/** A text in which no words are left of calls that the parser left there. */
const masked = (whole: string, content: string, written: readonly WrittenCall[]): string =>
  written.slice(0, PLACES_MAX).reduce((text, { start, end }) => {
    const call = content.slice(start, end);
    return text.replaceAll(call, () => CALL_CHARACTER.repeat(call.length));
  }, whole);

/** Where the parser took calls out of a text; of those that it could not read the text stands in it still. */
const gapsOf = (whole: string, { content, marked }: Text, read: (part: string) => ParseResult): Gap[] => {
  const taken = marked.filter(({ part }) => part.kind === 'call' || part.broken.problem === 'truncated');
  if (!taken.some(({ part }) => part.kind === 'call')) return [];
  // The text is nothing else, so what stands in it is all of it.
  if (content.trim() === '') return leadOf(whole) === '' ? [] : [{ at: taken[0]?.at ?? 0, from: 0, to: whole.length }];
  const counts = new Map<number, { calls: number; all: number }>();
  for (const { at, part } of taken) {
    const { calls, all } = counts.get(at) ?? { calls: 0, all: 0 };
    counts.set(at, { calls: calls + (part.kind === 'call' ? 1 : 0), all: all + 1 });
  }
  return gapsIn(whole, content, [...counts.keys()], (part, place) => {
    const { calls, broken, content: words } = read(part);
    const there = counts.get(place);
    return words.trim() === '' && calls.length === there?.calls && calls.length + broken.length === there.all;
  });
};

/** Calls that stand in code, or nobody knows where: of thoughts only what stands alone is meant. */
const inCode = (whole: string, { content, marked }: Text, gaps: readonly Gap[]): number[] =>
  marked.flatMap(({ at }) => {
    const gap = gaps.find((one) => one.at === at);
    const isCode = gap === undefined ? content.trim() !== '' : isInCode(linesBefore(whole, gap));
    return isCode ? [at] : [];
  });

/** What is needed to say of a call that it was seen. */
type Look = {
  content: string;
  /** What was written of the one call of a place. */
  sourceOf(place: number): string | undefined;
  /** Why it was not run. */
  whyOf(call: Pick<ParsedCall, 'name' | 'arguments'>, item: Item): string;
};

const sourcesIn =
  (whole: string, { marked }: Text, gaps: readonly Gap[]): Look['sourceOf'] =>
  (place) => {
    const gap = gaps.find(({ at }) => at === place);
    const isOne = marked.filter(({ at }) => at === place).length === 1;
    return gap && isOne ? whole.slice(gap.from, gap.to).trim() : undefined;
  };
