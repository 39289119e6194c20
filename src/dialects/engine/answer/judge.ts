/** What looks like calls is read as calls, and then judged: it counts only where nothing else follows it. */
import type { Core } from '../core.ts';
import type { Hold } from '../output.ts';
import type { CallPlan, Plan } from '../plan.ts';
import type { MatchScanner, Routine } from '../scanner.ts';
import { readSection, type SectionEnd } from '../section.ts';
import type { Naming } from '../site.ts';

export type JudgeOptions = {
  core: Core;
  plan: Plan;
  naming: Naming;
  /** The dialect of a call that counts. */
  found(dialect: string): void;
};

export type Judge = {
  /** Reads a stretch of calls. */
  section(plan: CallPlan, opener: string, isBare?: boolean, onKnown?: () => void): Routine<SectionEnd>;
  /**
   * A stretch of calls counts only if nothing else follows; else it is text, which is returned. `rereads`: calls with
   * marks that were read behind it are read again by themselves.
   */
  judge(hold: Hold, end: SectionEnd | undefined, rereads?: boolean): Routine<string | undefined>;
  /** A token that ends the turn is left out if the text ends with it; elsewhere it is text. */
  endToken(token: string): Routine;
};

export const judgeOf = ({ core, plan, naming, found }: JudgeOptions): Judge => {
  const { out } = core;
  const section: Judge['section'] = (plan, opener, isBare = false, onKnown) =>
    readSection(core, plan, opener, { ...naming, onKnown }, isBare);

  const judge = function* (hold: Hold, end: SectionEnd | undefined, rereads = false): Routine<string | undefined> {
    const result = end?.result;
    const length = rereads ? out.textOf(hold).length : Number.POSITIVE_INFINITY;
    if (end !== undefined && (result === 'cut' || (result === 'calls' && (yield* isLast())))) {
      found(end.dialect);
      out.commit(hold);
      return undefined;
    }
    const all = out.abandon(hold);
    const text = all.slice(0, length);
    out.text(text);
    core.putBack(all.slice(text.length), text.charCodeAt(text.length - 1));
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

  return { section, judge, endToken };
};
