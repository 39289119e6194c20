/** Where a conversation stands, and which events can be facts there. */
import type { StopRun } from './effects.ts';
import type { EventBody, Rule } from './events.ts';
import type { CallEntry } from './executor.ts';
import type { Limits } from './limits.ts';
import type { Round } from './loop-guard.ts';
import type { ToolCall } from './message.ts';
import type { Task } from './ports.ts';
import type { ToolResult } from './tool-result.ts';

export type RunPhase = 'idle' | 'calling_model' | 'tools' | 'between' | 'ending';

export type State = {
  readonly limits: Limits;
  readonly phase: RunPhase;
  readonly model: string;
  /** The iteration of the present user message, from 1; 0 before the first. */
  readonly iteration: number;
  /** Iterations in a row in which no call had usable arguments. */
  readonly badIterations: number;
  readonly entries: readonly CallEntry[];
  /** What came of the present message's calls, in the order it came. */
  readonly round: readonly { call: ToolCall; result: ToolResult; polling: boolean }[];
  /** Calls of the present message that the loop guard leaves alone. */
  readonly polling: readonly string[];
  /** The rounds of the present user message, for the loop guard. */
  readonly rounds: readonly Round[];
  /** A request is out and not answered. */
  readonly modelRunning: boolean;
  /** Nobody is there to say "go on" when a limit is reached. */
  readonly unattended: boolean;
  /** The answer that is awaited is the last one; then the run stops with this. */
  readonly closing?: StopRun;
  /** Yes for the session; remembered rules live in the policy store. */
  readonly grants: readonly Rule[];
  readonly tasks: readonly Task[];
  /** Tools that gave something for the present user message, in the order of their calls; those of a round are added when it is over. */
  readonly toolsUsed: readonly string[];
};

export const initialState = (limits: Limits): State => ({
  limits,
  phase: 'idle',
  model: '',
  iteration: 0,
  badIterations: 0,
  entries: [],
  round: [],
  polling: [],
  rounds: [],
  modelRunning: false,
  unattended: false,
  grants: [],
  tasks: [],
  toolsUsed: [],
});

/**
 * Whether an event can be a fact in this state. Work that ends after the run was ended, or an answer to a question that
 * is no longer asked, is not: such events are not kept and change nothing.
 */
export const accepts = (state: State, event: EventBody): boolean => {
  const entry =
    'tool_call_id' in event ? state.entries.find((known) => known.call.id === event.tool_call_id) : undefined;
  switch (event.type) {
    case 'user_message_added':
      return state.phase === (event.steers ? 'between' : 'idle');
    case 'assistant_message_added':
    case 'model_failed':
      return state.modelRunning;
    case 'answer_streamed':
      // Once a run was ended the next fact of the model is its answer, as far as it came.
      return state.phase === 'calling_model';
    case 'policy_evaluated':
      return state.phase === 'tools' && entry?.awaited === 'policy';
    case 'permission_requested':
      return state.phase === 'tools' && (entry?.awaited === 'permission' || entry?.status === 'running');
    case 'permission_resolved':
      return state.phase === 'tools' && entry?.awaited === 'permission';
    case 'tool_started':
      return state.phase === 'tools' && entry?.awaited === 'start';
    case 'arguments_rejected':
    case 'tool_finished':
      return entry !== undefined && entry.status !== 'finished';
    case 'iteration_completed':
    case 'run_completed':
      return state.phase === 'between';
    case 'run_stopped':
    case 'run_cancelled':
      return state.phase !== 'idle' && state.phase !== 'ending';
    default:
      return true;
  }
};
