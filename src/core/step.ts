/**
 * The loop, as a pure function: `step(state, event) → { state, effects }`. Everything that halter decides about a
 * conversation is decided here; `agent/loop/run-effects.ts` carries it out and answers with events.
 *
 * What must hold, whatever events come, and is asserted and fuzzed: nothing executes without an allow or a person's
 * yes; nothing executes twice; every call gets exactly one result; limits hold; the same log gives an equal state.
 */

import type { Effect, StopRun } from './effects.ts';
import { ErrorCode } from './errors.ts';
import type { Event, EventOf } from './events.ts';
import {
  advance,
  askedWhileRunning,
  type CallEntry,
  callFinished,
  callStarted,
  checkedAgain,
  enterCalls,
  executorPhase,
  permissionResolved,
  policyEvaluated,
} from './executor.ts';
import type { Limits } from './limits.ts';
import { ROUNDS_STOPPED, roundOf, timesRepeated, withRound } from './loop-guard.ts';
import type { ToolCall } from './message.ts';
import { counted } from './number-text.ts';
import { allowsCall } from './permission-decision.ts';
import { deniedByPerson, deniedByRule } from './policy/refusal-words.ts';
import type { Task } from './ports.ts';
import { activePath } from './session-tree.ts';
import { accepts, initialState, type State } from './state.ts';
import { gaveSomething, PERMISSION_REQUIRED } from './tool-result.ts';

export type Step = { state: State; effects: Effect[] };

export const step = (state: State, event: Event): Step => {
  if (!accepts(state, event)) return { state, effects: [] };
  switch (event.type) {
    case 'session_started':
      return { state: { ...state, model: event.model, limits: event.limits ?? state.limits }, effects: [] };
    case 'limits_changed':
      return { state: { ...state, limits: event.limits }, effects: [] };
    case 'model_changed':
      return { state: { ...state, model: event.model }, effects: [] };
    case 'task_changed':
      return { state: { ...state, tasks: withTask(state.tasks, event.task) }, effects: [] };
    case 'prompt_begun':
    case 'answer_streamed':
    case 'context_compacted':
    case 'server_asked':
    case 'server_answered':
    case 'job_changed':
    case 'session_renamed':
    case 'tool_called':
    case 'settings_changed':
    case 'change_recorded':
    case 'layer_changed':
    case 'change_undone':
      return { state, effects: [] };
    case 'mode_changed':
      return proceed({ ...state, entries: checkedAgain(state.entries) });
    case 'branch_selected':
      // The state is that of the event before it on the path (`stepBranch`); only the model is the one of today.
      return { state: { ...state, model: event.model }, effects: [] };
    case 'user_message_added':
      // A run that is steered goes on as it would have; what repeated itself until now is no loop any more.
      return event.steers
        ? { state: { ...state, badIterations: 0, rounds: [] }, effects: [] }
        : userMessageAdded(state, event);
    case 'assistant_message_added':
      return assistantMessageAdded(state, event);
    case 'model_failed':
      return modelFailed(state, event);
    case 'policy_evaluated':
      return policyWasEvaluated(state, event);
    case 'permission_requested':
      return { state: { ...state, entries: askedWhileRunning(state.entries, event.tool_call_id) }, effects: [] };
    case 'permission_resolved':
      return permissionWasResolved(state, event);
    case 'tool_started':
      return toolStarted(state, event);
    case 'arguments_rejected':
    case 'tool_finished':
      return callEnded(state, event);
    case 'iteration_completed':
      return iterationCompleted(state);
    case 'run_completed':
      return { state: { ...state, phase: 'idle', entries: [], round: [], polling: [] }, effects: [] };
    case 'run_stopped':
      return endRun(state, event.reason === 'permission_required' ? event.message : undefined);
    case 'run_cancelled':
      return endRun(state);
    default:
      event satisfies never;
      // A newer halter wrote it.
      return { state, effects: [] };
  }
};

/** The state that a whole log stands for. */
export const fold = (limits: Limits, events: readonly Event[]): State => foldPath(limits, activePath(events)).state;

/** With what the last event of the path wanted done. */
const foldPath = (limits: Limits, path: readonly Event[]): Step =>
  path.reduce((last: Step, event) => step(last.state, event), { state: initialState(limits), effects: [] });

/**
 * Where a branch leads: `path` ends in its `branch_selected`. What is to be done there is done again only where the model
 * is to answer anew; a call of a tool that was decided about before never runs by this.
 */
export const stepBranch = (limits: Limits, path: readonly Event[]): Step => {
  const marker = path.at(-1);
  if (marker?.type !== 'branch_selected') throw new Error('a path to a branch ends in its marker');
  const before = foldPath(limits, path.slice(0, -1));
  const { state } = step(before.state, marker);
  return { state, effects: marker.run ? before.effects.filter(({ type }) => type === 'call_model') : [] };
};

/** Whether the model is asked something in the state after the last event of a path. */
export const asksModel = (limits: Limits, path: readonly Event[]): boolean =>
  foldPath(limits, path).effects.some(({ type }) => type === 'call_model');

const withTask = (tasks: readonly Task[], task: Task): Task[] =>
  tasks.some((known) => known.id === task.id)
    ? tasks.map((known) => (known.id === task.id ? task : known))
    : [...tasks, task];

const callModel = (state: State, iteration: number): Step => ({
  state: { ...state, phase: 'calling_model', iteration, entries: [], round: [], polling: [], modelRunning: true },
  effects: [{ type: 'call_model', iteration }],
});

const userMessageAdded = (state: State, event: EventOf<'user_message_added'>): Step => {
  const { closing: _closing, ...rest } = state;
  const unattended = event.unattended === true;
  return callModel({ ...rest, unattended, badIterations: 0, toolsUsed: [], rounds: [] }, 1);
};

const assistantMessageAdded = (state: State, event: EventOf<'assistant_message_added'>): Step => {
  const answered = { ...state, modelRunning: false };
  // An answer that came in after the end was decided: its calls do not run, and still get their results.
  if (state.phase === 'ending') {
    return endRun({ ...answered, phase: 'tools', entries: enterCalls(event.message.tool_calls) });
  }
  const { closing } = state;
  if (closing !== undefined && event.message.tool_calls.length === 0) {
    return { state: { ...answered, phase: 'between' }, effects: [closing] };
  }
  if (event.message.finish === 'disconnected') {
    const message = 'The answer of the model broke off in the middle.';
    return {
      state: { ...answered, phase: 'between' },
      effects: [{ type: 'stop_run', reason: 'model_unusable', name: 'disconnected', message }],
    };
  }
  if (event.message.tool_calls.length === 0) {
    return { state: { ...answered, phase: 'between' }, effects: [{ type: 'run_completed' }] };
  }
  const runnable = closing === undefined ? state.limits.toolCallsPerIteration : 0;
  const entries = enterCalls(event.message.tool_calls).map(
    (entry, index): CallEntry => (index < runnable ? entry : { ...entry, status: 'asking', awaited: 'finish' }),
  );
  const overLimit: Effect[] = entries.slice(runnable).map(({ call }) => ({
    type: 'finish_call',
    call,
    error_type: 'validation_failed',
    reason: 'tool_call_limit',
    message: closing
      ? 'Not run: no tool can be called any more.'
      : `Not run: the limit is ${counted(runnable, 'tool call')} in one message. Call it again in the next message if it is still needed.`,
  }));
  const next = proceed({ ...answered, phase: 'tools', entries });
  return { state: next.state, effects: [...overLimit, ...next.effects] };
};

const modelFailed = (state: State, event: EventOf<'model_failed'>): Step => {
  const answered = { ...state, modelRunning: false };
  if (state.phase === 'ending') return settleEnding(answered);
  if (state.closing) return { state: { ...answered, phase: 'between' }, effects: [state.closing] };
  return {
    state: { ...answered, phase: 'between' },
    effects: [{ type: 'stop_run', reason: 'model_unusable', name: event.code, message: event.message }],
  };
};

const policyWasEvaluated = (state: State, event: EventOf<'policy_evaluated'>): Step => {
  const entries = policyEvaluated(state.entries, event.tool_call_id, event.verdict, event.exclusive);
  const polling = event.polling ? [...state.polling, event.tool_call_id] : state.polling;
  const next = proceed({ ...state, entries, polling });
  if (event.verdict === 'allow' || event.verdict === 'ask') return next;
  const refusal: Effect = {
    type: 'finish_call',
    call: callOf(state, event.tool_call_id),
    error_type: 'permission_denied',
    message: deniedByRule(event.because),
    reason: 'rule',
  };
  return { state: next.state, effects: [refusal, ...next.effects] };
};

const permissionWasResolved = (state: State, event: EventOf<'permission_resolved'>): Step => {
  const isRunning = state.entries.some(({ call, status }) => call.id === event.tool_call_id && status === 'running');
  if (isRunning) return runningWasAnswered(state, event);
  const entries = permissionResolved(state.entries, event.tool_call_id, event.decision);
  const granted =
    (event.decision === 'session' || event.decision === 'remember') && event.rule ? event.rule : undefined;
  const next = proceed({ ...state, entries, grants: granted ? [...state.grants, granted] : state.grants });
  const effects: Effect[] = [];
  if (granted !== undefined && event.decision === 'remember') effects.push({ type: 'remember_grant', rule: granted });
  if (!allowsCall(event.decision)) {
    effects.push({
      type: 'finish_call',
      call: callOf(state, event.tool_call_id),
      error_type: 'permission_denied',
      message: event.unanswered && event.reason ? event.reason : deniedByPerson(event.reason),
      reason: event.unanswered ? PERMISSION_REQUIRED : 'person',
    });
  }
  return { state: next.state, effects: [...effects, ...next.effects] };
};

/** The yes is to what the call did, and to nothing that comes later. */
const runningWasAnswered = (state: State, { tool_call_id, decision }: EventOf<'permission_resolved'>): Step => ({
  state: { ...state, entries: permissionResolved(state.entries, tool_call_id, decision) },
  effects: [{ type: 'answer_call', call: callOf(state, tool_call_id), allowed: allowsCall(decision) }],
});

/** Accepted events name a call of the present message. */
const callOf = (state: State, id: string): ToolCall => {
  const entry = state.entries.find((known) => known.call.id === id);
  if (entry === undefined) throw new Error(`no call ${id}`);
  return entry.call;
};

const toolStarted = (state: State, event: EventOf<'tool_started'>): Step => ({
  state: { ...state, entries: callStarted(state.entries, event.tool_call_id) },
  effects: [],
});

const callEnded = (state: State, event: EventOf<'tool_finished'> | EventOf<'arguments_rejected'>): Step => {
  const id = event.tool_call_id;
  const ended = { call: callOf(state, id), result: event.result, polling: state.polling.includes(id) };
  const next = {
    ...state,
    entries: callFinished(state.entries, id),
    round: [...state.round, ended],
  };
  return state.phase === 'ending' ? settleEnding(next) : proceed(next);
};

/** A tool whose calls all failed is no source of the answer. Calls end in any order; the sources stand in theirs. */
const withUsed = ({ toolsUsed, entries, round }: State): readonly string[] => {
  const gave = new Set(round.filter(({ result }) => gaveSomething(result)).map(({ call }) => call.id));
  const names = entries.filter(({ call }) => gave.has(call.id)).map(({ call }) => call.name);
  return [...new Set([...toolsUsed, ...names])];
};

/** Asks for what comes next in the present iteration. */
const proceed = (state: State): Step => {
  if (state.phase !== 'tools') return { state, effects: [] };
  const { entries, wanted } = advance(state.entries);
  const effects = wanted.map((want): Effect => {
    switch (want.type) {
      case 'evaluate':
        return { type: 'evaluate_policy', call: want.call };
      case 'ask':
        return { type: 'show_permission_prompt', call: want.call };
      case 'execute':
        return { type: 'execute_tool', call: want.call };
      default:
        return want satisfies never;
    }
  });
  if (executorPhase(entries) === 'completed') {
    return {
      state: { ...state, entries, phase: 'between', toolsUsed: withUsed(state) },
      effects: [...effects, { type: 'iteration_complete', iteration: state.iteration }],
    };
  }
  return { state: { ...state, entries }, effects };
};

const iterationCompleted = (state: State): Step => {
  const bad = state.entries.length > 0 && state.entries.every((entry) => !entry.accepted);
  const badIterations = bad ? state.badIterations + 1 : 0;
  const rounds = withRound(state.rounds, roundOf(state.round));
  const known = { ...state, badIterations, rounds };
  if (badIterations > state.limits.repairs && !state.closing) {
    return {
      state: known,
      effects: [
        {
          type: 'stop_run',
          reason: 'retries_exhausted',
          code: ErrorCode.ToolRetriesExhausted,
          name: 'ToolRetriesExhausted',
          message: `The model sent unusable tool calls ${counted(badIterations, 'time')} in a row; ${correctionsAllowed(state.limits.repairs)}.`,
        },
      ],
    };
  }
  if (state.closing) return { state: known, effects: [state.closing] };
  if (state.iteration >= state.limits.iterations) {
    const ended = endAtLimit(known, {
      type: 'stop_run',
      reason: 'limit',
      code: ErrorCode.ToolLoopLimitReached,
      name: 'ToolLoopLimitReached',
      message: `Stopped after ${counted(state.iteration, 'iteration')}, the limit for one message. Send a message to go on.`,
    });
    const reached: Effect = { type: 'iteration_limit_reached', iteration: state.iteration };
    return { state: ended.state, effects: [reached, ...ended.effects] };
  }
  if (timesRepeated(rounds) >= ROUNDS_STOPPED) {
    return endAtLimit(known, {
      type: 'stop_run',
      reason: 'loop',
      name: 'LoopDetected',
      message: `Stopped: the model repeated the same calls with the same results ${ROUNDS_STOPPED} times in a row.`,
    });
  }
  return callModel(known, state.iteration + 1);
};

const correctionsAllowed = (count: number): string =>
  `${counted(count, 'correction')} ${count === 1 ? 'is' : 'are'} allowed`;

/** A person is offered to go on; where nobody is there, a last answer comes first. */
const endAtLimit = (state: State, stop: StopRun): Step =>
  state.unattended ? callModel({ ...state, closing: stop }, state.iteration) : { state, effects: [stop] };

/**
 * Cancel, a limit or a failure: nothing new starts, and every open call still gets its one result. `unanswered`: nobody
 * could answer the question that is open, in words.
 */
const endRun = (state: State, unanswered?: string): Step => {
  const open = state.entries.filter((entry) => entry.status !== 'finished');
  const effects: Effect[] = open
    .filter((entry) => entry.status !== 'running' && entry.awaited !== 'finish')
    .map(({ call, awaited }) => ({
      type: 'finish_call',
      call,
      ...(unanswered !== undefined && awaited === 'permission'
        ? { error_type: 'permission_denied', reason: PERMISSION_REQUIRED, message: unanswered }
        : { error_type: 'io_error', reason: 'cancelled', message: 'Not run: the run was ended before it.' }),
    }));
  const entries = state.entries.map(
    (entry): CallEntry =>
      entry.status === 'finished' || entry.status === 'running' ? entry : { ...entry, awaited: 'finish' },
  );
  const ended = settleEnding({ ...state, entries, phase: 'ending' });
  return { state: ended.state, effects: [{ type: 'abort_work' }, ...effects, ...ended.effects] };
};

const settleEnding = (state: State): Step => {
  const open = state.entries.some((entry) => entry.status !== 'finished');
  return open || state.modelRunning
    ? { state, effects: [] }
    : { state: { ...state, phase: 'idle', entries: [], round: [], polling: [] }, effects: [] };
};
