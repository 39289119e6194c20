/**
 * Makes room in a window: the oldest tool results become one line each, and where that is not enough, the oldest turns
 * become what is kept of them (`retained.ts`). The log itself keeps everything, so every compaction is computed from the whole log.
 */
import type { Event, EventOf } from '../events.ts';
import { LIMITS } from '../limits.ts';
import type { ModelMessage } from '../message.ts';
import { createProjection, type Projection, type ProjectionOptions } from '../model-projection.ts';
import { activePath } from '../session-tree.ts';
import type { ConversationNotes } from './notes.ts';
import { createRetainer, focusesIn, type Retained, type RetainedCounts, type RetainOptions } from './retained.ts';

export type Compacted = EventOf<'context_compacted'>;

export type CompactionOptions = Omit<RetainOptions, 'maxCharacters'> & {
  projection: ProjectionOptions;
  /** Tokens of what the model would read. */
  size(messages: readonly ModelMessage[]): number;
  /** Tokens of the instructions and tools, which stand before every message. */
  headTokens?: number;
  /** Room is made until the prompt has this size. */
  targetTokens: number;
  /** What the prompt must not exceed; where nothing else helps, the newest results are cut to reach it. */
  limitTokens?: number;
  /** How much may stand for what was left out. */
  retainedCharacters?: number;
  /** The window that this is planned for. */
  windowTokens?: number | undefined;
};

export type CompactionPlan = {
  event: Compacted;
  before: number;
  after: number;
  /** Tokens of the instructions and tools, which no compaction frees. */
  head: number;
};

/** The gentlest step that reaches the target, else the one that frees most; undefined where nothing would be freed. */
export const planCompaction = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  let best: CompactionPlan | undefined;
  for (const step of steps(planner.log)) {
    const plan = planner.plan(step);
    if (plan.after >= (best?.after ?? planner.before)) continue;
    best = plan;
    if (plan.after <= options.targetTokens && freesEnough(plan)) return plan;
  }
  const limit = options.limitTokens ?? Number.POSITIVE_INFINITY;
  return (best?.after ?? planner.before) <= limit ? best : (cutNewest(planner, best, limit) ?? best);
};

/**
 * The same for a window that is larger now: the gentlest step of all that fits, whatever was left out before. Undefined
 * where nothing would come back.
 */
export const planReturn = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  for (const step of [NOTHING_LEFT_OUT, ...steps(planner.log, false)]) {
    const plan = planner.plan(step);
    if (plan.after <= (options.limitTokens ?? options.targetTokens))
      return plan.after > planner.before * WORTH_RETURN ? plan : undefined;
  }
  return undefined;
};
/** Less is not worth what the server has to read again. */
const WORTH_RETURN = 1.05;
const NOTHING_LEFT_OUT = { keptFrom: 0, resultsFrom: 0 };

/** Leaves out no more than before, and puts what the person wants kept into the prompt. */
export const planFocus = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  const last = lastCompaction(planner.log);
  if (planner.firstMessage === undefined || options.focus === undefined) return undefined;
  return planner.plan({
    keptFrom: last?.kept_from_seq ?? 0,
    resultsFrom: last?.results_from_seq ?? 0,
    characters: last?.results_characters,
    isTightest: last?.tightest === true,
  });
};

/** The same plan with notes of the model in it. */
export const withNotes = (
  events: readonly Event[],
  { event }: CompactionPlan,
  options: CompactionOptions,
): CompactionPlan => {
  const { kept_from_seq: keptFrom, results_from_seq: resultsFrom = 0, results_characters: characters } = event;
  const isTightest = event.tightest === true;
  return new Planner(events, options).plan({ keptFrom, resultsFrom, characters, isTightest });
};

/** Less is not worth what the server has to read again. */
export const freesEnough = ({ before, after, head }: CompactionPlan): boolean =>
  before - after >= (before - head) * LIMITS.compactionFreedShareMin;

type CompactionStep = {
  keptFrom: number;
  resultsFrom: number;
  characters?: number | undefined;
  /** Where every token counts: no tools described in messages, and few words for what was left out. */
  isTightest?: boolean;
};

/** Plans over one log: its messages are made, and what is kept of it found, once for all steps. */
class Planner {
  readonly log: readonly Event[];
  readonly before: number;
  readonly #options: CompactionOptions;
  readonly #projection: Projection;
  readonly #hasFocus: boolean;
  readonly #retainer: ReturnType<typeof createRetainer>;
  readonly #retained = new Map<string, Retained>();

  constructor(events: readonly Event[], options: CompactionOptions) {
    this.log = activePath(events);
    this.#options = options;
    this.#projection = createProjection(options.projection);
    for (const event of this.log) this.#projection.add(event);
    this.#hasFocus = focusesIn(this.log, options.focus).length > 0;
    this.before = options.size(this.#projection.messages());
    this.#retainer = createRetainer(this.log, options.trace);
  }

  get firstMessage(): number | undefined {
    return this.log.find(({ type }) => type === 'user_message_added')?.seq;
  }

  plan({ keptFrom: wanted, resultsFrom, characters, isTightest = false }: CompactionStep): CompactionPlan {
    // What the person wants kept stands before the first message, also where only results are left out.
    const keptFrom = this.#hasFocus ? Math.max(wanted, this.firstMessage ?? 0) : wanted;
    const notes = this.#options.notes ?? lastCompaction(this.log)?.notes;
    const retained = keptFrom > 0 ? this.#retainedAt(keptFrom, notes, isTightest) : undefined;
    const event: Compacted = {
      type: 'context_compacted',
      kept_from_seq: keptFrom,
      results_from_seq: resultsFrom,
      summary: retained?.text ?? '',
      results_characters: characters,
      ...(isTightest ? { tightest: true } : {}),
      ...(this.#options.focus ? { focus: this.#options.focus } : {}),
      ...(notes && keptFrom > 0 ? { notes } : {}),
    };
    const after = this.#options.size(this.#projection.preview(event));
    const count = (type: Event['type'], before: number): number =>
      this.log.filter((known) => known.type === type && known.seq < before).length;
    event.report = {
      before_tokens: Math.round(this.before),
      after_tokens: Math.round(after),
      turns: count('user_message_added', keptFrom),
      results: count('tool_finished', resultsFrom),
      ...(retained ? keptOf(retained.counts) : {}),
      ...(this.#options.windowTokens ? { window_tokens: Math.round(this.#options.windowTokens) } : {}),
    };
    const head = this.#options.headTokens ?? 0;
    return { event, before: this.before, after, head };
  }

  #retainedAt(keptFrom: number, notes: ConversationNotes | undefined, isTightest: boolean): Retained {
    const key = `${keptFrom} ${isTightest}`;
    const known = this.#retained.get(key);
    if (known) return known;
    const usual = this.#options.retainedCharacters ?? LIMITS.compactionRetainedCharacters;
    const maxCharacters = isTightest ? Math.min(usual, LIMITS.compactionRetainedCharactersMin) : usual;
    const made = this.#retainer(keptFrom, { ...this.#options, notes, maxCharacters });
    this.#retained.set(key, made);
    return made;
  }
}

const keptOf = ({ messages, shortened, decisions }: RetainedCounts) => ({ messages, shortened, decisions });

export const lastCompaction = (log: readonly Event[]): Compacted | undefined => {
  const last = log.findLast(({ type }) => type === 'context_compacted');
  return last?.type === 'context_compacted' ? last : undefined;
};

type Shape = { turns: number[] /** Of the last turn. */; rounds: number[] };

const shapeOf = (log: readonly Event[]): Shape => {
  const turns: number[] = [];
  let rounds: number[] = [];
  for (const event of log) {
    if (event.type === 'user_message_added') {
      turns.push(event.seq);
      rounds = [];
    } else if (event.type === 'assistant_message_added' && event.message.tool_calls.length > 0) rounds.push(event.seq);
  }
  return { turns, rounds };
};

/**
 * From the gentlest to the hardest. The last turn's messages and its newest results always stay; what was left out
 * before stays so, unless it may come back.
 */
const steps = (log: readonly Event[], goesOn = true): CompactionStep[] => {
  const { turns, rounds } = shapeOf(log);
  const last = goesOn ? lastCompaction(log) : undefined;
  const current = turns.at(-1);
  const newest = rounds.at(-1) ?? current;
  const older = [turns.at(-4), turns.at(-3), turns.at(-2)];
  const planned: [keptFrom: number | undefined, resultsFrom: number | undefined][] = [
    // Results alone: older than the last two turns, than the last turn, than the newest rounds of calls.
    ...[turns.at(-2), current, rounds.at(-3), rounds.at(-2), rounds.at(-1)].map((seq): [number, number | undefined] => [
      0,
      seq,
    ]),
    // Turns: with the results of those that stay, then without.
    ...older.map((seq): [number | undefined, number | undefined] => [seq, seq]),
    [turns.at(-3), current],
    [turns.at(-2), current],
    [current, current],
    ...[rounds.at(-3), rounds.at(-2), newest].map((seq): [number | undefined, number | undefined] => [current, seq]),
  ];
  return planned.map(([keptFrom, resultsFrom]) => ({
    keptFrom: Math.max(keptFrom ?? 0, last?.kept_from_seq ?? 0),
    resultsFrom: Math.max(resultsFrom ?? 0, last?.results_from_seq ?? 0),
  }));
};

/** Where the newest results alone are too much, they are cut; the harder the more there are. */
const cutNewest = (planner: Planner, best: CompactionPlan | undefined, limit: number): CompactionPlan | undefined => {
  const { turns, rounds } = shapeOf(planner.log);
  const current = turns.at(-1) ?? 0;
  const resultsFrom = rounds.at(-1) ?? current;
  let found = best;
  for (let characters: number = LIMITS.compactionCutCharacters; characters >= LIMITS.compactionCutCharactersMin; ) {
    const plan = planner.plan({ keptFrom: current, resultsFrom, characters });
    if (plan.after < (found?.after ?? planner.before)) found = plan;
    if (plan.after <= limit) return found;
    characters = Math.floor(characters / 2);
  }
  const hardest = planner.plan({
    keptFrom: current,
    resultsFrom,
    characters: LIMITS.compactionCutCharactersMin,
    isTightest: true,
  });
  return hardest.after < (found?.after ?? planner.before) ? hardest : found;
};
