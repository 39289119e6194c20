/** Fences and backticks: what stands between them is a quotation, unless it is calls alone and nothing follows. */
import { isToolSchema } from '../../tool-schema.ts';
import type { Core } from '../core.ts';
import { type MarkerSet, markerSet } from '../markers.ts';
import type { CallPlan, Plan } from '../plan.ts';
import type { Routine } from '../scanner.ts';
import type { SectionEnd, SectionResult } from '../section.ts';
import type { Judge } from './judge.ts';

const NEWLINE = 10;
const SPACE = 32;
const LANGUAGE_CHARACTERS = 32;
const LANGUAGE_END = markerSet([true, [...'\n \t\r{[<`(']]);
const TICK = markerSet([true, ['`']]);
const FENCE = markerSet([true, ['```']]);

export type QuotationOptions = Judge & {
  core: Core;
  plan: Plan;
  found(dialect: string): void;
  /** A call without a marker may begin with this character. */
  isBare(next: number): boolean;
};

export type Quotations = {
  /** Markers and JSON in a fence are a quotation, unless the fence holds calls alone and nothing follows it. */
  fence(opener: string): Routine;
  /** A call between single backticks is a quotation, unless nothing follows. */
  inlineCode(opener: string, plan: CallPlan): Routine;
  /** In the middle of a line a call to a tool that there is not is a quotation, unless nothing follows. */
  inProse(opener: string, plan: CallPlan): Routine;
};

export const quotationsIn = ({ core, plan, found, section, judge, endToken, isBare }: QuotationOptions): Quotations => {
  const { out } = core;

  const fence = function* (opener: string): Routine {
    const isFirst = out.untouched;
    const before = out.calls.length;
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
    else if (isBare(next)) end = yield* section(plan.bare as CallPlan, '', true);
    // Behind words it shows a tool.
    if (!isFirst && out.calls.slice(before).some((call) => isToolSchema(call.arguments))) end = undefined;
    yield* skipAfterCalls(end?.result, FENCE);
    const text = yield* judge(hold, end, true);
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

  const inlineCode = function* (opener: string, plan: CallPlan): Routine {
    const hold = out.begin(opener);
    const end = yield* section(plan, opener);
    yield* skipAfterCalls(end.result, TICK);
    yield* judge(hold, end);
  };

  const inProse = function* (opener: string, plan: CallPlan): Routine {
    const hold = out.begin(opener);
    let isKnown = false;
    const end = yield* section(plan, opener, false, () => {
      isKnown = true;
      out.release(hold);
    });
    if (!isKnown) {
      yield* judge(hold, end);
      return;
    }
    out.commit(hold);
    if (end.result !== 'text') found(end.dialect);
  };

  return { fence, inlineCode, inProse };
};
