/** The routine of a whole answer: reasoning, text, calls, and the quotations that only look like calls. */
import { readChannel } from './channels.ts';
import type { Core } from './core.ts';
import type { ReasoningForm, StartForm } from './format.ts';
import { type MarkerSet, markerSet } from './markers.ts';
import { type Hold, isName } from './output.ts';
import { type ChannelPlan, type FormPlan, type InAnswer, type Plan, TOOL_LINE_END } from './plan.ts';
import type { MatchScanner, Routine } from './scanner.ts';
import { Section, type SectionResult } from './section.ts';
import type { Naming } from './site.ts';

const BACKTICK = 96;
const OPEN_BRACE = 123;
const OPEN_BRACKET = 91;
const NEWLINE = 10;
const SPACE = 32;

export class Answer {
  readonly core: Core;
  readonly plan: Plan;
  readonly naming: Naming;
  /** The format of the first call, reasoning block or header that was found. */
  format: string | undefined;
  /** The format that the last section was written in. */
  #written = '';
  readonly #frames = new Set<string>();

  constructor(core: Core, plan: Plan, makeId: (number: number) => string) {
    this.core = core;
    this.plan = plan;
    this.naming = { offeredOnly: false, makeId };
  }

  *read(startInReasoning: boolean): Routine {
    const { lines } = this.plan.format;
    if (startInReasoning) yield* this.#reasoning(undefined);
    yield* lines === undefined ? this.#answer() : lines(this);
  }

  /** From the beginning of a turn, or from behind a block of reasoning, to the end. */
  *#answer(): Routine {
    const { core, plan } = this;
    const write = (piece: string): void => core.out.text(piece);
    let atStart = core.out.untouched;
    for (;;) {
      if (atStart) {
        const { space, next } = yield* core.space();
        if (next < 0) return;
        core.out.text(space);
        yield* this.#beginning(next);
      }
      const scan = yield* core.until(plan.answer, write);
      if (scan.found === undefined) return;
      yield* this.#meet(scan.found.meaning as InAnswer, scan.found.text, scan.before);
      atStart = core.out.untouched;
    }
  }

  /** At the beginning a call may need no marker, and a header may have lost its own. */
  *#beginning(next: number): Routine {
    const { core, plan } = this;
    const { bare, nameStops } = plan;
    const { previous } = core;
    const match = yield* core.match(plan.starts);
    if (match.found !== undefined) {
      core.putBack(match.found.text, previous);
      yield* this.#start(match.found.meaning as StartForm | ChannelPlan);
      return;
    }
    if (nameStops !== undefined && mayBeginBare(next)) {
      const start = yield* this.#namedStart(nameStops);
      if (start !== undefined) {
        yield* this.#start(start);
        return;
      }
    }
    if (bare === undefined || core.offers.none || !mayBeginBare(next)) return;
    // A word with parentheses behind it is a call only if it can be the name of a tool.
    if (plan.format.cautious === true && core.offers.unknown && next !== OPEN_BRACE && next !== OPEN_BRACKET) return;
    const hold = core.out.begin('');
    yield* this.#judge(hold, yield* this.#bareSection(bare));
  }

  *#bareSection(plan: FormPlan): Routine<SectionResult> {
    const section = new Section(this.core, plan, '', this.naming, true);
    const result = yield* section.read();
    this.#written = section.format;
    return result;
  }

  *#start(start: StartForm | ChannelPlan): Routine {
    if ('lines' in start) yield* start.lines(this);
    else yield* readChannel(this, start, '');
  }

  /** A name, and behind it what tells how the answer is written. Nothing of it is eaten. */
  *#namedStart(stops: NonNullable<Plan['nameStops']>): Routine<StartForm | ChannelPlan | undefined> {
    const { core } = this;
    const { previous } = core;
    const { head: name, found } = yield* core.head(stops);
    const start = found?.meaning;
    core.putBack(name + (found?.text ?? ''), previous);
    if (start === undefined || start === 'no name' || !isName(name)) return undefined;
    if (!('lines' in start) || core.offers.get(name) !== undefined) return start;
    // Where no tools are known, arguments must follow, and the name must look like one that programmers give.
    return core.offers.unknown && name.includes('_') && found?.text === TOOL_LINE_END ? start : undefined;
  }

  /** A stretch of calls counts only if nothing else follows; else it is text, which is returned. */
  *#judge(hold: Hold, result: SectionResult): Routine<string | undefined> {
    const { core } = this;
    if (result === 'cut' || (result === 'calls' && (yield* this.#isLast()))) {
      this.found(this.#written);
      core.out.commit(hold);
      return undefined;
    }
    const text = core.out.abandon(hold);
    core.out.text(text);
    return text;
  }

  *#isLast(): Routine<boolean> {
    const { core, plan } = this;
    for (;;) {
      const { next } = yield* core.space();
      if (next < 0) return true;
      const match = yield* core.match(plan.tail);
      const meaning = match.found?.meaning;
      if (meaning === undefined) return this.#isBroken(match);
      if (meaning.kind !== 'call') continue;
      const result = yield* this.#section(meaning.plan, match.found?.text ?? '');
      if (result !== 'calls') return result === 'cut';
    }
  }

  /** A marker that the end of the text broke off is left out; a single character says nothing. */
  #isBroken(match: MatchScanner<unknown>): boolean {
    const broken = match.partial && match.surplus.length > 1;
    if (broken) this.core.dropRest();
    return broken;
  }

  found(format: string): void {
    this.format ??= format;
  }

  *#meet(meaning: InAnswer, text: string, before: number): Routine {
    const { core } = this;
    switch (meaning.kind) {
      case 'call':
        if (before === BACKTICK) yield* this.#inlineCode(text, meaning.plan);
        else if (meaning.plan.form.atLineStart === true && before !== -1 && before !== NEWLINE) core.out.text(text);
        else if ((yield* this.#section(meaning.plan, text)) !== 'text') this.found(this.#written);
        return;
      case 'reasoning':
        if (core.out.untouched && core.out.begun === 0) yield* this.#reasoning(meaning.form);
        else core.out.text(text);
        return;
      case 'channel':
        yield* readChannel(this, meaning.channel, text);
        return;
      case 'end':
        yield* this.endToken(text);
        return;
      case 'fence':
        yield* this.#fence(text);
        return;
      case 'frame':
        if (!(yield* this.#isFrame(text))) core.out.text(text);
        return;
    }
  }

  /**
   * Where the family is not known, a frame of plain words, which any text may hold, counts only at the beginning or
   * around a call, and its end only if it was there.
   */
  *#isFrame(marker: string): Routine<boolean> {
    const [, slash, word] = /^<(\/?)(\w+)>$/.exec(marker) ?? [];
    if (word === undefined || this.plan.format.cautious !== true) return true;
    if (slash === '/') return this.#frames.has(word);
    if (this.core.out.untouched || (yield* this.#callFollows())) this.#frames.add(word);
    return this.#frames.has(word);
  }

  *#callFollows(): Routine<boolean> {
    const { core, plan } = this;
    const { space } = yield* core.space();
    const { found } = yield* core.match(plan.tail);
    core.putBack(space + (found?.text ?? ''));
    return found?.meaning?.kind === 'call';
  }

  *#section(plan: FormPlan, opener: string): Routine<SectionResult> {
    const section = new Section(this.core, plan, opener, this.naming);
    const result = yield* section.read(plan.opensBody.get(opener));
    this.#written = section.format;
    return result;
  }

  /** A token that ends the turn is left out if the text ends with it; elsewhere it is text. */
  *endToken(token: string): Routine {
    const { core, plan } = this;
    const hold = core.out.begin(token);
    for (;;) {
      const { next } = yield* core.space();
      if (next < 0) break;
      const match = yield* core.match(plan.ends);
      if (match.found !== undefined) continue;
      if (this.#isBroken(match)) break;
      core.out.text(core.out.abandon(hold));
      return;
    }
    core.out.commit(hold);
  }

  // Reasoning.

  /** Inside a block of reasoning, up to what closes it. Without a form, any of the format's will. */
  *#reasoning(form: ReasoningForm | undefined): Routine {
    const { core, plan } = this;
    const inside = plan.reasoning.get(form);
    if (inside === undefined) return;
    if (form !== undefined) this.found(plan.format.name);
    core.out.moveTo('reasoning');
    if (form?.keepOpen === true) core.out.text(form.open ?? '');
    const write = (piece: string): void => core.out.text(piece);
    for (;;) {
      const scan = yield* core.until(inside.markers, write);
      const meaning = scan.found?.meaning;
      if (meaning === undefined) return;
      if (meaning.kind === 'close') break;
      if (meaning.kind === 'end') yield* this.endToken(scan.found?.text ?? '');
      else yield* this.#draft(meaning.plan, scan.found?.text ?? '', inside.close);
    }
    core.out.moveTo('text');
  }

  /**
   * A call inside reasoning. If the reasoning is closed later, wherever that is written, the call was a draft; if it
   * never is and the calls stand last, the reasoning ended where they begin.
   */
  *#draft(plan: FormPlan, opener: string, close: MarkerSet<unknown>): Routine {
    const { core } = this;
    const hold = core.out.begin(opener);
    const after = function* (this: Answer, marker: string): Routine {
      const text = core.out.abandon(hold);
      core.out.text(text.slice(0, text.length - marker.length));
      core.out.moveTo('text');
      yield* this.#answer();
    };
    core.watch(close, (marker) => after.call(this, marker));
    core.out.moveTo('text');
    const result = yield* this.#section(plan, opener);
    yield* this.#judge(hold, result);
    core.unwatch();
  }

  // Quotations.

  /** Markers and JSON in a fence are a quotation, unless the fence holds calls alone and nothing follows it. */
  *#fence(opener: string): Routine {
    const { core, plan } = this;
    const hold = core.out.begin(opener);
    const ticks = opener.length + (yield* this.#moreTicks());
    const language = yield* core.until(LANGUAGE_END, () => {}, LANGUAGE_CHARACTERS);
    if (language.found !== undefined) core.putBack(language.found.text);
    const { next } = yield* core.space();
    const match = next < 0 ? undefined : yield* core.match(plan.tail);
    const meaning = match?.found?.meaning;
    let result: SectionResult = 'text';
    if (meaning?.kind === 'call') result = yield* this.#section(meaning.plan, match?.found?.text ?? '');
    else if (meaning !== undefined) core.putBack(match?.found?.text ?? '');
    else if (plan.bare !== undefined && !core.offers.none && mayBeginBare(next)) {
      result = yield* this.#bareSection(plan.bare);
    }
    if (result === 'calls') {
      yield* core.space();
      if ((yield* core.match(FENCE)).found !== undefined) yield* this.#moreTicks();
    }
    const text = yield* this.#judge(hold, result);
    if (text !== undefined && !text.includes(`\n${'`'.repeat(ticks)}`, ticks)) yield* this.#quotation(ticks);
  }

  *#moreTicks(): Routine<number> {
    for (let count = 0; ; count++) {
      const match = yield* this.core.match(TICK);
      if (match.found === undefined) return count;
    }
  }

  /** Text inside a fence, up to the line that closes it. */
  *#quotation(ticks: number): Routine {
    const { core, plan } = this;
    let lines = 0;
    const write = (piece: string): void => {
      if (piece.includes('\n')) lines++;
      core.out.text(piece);
    };
    for (;;) {
      const scan = yield* core.until(plan.quotation, write);
      if (scan.found === undefined) return;
      if (scan.found.meaning === 'end') {
        yield* this.endToken(scan.found.text);
        continue;
      }
      const count = scan.found.text.length + (yield* this.#moreTicks());
      core.out.text('`'.repeat(count));
      const atLineStart = scan.before === NEWLINE || scan.before === SPACE;
      if (count >= ticks && (atLineStart || lines === 0)) return;
    }
  }

  /** A call between single backticks is a quotation, unless nothing follows. */
  *#inlineCode(opener: string, plan: FormPlan): Routine {
    const { core } = this;
    const hold = core.out.begin(opener);
    const result = yield* this.#section(plan, opener);
    if (result === 'calls') yield* core.match(TICK);
    yield* this.#judge(hold, result);
  }
}

const LANGUAGE_CHARACTERS = 32;
const LANGUAGE_END = markerSet([true, [...'\n \t\r{[<`(']]);
const TICK = markerSet([true, ['`']]);
const FENCE = markerSet([true, ['```']]);

/** A bracket, or the first letter of a function's name. */
const mayBeginBare = (code: number): boolean =>
  code === OPEN_BRACE ||
  code === OPEN_BRACKET ||
  code === 95 ||
  (code >= 97 && code <= 122) ||
  (code >= 65 && code <= 90);
