/** The routine of a whole answer: reasoning, text, calls, and the quotations that only look like calls. */

import { judgeOf } from './answer/judge.ts';
import { quotationsIn } from './answer/quotations.ts';
import { reasoningReader } from './answer/reasoning.ts';
import { readChannel } from './channels.ts';
import type { Core } from './core.ts';
import type { StartSyntax, Turn } from './grammar.ts';
import { markerSet } from './markers.ts';
import { isLatin, isName } from './output.ts';
import { type CallPlan, type ChannelPlan, type InAnswer, type Plan, TOOL_LINE_END } from './plan.ts';
import type { Routine } from './scanner.ts';
import type { Naming } from './site.ts';

const BACKTICK = 96;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const NEWLINE = 10;
const TICK = markerSet([true, ['`']]);

export type Answer = {
  read(startInReasoning: boolean): Routine;
  /** The dialect of the first call, reasoning block or header that was found. */
  dialect(): string | undefined;
};

export const answerFor = (core: Core, plan: Plan, makeId: (number: number) => string): Answer => {
  const { out, offers } = core;
  const { bare, nameStops } = plan;
  /** It is not known that the text is written in this dialect. */
  const cautious = plan.grammar.cautious === true;
  const naming: Naming = { offeredOnly: false, makeId };
  let dialect: string | undefined;
  /** Frames of plain words that were begun. */
  const frames = new Set<string>();

  const found = (name: string): void => {
    dialect ??= name;
  };
  const judging = judgeOf({ core, plan, naming, found });
  const { section, judge, endToken } = judging;
  const isBare = (next: number): boolean => bare !== undefined && !offers.none && mayBeginBare(next);
  const quotations = quotationsIn({ ...judging, core, plan, found, isBare });

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
      const scan = yield* core.until(plan.answer, (piece) => out.text(piece));
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
    else if (nameStops !== undefined && (mayBeginBare(next) || next === BACKTICK)) start = yield* namedStart(nameStops);
    if (start !== undefined) {
      yield* 'lines' in start ? start.lines(turn) : readChannel(turn, start, '');
      return;
    }
    if (!isBare(next)) return;
    // A word with parentheses behind it is a call only if it can be the name of a tool.
    if (cautious && offers.unknown && next !== OPEN_BRACE && next !== OPEN_BRACKET) return;
    const hold = out.begin('');
    yield* judge(hold, yield* section(bare as CallPlan, '', true), true);
  };

  /** A name, and behind it what tells how the answer is written. Nothing of it is eaten. */
  const namedStart = function* (stops: NonNullable<Plan['nameStops']>): Routine<StartSyntax | ChannelPlan | undefined> {
    const { previous } = core;
    // A name may be written as code.
    const tick = (yield* core.match(TICK)).found?.text ?? '';
    const { head: name, found: end } = yield* core.head(stops);
    const close = tick !== '' && end?.text === tick ? tick : '';
    const stop = close === '' ? end : (yield* core.match(stops)).found;
    const start = stop?.meaning;
    core.putBack(tick + name + close + (stop?.text ?? ''), previous);
    if (start === undefined || start === 'no name' || close !== tick || !isName(name)) return undefined;
    if (!('lines' in start)) return start;
    if (tick !== '') return undefined;
    if (offers.get(name) !== undefined) return start;
    // Where no tools are known, arguments must follow, and the name must look like one that programmers give.
    return offers.unknown && name.includes('_') && stop?.text === TOOL_LINE_END ? start : undefined;
  };

  const isInLine = (before: number): boolean => before !== -1 && before !== NEWLINE && !out.untouched;

  const meet = function* (meaning: InAnswer, text: string, before: number): Routine {
    switch (meaning.kind) {
      case 'call':
        if (before === BACKTICK) yield* quotations.inlineCode(text, meaning.plan);
        else if (meaning.plan.syntax.atLineStart === true && isInLine(before)) out.text(text);
        else if (isInLine(before) && !offers.unknown) yield* quotations.inProse(text, meaning.plan);
        else {
          const end = yield* section(meaning.plan, text);
          if (end.result !== 'text') found(end.dialect);
        }
        return;
      case 'reasoning':
        if (out.untouched && out.begun === 0) yield* reasoning(meaning.syntax);
        // Behind calls it opens a block that never comes.
        else if (out.begun > 0) yield* endToken(text);
        else out.text(text);
        return;
      case 'channel':
        yield* readChannel(turn, meaning.channel, text);
        return;
      case 'end':
        yield* endToken(text);
        return;
      case 'fence':
        yield* quotations.fence(text);
        return;
      case 'stray':
        // Before the answer it is what the model's template left; in it the text speaks of the marker.
        if (!out.untouched) out.text(text);
        return;
      case 'frame':
        if (!(yield* isFrame(text))) out.text(text);
        return;
    }
  };

  /**
   * Where the dialect is not known, a frame of plain words, which any text may hold, counts only at the beginning or
   * around a call, and its end only if it was there.
   */
  const isFrame = function* (marker: string): Routine<boolean> {
    const [, slash, word] = /^<(\/?)(\w+)>$/.exec(marker.replaceAll(' ', '')) ?? [];
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

  const reasoning = reasoningReader({ ...judging, core, plan, isBare, found, readTurn });
  const turn: Turn = {
    core,
    naming,
    found,
    endToken,
    calls: plan.calls,
    // Only the marks of this plan are given out.
    call: (mark, text, before) => meet(mark as InAnswer, text, before),
  };
  return {
    dialect: () => dialect,
    *read(startInReasoning) {
      if (startInReasoning) yield* reasoning(undefined);
      if (plan.grammar.lines === undefined) return yield* readTurn();
      yield* leftThoughts(core);
      yield* plan.grammar.lines(turn);
    },
  };
};

/** What a template leaves before the first line: marks with no thoughts between them, and an opening mark too many. */
function* leftThoughts(core: Core): Routine {
  for (let opener = '', isDoubled = false; ; ) {
    const { space } = yield* core.space();
    const { found } = yield* core.match(THOUGHT_MARKS);
    if (found === undefined) {
      if (!isDoubled) return core.putBack(opener + space, -1);
      if (!(yield* closedThoughts(core, opener + space))) return;
    }
    isDoubled = opener !== '' && found?.meaning === opener;
    opener = found?.meaning ?? '';
  }
}

/** Thoughts up to the mark that closes them; where none does, all is read again. */
function* closedThoughts(core: Core, opened: string): Routine<boolean> {
  const { out } = core;
  const hold = out.begin(opened);
  const { found } = yield* core.until(THOUGHTS_END, () => {});
  const text = out.abandon(hold);
  if (found === undefined) {
    core.putBack(text, -1);
    return false;
  }
  out.moveTo('reasoning');
  out.text(text.slice(opened.length, -found.text.length));
  out.moveTo('text');
  return true;
}
const THOUGHTS_END = markerSet([true, ['</think>']]);
/** Of each what stands in the text again where no other one follows. */
const THOUGHT_MARKS = markerSet(['<think>', ['<think>']], ['', ['</think>']]);

/** A bracket, or the first letter of a function's name. */
const mayBeginBare = (code: number): boolean =>
  code === OPEN_BRACE || code === OPEN_BRACKET || code === 95 || isLatin(code);
