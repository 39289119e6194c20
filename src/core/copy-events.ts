/** Events that become the beginning of another session: checked where they come from outside, and renumbered. */

import { checkValue, surelyFits } from '../schema/index.ts';
import { EVENT_SCHEMAS } from './event-schemas.ts';
import type { Event, EventBody } from './events.ts';
import { withoutFiles } from './known-files.ts';
import { LIMITS, type Limits } from './limits.ts';
import { isDeepValue } from './nested-json.ts';
import { failure, type Outcome, succeed } from './outcome.ts';
import { allowsCall } from './permission-decision.ts';
import { activePath } from './session-tree.ts';
import { accepts, initialState } from './state.ts';
import { step, stepBranch } from './step.ts';

/** Where an event stood in the file, to be named where something is wrong with it. */
export type Placed = { value: unknown; place: string };

/** The events, or the first thing that is wrong, with its place. */
export const checkEvents = (entries: readonly Placed[], limits: Limits): Outcome<Event[]> => {
  const events: Event[] = [];
  for (const { value, place } of entries) {
    const problem = formProblem(value) ?? orderProblem(events, value as Event);
    if (problem !== undefined) return failure('validation_failed', `${place}: ${problem}`, 'damaged');
    events.push(value as Event);
  }
  if (events.length === 0) return failure('validation_failed', 'There are no events in it.', 'damaged');
  const impossible = firstImpossible(events, limits);
  if (impossible !== undefined) {
    const { index, problem } = impossible;
    return failure('validation_failed', `${entries[index]?.place}: ${problem}`, 'damaged');
  }
  return succeed(events);
};

/** Calls that come in now hold less; those of older versions may hold more than what walks them can take. */
const DEPTH_MAX = 1_000;

export const formProblem = (value: unknown): string | undefined => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'it is no event';
  const { seq, at, type } = value as Record<string, unknown>;
  if (!Number.isSafeInteger(seq) || (seq as number) < 1) return 'its "seq" is no whole number from 1';
  if (typeof at !== 'number' || !Number.isFinite(at)) return 'its "at" is no time';
  if (typeof type !== 'string' || !Object.hasOwn(EVENT_SCHEMAS, type)) {
    return `this version knows no event of the type ${JSON.stringify(type)?.slice(0, 80)}`;
  }
  if (isDeepValue(value, DEPTH_MAX)) return `it is nested more than ${DEPTH_MAX} levels deep`;
  const schema = EVENT_SCHEMAS[type as EventBody['type']];
  // A long session has tens of thousands, of which nearly all are well.
  if (surelyFits(schema, value)) return undefined;
  const [issue] = checkValue(schema, value as never);
  return issue && `${type}${issue.path === '' ? '' : ` at ${issue.path}`} ${issue.message}`;
};

const orderProblem = (events: readonly Event[], event: Event): string | undefined => {
  const expected = (events.at(-1)?.seq ?? 0) + 1;
  if (event.seq !== expected) return `it is number ${event.seq} where ${expected} is due`;
  if ((event.seq === 1) !== (event.type === 'session_started')) return 'a session begins with session_started, once';
  if (event.type === 'branch_selected' && event.at_seq >= event.seq) return 'it goes on from an event that comes later';
  return undefined;
};

/**
 * An event that could not have happened after those before it: a call that ran without a yes, a result of no call, two
 * calls of one id.
 */
const firstImpossible = (events: readonly Event[], limits: Limits): { index: number; problem: string } | undefined => {
  let state = initialState(limits);
  let branched = 0;
  const ids = new Set<string>();
  for (const [index, event] of events.entries()) {
    if (event.type === 'branch_selected') {
      if (state.phase !== 'idle') return { index, problem: 'it goes on elsewhere in the middle of a run' };
      branched += 1;
      if (branched > LIMITS.importBranches)
        return { index, problem: `it has more than ${LIMITS.importBranches} branches` };
      state = stepBranch(state.limits, activePath(events.slice(0, index + 1))).state;
      continue;
    }
    if (!accepts(state, event)) return { index, problem: `${event.type} could not have happened here` };
    if (event.type === 'assistant_message_added') {
      for (const { id } of event.message.tool_calls) {
        if (ids.has(id)) return { index, problem: `the call ${JSON.stringify(id.slice(0, 80))} is there twice` };
        ids.add(id);
      }
    }
    state = step(state, event).state;
  }
  return undefined;
};

/**
 * Left out of a copy: what an attacker could use (the changes of files that undo would take back, questions that would be
 * put to the person) and what belongs to the other session alone.
 */
const OWN: ReadonlySet<EventBody['type']> = new Set([
  'change_recorded',
  'layer_changed',
  'job_changed',
  'change_undone',
  'server_asked',
  'server_answered',
]);

export type CopyOptions = {
  id: string;
  workspace: string;
  from?: { session_id: string; seq: number };
  keepHead: boolean;
};

/** Numbered from 1 without gaps. Grants do not pass on: what was allowed for a session was allowed for that one. */
export const copyEvents = (events: readonly Event[], options: CopyOptions): Event[] => {
  const numbers = new Map<number, number>();
  const copies: Event[] = [];
  let last = 0;
  for (const event of events) {
    if (!OWN.has(event.type) && (options.keepHead || event.type !== 'prompt_begun')) {
      last += 1;
      const own = options.keepHead ? event : withoutFiles(event);
      copies.push({ ...copyOf(own, options, (seq) => numbers.get(seq) ?? 0), seq: last, at: event.at } as Event);
    }
    // What pointed to an event that is left out points to the one before it.
    numbers.set(event.seq, last);
  }
  return copies;
};

const copyOf = (event: Event, options: CopyOptions, numberOf: (seq: number) => number): EventBody => {
  switch (event.type) {
    case 'session_started': {
      const { head, ...rest } = event;
      return {
        ...rest,
        session_id: options.id,
        workspace: options.workspace,
        ...(head && options.keepHead ? { head } : {}),
        ...(options.from ? { forked_from: options.from } : {}),
      };
    }
    case 'permission_resolved': {
      const { rule: _rule, ...rest } = event;
      return { ...rest, decision: allowsCall(event.decision) ? 'allow_once' : 'deny' };
    }
    case 'branch_selected':
      return { ...event, at_seq: Math.max(1, numberOf(event.at_seq)) };
    case 'context_compacted': {
      const { results_from_seq: results, rounds_from_seq: rounds } = event;
      return {
        ...event,
        kept_from_seq: numberOf(event.kept_from_seq),
        ...(results === undefined ? {} : { results_from_seq: numberOf(results) }),
        ...(rounds === undefined ? {} : { rounds_from_seq: numberOf(rounds) }),
      };
    }
    default:
      return event;
  }
};
