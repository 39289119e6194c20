/**
 * What a session's stream says of each update: the names of `stream-json`, and besides them what a screen needs that shows
 * the whole conversation. Lines made of kept events carry their `seq`.
 */

import { stampEvent } from '../agent/loop/call-model/stream-event.ts';
import { createStreamLines, type PermissionRequest, type StreamLine } from '../agent/loop/call-model/stream-lines.ts';
import type { Event, SessionUpdate } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import { activePath } from '../core/session-tree.ts';
import { initialState, type State } from '../core/state.ts';
import { step, stepBranch } from '../core/step.ts';

export type SessionLines = {
  add(update: SessionUpdate, at: number): StreamLine[];
  state(): State;
  permissionRequest(): PermissionRequest | undefined;
};

export type SessionLinesOptions = { id: string; limits: Limits; tools(): readonly string[] };

export const createSessionLines = ({ id: sessionId, limits, tools }: SessionLinesOptions): SessionLines => {
  const base = createStreamLines();
  let state = initialState(limits);
  const log: Event[] = [];

  const take = (event: Event): void => {
    log.push(event);
    state = event.type === 'branch_selected' ? stepBranch(limits, activePath(log)).state : step(state, event).state;
  };
  return {
    add(update, at) {
      const before = state.phase;
      if (update.seq !== undefined) take(update);
      const time = update.seq === undefined ? at : update.at;
      const kept = update.seq === undefined ? {} : { seq: update.seq };
      const toLine = ([type, fields]: [string, object]): StreamLine => ({ type, at: time, ...kept, ...fields });
      const lines: StreamLine[] = base.add(update, time).map((line) => ({ ...line, ...kept }));
      lines.push(...ownLines(update, base, tools).map(toLine));
      if (before !== 'idle' && state.phase === 'idle')
        lines.push({ ...stampEvent(base.turnEnd(sessionId), time), ...kept });
      return lines;
    },
    state: () => state,
    permissionRequest: () => (state.phase === 'tools' ? base.permissionRequest() : undefined),
  };
};

/** Names that `stream-json` has; the rest of what happens is told under its own name, so that nothing is left out. */
const TOLD_BY_STREAM_JSON: ReadonlySet<string> = new Set([
  'model_started',
  'loading',
  'prefill',
  'text_delta',
  'reasoning_delta',
  'tool_output_delta',
  'usage',
  'compaction',
  'warning',
  'arguments_rejected',
  'permission_requested',
  'permission_resolved',
  'tool_finished',
  'task_changed',
  'model_failed',
  // By its deltas.
  'answer_streamed',
  'run_completed',
  'run_stopped',
  'run_cancelled',
]);

const ownLines = (
  update: SessionUpdate,
  base: ReturnType<typeof createStreamLines>,
  tools: SessionLinesOptions['tools'],
): [string, object][] => {
  switch (update.type) {
    case 'session_started': {
      const { session_id, workspace, model } = update;
      return [['session', { session_id, workspace, model, tools: tools() }]];
    }
    case 'user_message_added':
      return [['user_message', { content: update.content }]];
    case 'assistant_message_added': {
      const { role: _role, ...message } = update.message;
      return [['assistant_message', message]];
    }
    case 'policy_evaluated': {
      const { tool_call_id, verdict, risk, because, arguments: args } = update;
      return [['policy', { tool_call_id, verdict, risk, because, arguments: args }]];
    }
    case 'tool_started':
      return [['tool_start', { id: update.tool_call_id, name: base.call(update.tool_call_id)?.name ?? '' }]];
    default: {
      if (TOLD_BY_STREAM_JSON.has(update.type)) return [];
      const { type, seq: _seq, at: _at, ...fields } = update as SessionUpdate & { at?: number };
      return [[type, fields]];
    }
  }
};
