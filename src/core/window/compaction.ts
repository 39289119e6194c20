/**
 * Makes room in a window: the oldest tool results become one line each, and where that is not enough, the oldest turns
 * become what is kept of them (`retained.ts`). The log itself keeps everything, so every compaction is computed from the whole log.
 */
import type { Event } from '../events.ts';
import { LIMITS } from '../limits.ts';
import {
  type CompactionOptions,
  type CompactionPlan,
  type CompactionStep,
  lastCompaction,
  Planner,
} from './compaction/planner.ts';
import { freesEnough, LESS_KEPT, shapeOf } from './compaction/shape.ts';
import { freeingAgain, leavingOutRounds, leavingRounds } from './compaction/within-turn.ts';
import { workedWithFrom } from './worked-with.ts';

export { type Compacted, type CompactionOptions, type CompactionPlan, lastCompaction } from './compaction/planner.ts';
export { freesEnough } from './compaction/shape.ts';
export { forgetFound } from './retained.ts';

/**
 * The gentlest step that reaches the target, else the one that frees most; undefined where nothing would be freed. What is
 * being worked with stays whole, wherever the prompt fits with it.
 */
export const planCompaction = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  const kept =
    freeingAgain(planner, options, () => keepingWork(planner, { ...options, workTokens: undefined })) ??
    keepingWork(planner, options) ??
    leavingRounds(planner, options);
  if (kept) return withWords(planner, kept, options);
  let best: CompactionPlan | undefined;
  for (const step of steps(planner.log)) {
    const plan = planner.plan(step);
    if (plan.after >= (best?.after ?? planner.before)) continue;
    best = plan;
    if (plan.after <= options.targetTokens && freesEnough(plan)) return withWords(planner, plan, options);
  }
  const limit = options.limitTokens ?? Number.POSITIVE_INFINITY;
  if (best && best.after <= limit && freesEnough(best)) return withWords(planner, best, options);
  const fits =
    leavingOutRounds(planner, options) ??
    ((best?.after ?? planner.before) <= limit ? best : keptLess(planner, best, limit));
  return fits && withWords(planner, fits, options);
};

/**
 * The gentlest step that leaves what is being worked with and brings the rest to the target; else the hardest of them that
 * fits, since what the person said has the room that is left.
 */
const keepingWork = (planner: Planner, options: CompactionOptions): CompactionPlan | undefined => {
  const from = workedWithFrom(planner.log);
  if (from === undefined) return undefined;
  const sizeFrom = (resultsFrom: number): number => planner.plan({ keptFrom: 0, resultsFrom }).after;
  const work = sizeFrom(from) - sizeFrom(Number.MAX_SAFE_INTEGER);
  if (work <= 0) return undefined;
  const limit = options.limitTokens ?? options.targetTokens;
  const plans = steps(planner.log)
    .filter(({ keptFrom, resultsFrom }) => keptFrom <= from && resultsFrom <= from)
    .map((step) => planner.plan(step));
  const usual = plans.filter((plan) => plan.after <= limit && freesEnough(plan));
  const kept = usual.find(({ after }) => after <= options.targetTokens + work) ?? usual.at(-1);
  if (kept !== undefined || options.workTokens === undefined) return kept;
  // A third cannot be free beside it, but an answer has room.
  const { workTokens } = options;
  const fitting = plans.concat(keepingLess(planner, from)).filter(({ after }) => after <= workTokens);
  return fitting.find(freesEnough) ?? (planner.before <= workTokens ? least(fitting) : undefined);
};

/** The hardest steps that leave the results from an event on: fewer words stand for what was before. */
const keepingLess = (planner: Planner, from: number): CompactionPlan[] => {
  const resultsFrom = Math.max(lastCompaction(planner.log)?.results_from_seq ?? 0, from);
  const keptFrom = Math.max(lastCompaction(planner.log)?.kept_from_seq ?? 0, from);
  return LESS_KEPT.map((share) => planner.plan({ keptFrom, resultsFrom, share }));
};

const least = (plans: readonly CompactionPlan[]): CompactionPlan | undefined =>
  plans.toSorted((one, other) => one.after - other.after)[0];

/** The room that is free after it is used for what the person said, up to what has to stay free. */
const withWords = (planner: Planner, plan: CompactionPlan, options: CompactionOptions): CompactionPlan =>
  withFacts(planner, filledWithWords(planner, plan, options), options);

/**
 * What the person said once, and like nothing else, cannot be read again: for it less is free than usual, as little as
 * has to be, but enough for an answer.
 */
const withFacts = (planner: Planner, plan: CompactionPlan, { workTokens }: CompactionOptions): CompactionPlan => {
  const { said } = plan.event;
  if (said?.lacks_facts !== true || workTokens === undefined) return plan;
  const most = workTokens * NEAR;
  let found: CompactionPlan | undefined;
  let [less, more] = [said.characters, Math.ceil((most - plan.head) * CHARACTERS_A_TOKEN_MOST)];
  for (let tries = 0; tries < WORDS_TRIES && less < more; tries += 1) {
    const saidCharacters = Math.floor((less + more) / 2);
    const next = planner.plan({ ...plan.step, saidCharacters });
    if (next.after <= most && next.event.said?.lacks_facts) less = saidCharacters + 1;
    else {
      more = saidCharacters;
      if (next.after <= most) found = next;
    }
  }
  return found ?? plan;
};

const filledWithWords = (planner: Planner, plan: CompactionPlan, options: CompactionOptions): CompactionPlan => {
  const freed = plan.before - (plan.before - plan.head) * FREED_WITH_WORDS;
  const usual = Math.min(options.wordsTokens ?? 0, options.limitTokens ?? Number.POSITIVE_INFINITY);
  const isLess = (plan.step.share ?? 1) < 1;
  // A third cannot be free where results of this turn are cut, but an answer has room.
  const room = isLess && options.wordsTokens !== undefined ? Math.max(usual, options.workTokens ?? 0) : usual;
  const most = Math.min(room * NEAR, freed);
  if (plan.after >= most || planner.keepsAll(plan.step)) return plan;
  let found = plan;
  let less = 0;
  let more = Math.ceil((most - plan.head) * CHARACTERS_A_TOKEN_MOST);
  for (let tries = 0; tries < WORDS_TRIES; tries += 1) {
    const saidCharacters = Math.floor((less + more) / 2);
    const next = planner.plan({ ...plan.step, saidCharacters });
    if (next.after > most) more = saidCharacters;
    else {
      less = saidCharacters;
      found = next;
      if (planner.keepsAll(next.step)) break;
    }
  }
  return found;
};
/** Of what the messages take, so much is freed at least. */
const FREED_WITH_WORDS = 0.25;
/** Many short texts become one long one, of which the measure is a little off. */
const NEAR = 0.95;
const CHARACTERS_A_TOKEN_MOST = 6;
const WORDS_TRIES = 8;

/**
 * The same for a window that is larger now: the gentlest step of all that fits, whatever was left out before. Undefined
 * where nothing would come back.
 */
export const planReturn = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options, false);
  for (const step of [NOTHING_LEFT_OUT, ...steps(planner.log, false)]) {
    const plan = planner.plan(step);
    if (plan.after > (options.limitTokens ?? options.targetTokens)) continue;
    const whole = withWords(planner, plan, { ...options, wordsTokens: options.limitTokens });
    return whole.after > planner.before * WORTH_RETURN ? whole : undefined;
  }
  return undefined;
};
/** Less is not worth what the server has to read again. */
const WORTH_RETURN = 1.05;
const NOTHING_LEFT_OUT = { keptFrom: 0, resultsFrom: 0 };

/**
 * Room was made in the middle of a turn or beside what was worked with, where little could stand for what was left out.
 * Between two turns more of it stands there again. Undefined where that is no more than a little, and nothing that the
 * person said once comes back.
 */
export const planFuller = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  const before = lastCompaction(planner.log)?.said;
  if (before === undefined) return undefined;
  for (const step of steps(planner.log)) {
    const plan = planner.plan(step);
    if (plan.after > (options.limitTokens ?? options.targetTokens)) continue;
    const fuller = withWords(planner, { ...plan, before: Number.MAX_SAFE_INTEGER }, options);
    const { said } = fuller.event;
    const hasFacts = before.lacks_facts === true && said?.lacks_facts !== true;
    return said === undefined || hasFacts || said.characters > before.characters * FULLER_BY ? fuller : undefined;
  }
  return undefined;
};
const FULLER_BY = 1.5;

/** Leaves out no more than before, and puts what the person wants kept into the prompt. */
export const planFocus = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const planner = new Planner(events, options);
  const last = lastCompaction(planner.log);
  if (planner.firstMessage === undefined || options.focus === undefined) return undefined;
  const plan = planner.plan({
    keptFrom: last?.kept_from_seq ?? 0,
    resultsFrom: last?.results_from_seq ?? 0,
    characters: last?.results_characters,
    isTightest: last?.tightest === true,
  });
  return withWords(planner, { ...plan, before: Number.MAX_SAFE_INTEGER }, options);
};

/** The same plan with notes of the model in it. */
export const withNotes = (
  events: readonly Event[],
  { step: { saidCharacters: _said, ...step } }: CompactionPlan,
  options: CompactionOptions,
): CompactionPlan => {
  const planner = new Planner(events, options);
  return withWords(planner, planner.plan(step), options);
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

/**
 * Where the last turn and what is kept are too much, less is kept; where the newest results alone are too much, they are
 * cut, the harder the more there are.
 */
const keptLess = (planner: Planner, best: CompactionPlan | undefined, limit: number): CompactionPlan | undefined => {
  const { turns, rounds } = shapeOf(planner.log);
  const current = turns.at(-1) ?? 0;
  const resultsFrom = rounds.at(-1) ?? current;
  const roundsFrom = rounds.length > 1 ? resultsFrom : 0;
  let found = best;
  const fits = (step: CompactionStep): boolean => {
    const plan = planner.plan(step);
    if (plan.after < (found?.after ?? planner.before)) found = plan;
    return plan.after <= limit;
  };
  const least = LESS_KEPT.at(-1) as number;
  /** The longest that fits, between a length that does and one that does not. */
  const longest = (fitting: number, tooLong: number, how: Partial<CompactionStep>): CompactionPlan | undefined => {
    let [less, more] = [fitting, tooLong];
    for (let tries = 0; tries < CUT_TRIES; tries += 1) {
      const between = Math.floor((less + more) / 2);
      const plan = planner.plan({ keptFrom: current, resultsFrom, roundsFrom, ...how, characters: between });
      if (plan.after > limit) more = between;
      else [less, found] = [between, plan];
    }
    return found;
  };
  if (LESS_KEPT.some((share) => fits({ keptFrom: current, resultsFrom, roundsFrom, share }))) return found;
  for (let characters: number = LIMITS.compactionCutCharacters; characters >= LIMITS.compactionCutCharactersMin; ) {
    if (fits({ keptFrom: current, resultsFrom, roundsFrom, characters, share: least }))
      return longest(characters, characters * 2, { share: least });
    characters = Math.floor(characters / 2);
  }
  const tightest = { keptFrom: current, resultsFrom, roundsFrom, isTightest: true };
  if (fits({ ...tightest, characters: LIMITS.compactionCutCharactersMin })) return found;
  // So many results that not even the beginning of each has room: where they are is told.
  if (fits({ ...tightest, characters: 0 })) return longest(0, LIMITS.compactionCutCharactersMin, { isTightest: true });
  // A call that has no room itself, beside what it answers.
  const all = (planner.log.at(-1)?.seq ?? 0) + 1;
  const isWithin = rounds.length > 0;
  if (isWithin) [...LESS_KEPT].some((share) => fits({ keptFrom: current, resultsFrom: all, roundsFrom: all, share }));
  return found;
};
const CUT_TRIES = 4;
