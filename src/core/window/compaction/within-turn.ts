/** Room in the middle of a turn whose own rounds of calls are too much: their oldest results go, then the oldest rounds. */
import type { Event } from '../../events.ts';
import type { CompactionOptions, CompactionPlan, Planner } from './planner.ts';
import { lastCompaction } from './planner.ts';
import { freesEnough, LESS_KEPT, shapeOf } from './shape.ts';

/**
 * In the middle of a long turn room that is made for the next call alone has to be made again for the one behind it, and
 * the server reads most of the prompt each time. So the oldest results go, and where that is not enough the oldest rounds,
 * until so much is free as between two turns; the newest results stay. `keepingAll`: plans with all of them.
 */
export const freeingAgain = (
  planner: Planner,
  options: CompactionOptions,
  keepingAll: () => CompactionPlan | undefined,
): CompactionPlan | undefined => {
  const { rounds } = shapeOf(planner.log);
  const { limitTokens } = options;
  const isLong = rounds.length > ROUNDS_WHOLE || (rounds.length > 1 && wasMadeWithin(planner.log));
  if (limitTokens === undefined || !isLong) return undefined;
  const usual = keepingAll();
  if (usual !== undefined && usual.after <= limitTokens) return usual;
  const within = { ...options, workTokens: limitTokens };
  // The calls of a few rounds take little beside their results, but in a small window even these are too much.
  for (const leave of [leavingRounds, leavingOutRounds]) {
    for (const kept of ROUNDS_KEPT) {
      const plan = leave(planner, within, kept);
      if (plan) return plan;
    }
  }
  return undefined;
};
/** A file that was read and then changed: the first time in a turn as much of it stays as fits. */
const ROUNDS_WHOLE = 2;

const wasMadeWithin = (log: readonly Event[]): boolean => {
  const begun = log.findLastIndex(({ type }) => type === 'user_message_added');
  const turn = log.slice(begun);
  const answered = turn.findIndex(({ type }) => type === 'assistant_message_added');
  return answered >= 0 && turn.findLastIndex(({ type }) => type === 'context_compacted') > answered;
};
/** With their results; one where two are too much. */
const ROUNDS_KEPT = [2, 1];

/**
 * A long turn whose calls and words alone are too much: its first rounds are left out, as few as free enough. What the model
 * does next is written from the newest round, so that one stays.
 */
export const leavingOutRounds = (
  planner: Planner,
  options: CompactionOptions,
  kept = 1,
): CompactionPlan | undefined => {
  const { turns, rounds } = shapeOf(planner.log);
  const limit = options.limitTokens ?? options.targetTokens;
  const aim = (options.targetTokens + limit) / 2;
  const from = turns.at(-1);
  if (from === undefined || rounds.length <= kept) return undefined;
  const planAt = (round: number, share: number): CompactionPlan => {
    const roundsFrom = rounds[round] as number;
    return planner.plan({ keptFrom: from, resultsFrom: roundsFrom, roundsFrom, share });
  };
  let [tooFew, enough] = [0, rounds.length - kept];
  while (enough - tooFew > 1) {
    const between = Math.floor((tooFew + enough) / 2);
    if (planAt(between, 1).after <= aim) enough = between;
    else tooFew = between;
  }
  for (const share of [1, ...LESS_KEPT]) {
    const plan = planAt(enough, share);
    if (plan.after <= limit && freesEnough(plan)) return plan;
  }
  return undefined;
};

/**
 * In the middle of a turn whose own results are too many: of the oldest of them as few as have to go, since the answer is
 * written from those that stay.
 */
export const leavingRounds = (
  planner: Planner,
  { workTokens }: CompactionOptions,
  kept = 1,
): CompactionPlan | undefined => {
  const { turns, rounds } = shapeOf(planner.log);
  const current = turns.at(-1);
  if (workTokens === undefined || current === undefined) return undefined;
  const last = lastCompaction(planner.log);
  const before = last?.results_from_seq ?? 0;
  // Where no older turn stands, there is none to leave out.
  const keptFrom = turns.some((seq) => seq < current && seq >= (last?.kept_from_seq ?? 0))
    ? current
    : (last?.kept_from_seq ?? 0);
  const places = rounds.slice(-ROUNDS_LOOKED_AT, rounds.length - kept + 1).filter((seq) => seq > before);
  // A result can be read again, and what the person said cannot.
  const plans = [1, ...LESS_KEPT]
    .flatMap((share) => places.map((resultsFrom) => ({ keptFrom, resultsFrom, share })))
    .map((step) => planner.plan(step))
    .filter(({ after }) => after <= workTokens);
  return plans.find(freesEnough);
};
/** Each is planned. */
const ROUNDS_LOOKED_AT = 8;
