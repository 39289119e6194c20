/** Makes room in a window: plans what is left out, has the model write notes of it, and brings back what fits again. */

import type { Event } from '../../../core/events.ts';
import { LIMITS } from '../../../core/limits.ts';
import type { ModelMessage } from '../../../core/message.ts';
import {
  type CompactionOptions,
  type CompactionPlan,
  forgetFound,
  freesEnough,
  lastCompaction,
  planCompaction,
  planFocus,
  planFuller,
  planReturn,
  withNotes,
} from '../../../core/window/compaction.ts';
import { asksForNotes } from '../../../core/window/notes-failures.ts';
import type { PromptMeter } from '../../../core/window.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { carriedNotes } from './carried-notes.ts';
import type { KnownWindows } from './known-windows.ts';
import { densityOf, limitOf, sizeByCharacters, traceOf, wordsLimit } from './plan-facts.ts';
import type { PromptSizes } from './prompt-sizes.ts';
import type { WindowOptions } from './window-options.ts';
import type { AskNotes, MakeRoom } from './window-ports.ts';
import { madeRoomText } from './window-texts.ts';

type Carried = Awaited<ReturnType<typeof carriedNotes>>;

export type RoomOptions = {
  window: WindowOptions;
  windows: KnownWindows;
  meter: PromptMeter;
  sizes: PromptSizes;
  /** What is sent from now on begins otherwise than before. */
  onMade(): void;
};

export class Room {
  readonly #options: RoomOptions;

  constructor(options: RoomOptions) {
    this.#options = options;
  }

  /** Undefined where it is of no use, or the person stopped it. */
  async make(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    asked: MakeRoom,
  ): Promise<CompactionPlan | undefined> {
    const signal = session.signal();
    const { planned, options } = await this.#planned(session, messages, contextTokens, asked);
    if (signal.aborted || planned === undefined) return undefined;
    if (!asked.isForced && !(freesEnough(planned) && isWorthReading(planned))) return undefined;
    if (asked.accepts?.(planned) === false) return undefined;
    const isWorthAsking = asked.isAskedFor || asksForNotes(session.path());
    const askNotes = isWorthAsking ? this.#noteTaker(planned, messages, contextTokens, asked) : undefined;
    const written = await askNotes?.(session, asked.focus);
    // The person stopped it: nothing is left out without them.
    if (signal.aborted) return undefined;
    const notes = written?.kept;
    const plan = notes ? withNotes(session.path(), planned, { ...options, notes }) : planned;
    // Who writes notes of which none stays has not failed: that the rules keep what they keep is nothing to tell, or to wait for.
    if (askNotes && !written && plan.event.report) plan.event.report.notes_failed = true;
    await this.#leaveOut(session, plan);
    return plan;
  }

  /**
   * What stays has other tokens for its characters than what is left out. Where the server counts, the prompt that is
   * planned is counted too, and where the estimate was off, planned once more.
   */
  async #planned(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    asked: MakeRoom,
  ): Promise<{ planned: CompactionPlan | undefined; options: CompactionOptions }> {
    const { meter, window } = this.#options;
    const { model } = session.state();
    const carried = await carriedNotes(session);
    const plan = () => {
      const usual = { ...this.#planOptions(session, messages, contextTokens), ...carried };
      const options = {
        ...usual,
        ...(asked.isJustBelow ? justBelow(contextTokens) : {}),
        // Who asks for room wants more of it than the next answer needs.
        ...(asked.isAskedFor ? { workTokens: undefined } : {}),
        focus: asked.focus,
      };
      return { planned: planCompaction(session.path(), options), options };
    };
    const first = plan();
    if (first.planned === undefined) return first;
    const { messages: kept, after } = first.planned;
    const counted = await window.provider.countTokens?.(window.requestOf(session, kept), session.signal());
    if (!counted || Math.abs(counted - after) <= after * PLAN_DOUBT) return first;
    meter.measured(model, kept, counted);
    return plan();
  }

  /** Keeps what matters to the person, where nothing more can be left out. */
  async keep(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    focus: string,
  ): Promise<boolean> {
    const carried = await carriedNotes(session);
    const options = { ...this.#planOptions(session, messages, contextTokens), ...carried, focus };
    const plan = planFocus(session.path(), options);
    if (plan) await this.#leaveOut(session, plan);
    return plan !== undefined;
  }

  /** Room was made for a much smaller window than the present one: what was left out comes back, as far as it fits. */
  async bringBack(session: SessionHandle, messages: readonly ModelMessage[], contextTokens: number): Promise<boolean> {
    const plan = await withCarried(session, (carried) => this.#planReturn(session, messages, contextTokens, carried));
    if (plan === undefined) return false;
    await this.#leaveOut(session, plan);
    return true;
  }

  #planReturn(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    carried: Carried = {},
  ): CompactionPlan | undefined {
    const before = lastCompaction(session.path())?.report?.window_tokens;
    const isLarger = before !== undefined && contextTokens >= before * LARGER_BY;
    if (!isLarger || messages.at(-1)?.role !== 'user' || this.#options.window.compaction === 'off') return undefined;
    return planReturn(session.path(), { ...this.#planOptions(session, messages, contextTokens), ...carried });
  }

  /**
   * Little could stand for what was left out in the middle of the last turn, or beside what was worked with: more of it
   * stands there from now on.
   */
  async fill(session: SessionHandle, messages: readonly ModelMessage[], contextTokens: number): Promise<boolean> {
    const plan = await withCarried(session, (carried) => this.#planFuller(session, messages, contextTokens, carried));
    if (plan === undefined) return false;
    // No notice: the person was told when room was made, and has less left out now.
    await this.#write(session, plan);
    return true;
  }

  #planFuller(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number,
    carried: Carried = {},
  ): CompactionPlan | undefined {
    const path = session.path();
    if (messages.at(-1)?.role !== 'user' || this.#options.window.compaction === 'off') return undefined;
    if (!wasMadeInLastTurn(path) && !lackedRoomBesideWork(path)) return undefined;
    return planFuller(path, { ...this.#planOptions(session, messages, contextTokens), ...carried });
  }

  /** More would stand in this prompt again before it goes out. `contextTokens`: undefined where nobody knows it. */
  returns(
    session: SessionHandle,
    messages: readonly ModelMessage[],
    contextTokens: number | undefined,
    largestCounted: number,
  ): boolean {
    return (
      this.#planReturn(session, messages, contextTokens ?? largestCounted) !== undefined ||
      (contextTokens !== undefined && this.#planFuller(session, messages, contextTokens) !== undefined)
    );
  }

  async #leaveOut(session: SessionHandle, plan: CompactionPlan): Promise<void> {
    await this.#write(session, plan);
    const message = madeRoomText(plan.event, session.path());
    session.progress({ type: 'warning', code: 'context_compacted', message });
  }

  async #write(session: SessionHandle, plan: CompactionPlan): Promise<void> {
    await session.dispatch(plan.event);
    forgetFound(session.path());
    this.#options.onMade();
  }

  #planOptions(session: SessionHandle, messages: readonly ModelMessage[], contextTokens: number): CompactionOptions {
    const { model, tasks } = session.state();
    const { sizes, windows, meter } = this.#options;
    const { projection, registry, isSearchable } = this.#options.window;
    const head = sizes.head(model, messages);
    const room = Math.max(0, contextTokens - head);
    const retainedCharacters = this.#retainedCharacters(model, messages, contextTokens);
    // What is measured before it is sent is a little off.
    const usual = head + (limitOf(contextTokens, head) - head) * AGENT_LIMITS.compactionMeasureShare;
    // Nobody knows the window: what the person said is not cut to fit a size that is none.
    const limitTokens = contextTokens
      ? Math.max(
          usual,
          Math.min(
            usual + sizes.beyondUsual(session, contextTokens),
            contextTokens - sizes.betweenTurns(contextTokens),
          ),
        )
      : undefined;
    const extra = retainedCharacters - room * AGENT_LIMITS.compactionRetainedShareInTarget;
    return {
      projection,
      size: this.#sizeOf(model, messages),
      headTokens: head,
      targetTokens:
        head +
        room * AGENT_LIMITS.compactionTargetShare +
        (contextTokens ? Math.max(0, extra) / CHARACTERS_A_TOKEN : 0),
      limitTokens,
      // An estimate that no count has confirmed may be far off.
      ...(contextTokens && meter.size(model, messages).calibrated
        ? { workTokens: sizes.besideWork(messages, contextTokens) }
        : {}),
      retainedCharacters,
      wordsTokens: limitTokens && wordsLimit(contextTokens, limitTokens, sizes.turn(session, messages)),
      trace: traceOf(registry),
      tasks,
      isSearchable,
      // What is known of the window, though less is tried where a server refused it.
      windowTokens: windows.get(model) ?? contextTokens,
      windowLearned: windows.evidence(model),
    };
  }

  #sizeOf(model: string, messages: readonly ModelMessage[]): CompactionOptions['size'] {
    const { meter, sizes } = this.#options;
    const byCharacters = sizeByCharacters(messages, sizes.tokens(model, messages), sizes.head(model, messages));
    const isOdd = meter.ratio(model) > AGENT_LIMITS.tokenizerRatioUsual;
    return (some) => Math.max(sizes.tokens(model, some), isOdd ? byCharacters(some) : 0);
  }

  /** What may stand for all that is left out: the same in every window that has room for it, less in a smaller one. */
  #retainedCharacters(model: string, messages: readonly ModelMessage[], contextTokens: number): number {
    if (!contextTokens) return LIMITS.compactionRetainedCharacters;
    const { sizes } = this.#options;
    const head = sizes.head(model, messages);
    const density = densityOf(messages, sizes.tokens(model, messages) - head);
    const share = Math.max(0, contextTokens - head) * AGENT_LIMITS.compactionRetainedShare;
    return Math.min(LIMITS.compactionRetainedCharacters, Math.floor(share * density));
  }

  /** Notes are worth a request where much is left out, and are written where the model has read everything already. */
  #noteTaker(
    plan: CompactionPlan,
    messages: readonly ModelMessage[],
    contextTokens: number,
    { askNotes, isAskedFor = false }: MakeRoom,
  ): AskNotes | undefined {
    const { compaction = 'notes', provider, hasNoteTaker = false } = this.#options.window;
    if (askNotes === undefined || compaction !== 'notes') return undefined;
    if (provider.decodeToolCall && !hasNoteTaker) return undefined;
    const last = messages.at(-1)?.role;
    const fits = contextTokens === 0 || plan.before + AGENT_LIMITS.notesRoomTokens <= contextTokens;
    const isWorth = plan.before - plan.after >= AGENT_LIMITS.notesWorthTokens || isAskedFor;
    if (plan.event.kept_from_seq === 0 || last === 'tool' || !fits || !isWorth) return undefined;
    return askNotes;
  }
}

/** Before every request it is asked whether there is anything to plan, and to look through the notes takes long. */
const withCarried = async (
  session: SessionHandle,
  plan: (carried?: Carried) => CompactionPlan | undefined,
): Promise<CompactionPlan | undefined> => (plan() === undefined ? undefined : plan(await carriedNotes(session)));

/** In its middle, so that what it worked with had to stay. */
const wasMadeInLastTurn = (path: readonly Event[]): boolean => {
  const turns = path.flatMap(({ type }, index) => (type === 'user_message_added' ? [index] : []));
  const before = turns.at(-2);
  if (before === undefined) return false;
  const last = path.slice(before, turns.at(-1));
  const made = last.findLastIndex(({ type }) => type === 'context_compacted');
  return (
    made > last.findIndex(({ type }) => type === 'tool_finished') && last.some(({ type }) => type === 'tool_finished')
  );
};

/** At its beginning, beside results of the turns before, and something that the person said once had no room. */
const lackedRoomBesideWork = (path: readonly Event[]): boolean => {
  const turns = path.flatMap(({ type }, index) => (type === 'user_message_added' ? [index] : []));
  const last = path.slice(turns.at(-2) ?? 0, turns.at(-1));
  const made = last.findLast((event) => event.type === 'context_compacted');
  if (made?.type !== 'context_compacted' || !made.said?.lacks_facts) return false;
  return path.slice(turns.at(-4) ?? 0, turns.at(-2)).some(({ type }) => type === 'tool_finished');
};

const justBelow = (tokens: number) => ({
  targetTokens: tokens,
  limitTokens: tokens,
  wordsTokens: tokens,
  windowTokens: tokens,
});

/** Where instructions and tools are most of the prompt, much of the rest may be little of what the server reads again. */
const isWorthReading = ({ before, after }: CompactionPlan): boolean => before - after >= before * WORTH_SHARE;
const WORTH_SHARE = 0.1;

/** A plan that is off by no more is as good as one can be. */
const PLAN_DOUBT = 0.04;
/** A window that is larger by this is worth reading the prompt again. */
const LARGER_BY = 1.5;
export const CHARACTERS_A_TOKEN = 3.3;
