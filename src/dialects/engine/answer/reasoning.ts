/** Blocks of reasoning, and the calls that are drafted in them. */
import type { Core } from '../core.ts';
import type { ReasoningSyntax } from '../grammar.ts';
import type { MarkerSet } from '../markers.ts';
import type { CallPlan, Plan } from '../plan.ts';
import type { Routine } from '../scanner.ts';
import type { Judge } from './judge.ts';

export type ReasoningOptions = Judge & {
  core: Core;
  plan: Plan;
  /** A call without a marker may begin with this character. */
  isBare(next: number): boolean;
  found(dialect: string): void;
  /** Goes on with the answer behind the block. */
  readTurn(): Routine;
};

/** Reads from inside a block to behind what closes it. Without a syntax, any that the dialect has will. */
export const reasoningReader = (options: ReasoningOptions): ((syntax: ReasoningSyntax | undefined) => Routine) => {
  const { core, plan, isBare, found, section, judge, endToken, readTurn } = options;
  const { out } = core;

  const reasoning = function* (syntax: ReasoningSyntax | undefined): Routine {
    const inside = plan.reasoning.get(syntax);
    if (inside === undefined) return;
    if (syntax !== undefined) found(plan.grammar.name);
    out.moveTo('reasoning');
    if (syntax?.keepOpen === true) out.text(syntax.open ?? '');
    yield* bareDraft(inside.close);
    for (;;) {
      const scan = yield* core.until(inside.markers, (piece) => out.text(piece));
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
  const draft = function* (call: CallPlan, opener: string, close: MarkerSet<unknown>): Routine {
    const hold = out.begin(opener);
    core.watch(close, function* (marker): Routine {
      const text = out.abandon(hold);
      out.text(text.slice(0, text.length - marker.length));
      out.moveTo('text');
      yield* readTurn();
    });
    out.moveTo('text');
    yield* judge(hold, yield* section(call, opener, opener === ''));
    core.unwatch();
  };

  /** The same for calls that need no marker, where the block holds nothing else. */
  const bareDraft = function* (close: MarkerSet<unknown>): Routine {
    const { space, next } = yield* core.space();
    out.text(space);
    if (isBare(next)) yield* draft(plan.bare as CallPlan, '', close);
  };

  return reasoning;
};
