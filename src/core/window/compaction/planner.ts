/** One way to make room, planned over one log: what is left out, and what stands for it. */
import type { Event, EventOf } from '../../events.ts';
import { lastOf } from '../../last-event.ts';
import type { WindowEvidence } from '../../learned-window.ts';
import { LIMITS } from '../../limits.ts';
import type { ModelMessage } from '../../message.ts';
import { createProjection, type Projection, type ProjectionOptions } from '../../model-projection.ts';
import { activePath } from '../../session-tree.ts';
import { callsIn, createLeftRounds, type LeftRounds } from '../left-rounds.ts';
import type { ConversationNotes } from '../notes.ts';
import { createRetainer, focusesIn, type Retained, type RetainOptions } from '../retained.ts';

export type Compacted = EventOf<'context_compacted'>;

export type CompactionOptions = Omit<RetainOptions, 'maxCharacters'> & {
  projection: ProjectionOptions;
  /** What stays of the notes that were written before; by default all of them. */
  carriedNotes?: { kept: ConversationNotes | undefined };
  /** Tokens of what the model would read. */
  size(messages: readonly ModelMessage[]): number;
  /** Tokens of the instructions and tools, which stand before every message. */
  headTokens?: number;
  /** Room is made until the prompt has this size. */
  targetTokens: number;
  /** What the prompt must not exceed; where nothing else helps, the newest results are cut to reach it. */
  limitTokens?: number;
  /** The same where what is being worked with would go otherwise: less is free then, but enough for an answer. */
  workTokens?: number | undefined;
  /** How much may stand for what was left out. */
  retainedCharacters?: number;
  /** Until the prompt has this size, what the person said stays word for word, however much it is. */
  wordsTokens?: number | undefined;
  /** The window that this is planned for. */
  windowTokens?: number | undefined;
  /** How that was learned, where nobody told it. */
  windowLearned?: WindowEvidence | undefined;
};

export type CompactionPlan = {
  event: Compacted;
  before: number;
  after: number;
  /** What the model would read. */
  messages: readonly ModelMessage[];
  /** Tokens of the instructions and tools, which no compaction frees. */
  head: number;
  step: CompactionStep;
};

export type CompactionStep = {
  keptFrom: number;
  resultsFrom: number;
  /** Rounds of the last turn before this event are left out. */
  roundsFrom?: number;
  characters?: number | undefined;
  /** Where every token counts: no tools described in messages, and few words for what was left out. */
  isTightest?: boolean;
  /** Of what may stand for what was left out. */
  share?: number;
  /** What the person said may take so much, where that is more than its share. */
  saidCharacters?: number;
};

/** Plans over one log: its messages are made, and what is kept of it found, once for all steps. */
export class Planner {
  readonly log: readonly Event[];
  readonly before: number;
  readonly #options: CompactionOptions;
  readonly #projection: Projection;
  readonly #hasFocus: boolean;
  readonly #retainer: ReturnType<typeof createRetainer>;
  readonly #leftRounds: ReturnType<typeof createLeftRounds>;
  readonly #retained = new Map<string, Retained>();

  /** Rounds that were left out before. */
  readonly #roundsBefore: { keptFrom: number; roundsFrom: number } | undefined;

  /** `goesOn`: what was left out before stays so. */
  constructor(events: readonly Event[], options: CompactionOptions, goesOn = true) {
    this.log = activePath(events);
    const { kept_from_seq: keptFrom, rounds_from_seq: roundsFrom } = lastCompaction(this.log) ?? {};
    this.#roundsBefore =
      goesOn && keptFrom !== undefined && roundsFrom !== undefined ? { keptFrom, roundsFrom } : undefined;
    this.#options = options;
    this.#projection = createProjection(options.projection);
    for (const event of this.log) this.#projection.add(event);
    this.#hasFocus = focusesIn(this.log, options.focus).length > 0;
    this.before = options.size(this.#projection.messages());
    this.#retainer = createRetainer(this.log, options.trace);
    this.#leftRounds = createLeftRounds(this.log);
  }

  get firstMessage(): number | undefined {
    return this.log.find(({ type }) => type === 'user_message_added')?.seq;
  }

  /** Every message of the person stands in what is kept. */
  keepsAll(step: CompactionStep): boolean {
    const keptFrom = this.#from(step.keptFrom);
    return keptFrom === 0 || this.#retainedAt(keptFrom, step).isComplete;
  }

  /** What the person wants kept stands before the first message, also where only results are left out. */
  #from(wanted: number): number {
    return this.#hasFocus ? Math.max(wanted, this.firstMessage ?? 0) : wanted;
  }

  get #notes(): ConversationNotes | undefined {
    const { notes, carriedNotes } = this.#options;
    if (notes ?? carriedNotes) return notes ?? carriedNotes?.kept;
    return lastCompaction(this.log)?.notes;
  }

  plan(step: CompactionStep): CompactionPlan {
    const { keptFrom: wanted, resultsFrom, characters, isTightest } = step;
    const keptFrom = this.#from(wanted);
    const notes = this.#notes;
    const retained = keptFrom > 0 ? this.#retainedAt(keptFrom, step) : undefined;
    const rounds = this.#roundsOf(keptFrom, step);
    const event: Compacted = {
      type: 'context_compacted',
      kept_from_seq: keptFrom,
      results_from_seq: resultsFrom,
      summary: retained?.text ?? '',
      results_characters: characters,
      ...(rounds
        ? { rounds_from_seq: rounds.before, rounds_summary: this.#leftRounds(rounds, this.#roundsRoom(step)) }
        : {}),
      ...(isTightest ? { tightest: true } : {}),
      ...(this.#options.focus ? { focus: this.#options.focus } : {}),
      ...(notes && keptFrom > 0 ? { notes } : {}),
      ...(retained?.said ? { said: retained.said } : {}),
    };
    const messages = this.#projection.preview(event);
    const after = this.#options.size(messages);
    const count = (type: Event['type'], before: number): number =>
      this.log.filter((known) => known.type === type && known.seq < before).length;
    event.report = {
      before_tokens: Math.round(this.before),
      after_tokens: Math.round(after),
      turns: count('user_message_added', keptFrom),
      results: count('tool_finished', resultsFrom),
      ...(rounds ? { calls: callsIn(this.log, rounds) } : {}),
      ...(retained ? keptOf(retained) : {}),
      ...(this.#options.windowTokens ? { window_tokens: Math.round(this.#options.windowTokens) } : {}),
      ...(notes && keptFrom > 0 && !this.#options.notes ? { notes_kept: true as const } : {}),
      ...(this.#options.windowLearned ? { window_learned: this.#options.windowLearned } : {}),
    };
    const head = this.#options.headTokens ?? 0;
    return { event, before: this.before, after, messages, head, step };
  }

  #roundsOf(keptFrom: number, { roundsFrom = 0 }: CompactionStep): LeftRounds | undefined {
    const known = this.#roundsBefore?.keptFrom === keptFrom ? this.#roundsBefore.roundsFrom : 0;
    const before = Math.max(roundsFrom, known);
    return before > keptFrom && keptFrom > 0 ? { from: keptFrom, before } : undefined;
  }

  #roundsRoom({ isTightest, share = 1 }: CompactionStep): number {
    return Math.floor(this.#retainedMost(isTightest, share) * ROUNDS_SHARE);
  }

  #retainedMost(isTightest: boolean | undefined, share: number): number {
    const usual = Math.floor((this.#options.retainedCharacters ?? LIMITS.compactionRetainedCharacters) * share);
    return isTightest ? Math.min(usual, LIMITS.compactionRetainedCharactersMin) : usual;
  }

  #retainedAt(keptFrom: number, { isTightest, share = 1, saidCharacters }: CompactionStep): Retained {
    const key = `${keptFrom} ${isTightest} ${share} ${saidCharacters}`;
    const known = this.#retained.get(key);
    if (known) return known;
    const maxCharacters = this.#retainedMost(isTightest, share);
    const leastSaid =
      share < 1 && !isTightest ? Math.min(maxCharacters / share, LIMITS.compactionSaidCharactersMin) : 0;
    const made = this.#retainer(keptFrom, {
      ...this.#options,
      notes: this.#notes,
      maxCharacters,
      saidCharacters: Math.max(saidCharacters ?? 0, leastSaid),
      saidBefore: lastCompaction(this.log)?.said,
    });
    this.#retained.set(key, made);
    return made;
  }
}

/** Of what may stand for older turns, so much may stand for the first rounds of the last one. */
const ROUNDS_SHARE = 0.5;

const keptOf = ({ counts: { messages, shortened, decisions }, shortened: named, dropped }: Retained) => ({
  messages,
  shortened,
  decisions,
  ...(named.length > 0 ? { shortened_messages: [...named] } : {}),
  ...(dropped.length > 0 ? { dropped_messages: [...dropped] } : {}),
});

export const lastCompaction: (log: readonly Event[]) => Compacted | undefined = lastOf('context_compacted');
