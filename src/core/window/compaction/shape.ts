/** What plans go by: the turns of a log, the rounds of its last turn, and what is worth doing. */
import type { Event } from '../../events.ts';
import { LIMITS } from '../../limits.ts';
import type { CompactionPlan } from './planner.ts';

/** Less is not worth what the server has to read again. */
export const freesEnough = ({ before, after, head }: CompactionPlan): boolean =>
  before - after >= (before - head) * LIMITS.compactionFreedShareMin;

type Shape = { turns: number[] /** Of the last turn. */; rounds: number[] };

export const shapeOf = (log: readonly Event[]): Shape => {
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

/** Shares of what may be kept, tried in turn. */
export const LESS_KEPT = [0.5, 0.25];
