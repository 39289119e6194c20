/** The routine of a whole answer: reasoning, text, calls, and the quotations that only look like calls. */
import { readChannel } from './channels.ts';
import type { Core } from './core.ts';
import type { ReasoningForm, StartForm, Turn } from './format.ts';
import { type MarkerSet, markerSet } from './markers.ts';
import { type Hold, isName } from './output.ts';
import { type ChannelPlan, type FormPlan, type InAnswer, type Plan, TOOL_LINE_END } from './plan.ts';
import type { MatchScanner, Routine } from './scanner.ts';
import { readSection, type SectionEnd, type SectionResult } from './section.ts';
import type { Naming } from './site.ts';

const BACKTICK = 96;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const NEWLINE = 10;
const SPACE = 32;

const LANGUAGE_CHARACTERS = 32;
const LANGUAGE_END = markerSet([true, [...'\n \t\r{[<`(']]);
const TICK = markerSet([true, ['`']]);
const FENCE = markerSet([true, ['```']]);

export type Answer = {
  read(startInReasoning: boolean): Routine;
  /** The format of the first call, reasoning block or header that was found. */
  format(): string | undefined;
};

export const answerFor = (core: Core, plan: Plan, makeId: (number: number) => string): Answer => {
  const { out, offers } = core;
  const { bare, nameStops } = plan;
  /** It is not known that the text is written in this format. */
  const cautious = plan.format.cautious === true;
  const naming: Naming = { offeredOnly: false, makeId };
  let format: string | undefined;
  /** Frames of plain words that were begun. */
  const frames = new Set<string>();

  const write = (piece: string): void => out.text(piece);
  const found = (name: string): void => {
    format ??= name;
  };

  /** From the beginning of a turn, or from behind a block of reasoning, to the end. */
  const readTurn = function* (): Routine {
    let atStart = out.untouched;
    for (;;) {
      if (atStart) {
        const { space, next } = yield* core.space();
        if (next < 0) return;
        out.text(space);
        yield* beginning(next);
      }
      const scan = yield* core.until(plan.answer, write);
      if (scan.found === undefined) return;
      yield* meet(scan.found.meaning as InAnswer, scan.found.text, scan.before);
      atStart = out.untouched;
    }
  };

  /** At the beginning a call may need no marker, and a header may have lost its own. */
  const beginning = function* (next: number): Routine {
    const { previous } = core;
    const match = yield* core.match(plan.starts);
    let start = match.found?.meaning;
    if (match.found !== undefined) core.putBack(match.found.text, previous);
    else if (nameStops !== undefined && mayBeginBare(next)) start = yield* namedStart(nameStops);
    if (start !== undefined) {
      yield* 'lines' in start ? start.lines(turn) : readChannel(turn, start, '');
      return;
    }
    if (!isBare(next)) return;
    // A word with parentheses behind it is a call only if it can be the name of a tool.
    if (cautious && offers.unknown && next !== OPEN_BRACE && next !== OPEN_BRACKET) return;
    const hold = out.begin('');
    yield* judge(hold, yield* section(bare as FormPlan, '', true));
  };

  const isBare = (next: number): boolean => bare !== undefined && !offers.none && mayBeginBare(next);

  /** A name, and behind it what tells how the answer is written. Nothing of it is eaten. */
  const namedStart = function* (stops: NonNullable<Plan['nameStops']>): Routine<StartForm | ChannelPlan | undefined> {
    const { previous } = core;
    const { head: name, found: stop } = yield* core.head(stops);
    const start = stop?.meaning;
    core.putBack(name + (stop?.text ?? ''), previous);
    if (start === undefined || start === 'no name' || !isName(name)) return undefined;
    if (!('lines' in start) || offers.get(name) !== undefined) return start;
    // Where no tools are known, arguments must follow, and the name must look like one that programmers give.
    return offers.unknown && name.includes('_') && stop?.text === TOOL_LINE_END ? start : undefined;
  };

  const section = (form: FormPlan, opener: string, isBareForm = false): Routine<SectionEnd> =>
    readSection(core, form, opener, naming, isBareForm);

  /** A stretch of calls counts only if nothing else follows; else it is text, which is returned. */
  const judge = function* (hold: Hold, end: SectionEnd | undefined): Routine<string | undefined> {
    const result = end?.result;
    if (end !== undefined && (result === 'cut' || (result === 'calls' && (yield* isLast())))) {
      found(end.format);
      out.commit(hold);
      return undefined;
    }
    const text = out.abandon(hold);
    out.text(text);
    return text;
  };

  const isLast = function* (): Routine<boolean> {
    for (;;) {
      const { next } = yield* core.space();
      if (next < 0) return true;
      const match = yield* core.match(plan.tail);
      const meaning = match.found?.meaning;
      if (meaning === undefined) return isBroken(match);
      if (meaning.kind !== 'call') continue;
      const { result } = yield* section(meaning.plan, match.found?.text ?? '');
      if (result !== 'calls') return result === 'cut';
    }
  };

  /** A marker that the end of the text broke off is left out; a single character says nothing. */
  const isBroken = (match: MatchScanner<unknown>): boolean => {
    const broken = match.partial && match.surplus.length > 1;
    if (broken) core.dropRest();
    return broken;
  };

  const meet = function* (meaning: InAnswer, text: string, before: number): Routine {
    switch (meaning.kind) {
      case 'call':
        if (before === BACKTICK) yield* inlineCode(text, meaning.plan);
        else if (meaning.plan.form.atLineStart === true && before !== -1 && before !== NEWLINE) out.text(text);
        else {
          const end = yield* section(meaning.plan, text);
          if (end.result !== 'text') found(end.format);
        }
        return;
      case 'reasoning':
        if (out.untouched && out.begun === 0) yield* reasoning(meaning.form);
        else out.text(text);
        return;
      case 'channel':
        yield* readChannel(turn, meaning.channel, text);
        return;
      case 'end':
        yield* endToken(text);
        return;
      case 'fence':
        yield* fence(text);
        return;
      case 'frame':
        if (!(yield* isFrame(text))) out.text(text);
        return;
    }
  };

  /**
   * Where the family is not known, a frame of plain words, which any text may hold, counts only at the beginning or
   * around a call, and its end only if it was there.
   */
  const isFrame = function* (marker: string): Routine<boolean> {
    const [, slash, word] = /^<(\/?)(\w+)>$/.exec(marker) ?? [];
    if (word === undefined || !cautious) return true;
    if (slash === '' && (out.untouched || (yield* callFollows()))) frames.add(word);
    return frames.has(word);
  };

  const callFollows = function* (): Routine<boolean> {
    const { space } = yield* core.space();
    const match = yield* core.match(plan.tail);
    core.putBack(space + (match.found?.text ?? ''));
    return match.found?.meaning?.kind === 'call';
  };

  /** A token that ends the turn is left out if the text ends with it; elsewhere it is text. */
  const endToken = function* (token: string): Routine {
    const hold = out.begin(token);
    for (;;) {
      const { next } = yield* core.space();
      if (next < 0) break;
      const match = yield* core.match(plan.ends);
      if (match.found !== undefined) continue;
      if (isBroken(match)) break;
      out.text(out.abandon(hold));
      return;
    }
    out.commit(hold);
  };

  // Reasoning.

  /** Inside a block of reasoning, up to what closes it. Without a form, any of the format's will. */
  const reasoning = function* (form: ReasoningForm | undefined): Routine {
    const inside = plan.reasoning.get(form);
    if (inside === undefined) return;
    if (form !== undefined) found(plan.format.name);
    out.moveTo('reasoning');
    if (form?.keepOpen === true) out.text(form.open ?? '');
    for (;;) {
      const scan = yield* core.until(inside.markers, write);
      const meaning = scan.found?.meaning;
      if (meaning === undefined) return;
      if (meaning.kind === 'close') break;
      if (meaning.kind === 'end') yield* endToken(scan.found?.text ?? '');
      else yield* draft(meaning.plan, scan.found?.text ?? '', inside.close);
    }
    out.moveTo('text');
  };

  /**
   * A call inside reasoning. If the reasoning is closed later, wherever that is written, the call was a draft; if it
   * never is and the calls stand last, the reasoning ended where they begin.
   */
  const draft = function* (form: FormPlan, opener: string, close: MarkerSet<unknown>): Routine {
    const hold = out.begin(opener);
    core.watch(close, function* (marker): Routine {
      const text = out.abandon(hold);
      out.text(text.slice(0, text.length - marker.length));
      out.moveTo('text');
      yield* readTurn();
    });
    out.moveTo('text');
    yield* judge(hold, yield* section(form, opener));
    core.unwatch();
  };

  // Quotations.

  /** Markers and JSON in a fence are a quotation, unless the fence holds calls alone and nothing follows it. */
  const fence = function* (opener: string): Routine {
    const hold = out.begin(opener);
    const ticks = opener.length + (yield* moreTicks());
    const language = yield* core.until(LANGUAGE_END, () => {}, LANGUAGE_CHARACTERS);
    if (language.found !== undefined) core.putBack(language.found.text);
    const { next } = yield* core.space();
    const match = next < 0 ? undefined : yield* core.match(plan.tail);
    const marker = match?.found;
    let end: SectionEnd | undefined;
    if (marker?.meaning?.kind === 'call') end = yield* section(marker.meaning.plan, marker.text);
    else if (marker !== undefined) core.putBack(marker.text);
    else if (isBare(next)) end = yield* section(bare as FormPlan, '', true);
    yield* skipAfterCalls(end?.result, FENCE);
    const text = yield* judge(hold, end);
    if (text !== undefined && !text.includes(`\n${'`'.repeat(ticks)}`, ticks)) yield* quotation(ticks);
  };

  const moreTicks = function* (): Routine<number> {
    for (let count = 0; ; count++) {
      const match = yield* core.match(TICK);
      if (match.found === undefined) return count;
    }
  };

  /** What closes the quotation marks around calls. */
  const skipAfterCalls = function* (result: SectionResult | undefined, marks: MarkerSet<unknown>): Routine {
    if (result !== 'calls') return;
    if (marks === FENCE) yield* core.space();
    if ((yield* core.match(marks)).found !== undefined) yield* moreTicks();
  };

  /** Text inside a fence, up to the line that closes it. */
  const quotation = function* (ticks: number): Routine {
    let lines = 0;
    for (;;) {
      const scan = yield* core.until(plan.quotation, (piece) => {
        if (piece.includes('\n')) lines++;
        out.text(piece);
      });
      if (scan.found === undefined) return;
      if (scan.found.meaning === 'end') {
        yield* endToken(scan.found.text);
        continue;
      }
      const count = scan.found.text.length + (yield* moreTicks());
      out.text('`'.repeat(count));
      const atLineStart = scan.before === NEWLINE || scan.before === SPACE;
      if (count >= ticks && (atLineStart || lines === 0)) return;
    }
  };

  /** A call between single backticks is a quotation, unless nothing follows. */
  const inlineCode = function* (opener: string, form: FormPlan): Routine {
    const hold = out.begin(opener);
    const end = yield* section(form, opener);
    yield* skipAfterCalls(end.result, TICK);
    yield* judge(hold, end);
  };

  const turn: Turn = { core, naming, found, endToken };
  return {
    format: () => format,
    *read(startInReasoning) {
      if (startInReasoning) yield* reasoning(undefined);
      yield* plan.format.lines === undefined ? readTurn() : plan.format.lines(turn);
    },
  };
};

/** A bracket, or the first letter of a function's name. */
const mayBeginBare = (code: number): boolean =>
  code === OPEN_BRACE ||
  code === OPEN_BRACKET ||
  code === 95 ||
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90);
