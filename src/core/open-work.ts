/**
 * What a log that broke off in the middle of a run still wants done. The log alone says it: what `step` wanted, without
 * what later events answered. Whoever takes such a session over begins with this and asks nobody else.
 */
import type { Effect } from './effects.ts';
import type { Event } from './events.ts';
import type { CallEntry } from './executor.ts';
import type { Limits } from './limits.ts';
import { activePath } from './session-tree.ts';
import { initialState, type State } from './state.ts';
import { step } from './step.ts';

export type OpenWork = {
  /** Asked for and not begun: doing it now does it once. */
  effects: readonly Effect[];
  /** Begun and not ended. Whether they took effect is for the outside to find out. */
  running: readonly CallEntry[];
};

export const openWork = (limits: Limits, events: readonly Event[]): OpenWork => {
  let state: State = initialState(limits);
  let last: readonly Effect[] = [];
  let open: readonly Effect[] = [];
  for (const event of activePath(events)) {
    const next = step(state, event);
    state = next.state;
    if (event.type === 'branch_selected') {
      last = event.run ? last.filter(({ type }) => type === 'call_model') : [];
      open = last;
      continue;
    }
    last = next.effects;
    open = [...open.filter((effect) => !isAnswered(effect, event)), ...last.filter(leavesWork)];
  }
  return { effects: open, running: state.entries.filter(({ status }) => status === 'running') };
};

/** Nothing is to be done for it now: no run goes on, or all that one waits for is an answer of the person. */
export const isResting = (limits: Limits, events: readonly Event[]): boolean => {
  const { effects, running } = openWork(limits, events);
  return effects.length === 0 && running.length === 0;
};

/** The others are told to whoever listens at that moment, or concern work that ended with its process. */
const leavesWork = ({ type }: Effect): boolean =>
  type !== 'abort_work' && type !== 'answer_call' && type !== 'iteration_limit_reached';

/** Whether this event says what came of the effect, or makes it pointless. */
const isAnswered = (effect: Effect, event: Event): boolean => {
  switch (effect.type) {
    case 'call_model':
      return event.type === 'assistant_message_added' || event.type === 'model_failed';
    case 'evaluate_policy':
      return isAbout(effect.call.id, event, ['policy_evaluated', 'arguments_rejected', 'tool_finished']);
    case 'show_permission_prompt':
      return isAbout(effect.call.id, event, ['permission_requested', 'permission_resolved', 'tool_finished']);
    case 'execute_tool':
      return isAbout(effect.call.id, event, ['tool_started', 'tool_finished']);
    case 'finish_call':
      // An end of the run leaves this to whoever was asked first.
      return event.type === 'tool_finished' && event.tool_call_id === effect.call.id;
    case 'remember_grant':
      // Remembering takes a moment and says nothing; with anything after it the moment is over.
      return true;
    case 'iteration_complete':
    case 'run_completed':
      // A run that is steered goes on, and a tool can end one.
      return event.type === 'iteration_completed' || isEnd(event);
    case 'stop_run':
      return isEnd(event);
    case 'abort_work':
    case 'answer_call':
    case 'iteration_limit_reached':
      return true;
    default:
      return effect satisfies never;
  }
};

const isAbout = (id: string, event: Event, types: readonly Event['type'][]): boolean =>
  // An end of the run says itself what is to become of its calls.
  isEnd(event) || ('tool_call_id' in event && event.tool_call_id === id && types.includes(event.type));

const isEnd = ({ type }: Event): boolean =>
  type === 'run_completed' || type === 'run_stopped' || type === 'run_cancelled';
