/**
 * What a session does, in the words of `stream-json`: the lines of the command line and the events of the HTTP server are
 * the same. Pure: it neither reads the clock nor writes.
 */
import type { EventOf, ProgressOf, SessionUpdate } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { ToolCall } from '../../../core/message.ts';
import { ruleText } from '../../../core/policy.ts';
import { shownArguments } from '../../../core/shown-arguments.ts';
import { referencesIn } from '../../../core/tool/result-reference.ts';
import { gaveSomething, type ToolResult } from '../../../core/tool-result.ts';
import {
  type ExitReason,
  type PermissionRequest,
  type RecordedCall,
  type RunProblem,
  type StreamEvent,
  type StreamEventBody,
  stampEvent,
} from './stream-event.ts';

export type { ExitReason, PermissionRequest, RecordedCall, RunProblem, StreamLine } from './stream-event.ts';

export type StreamLines = {
  /** The lines that this update is to a program that reads along; `at` is for progress, which has no time of its own. */
  add(update: SessionUpdate, at: number): StreamEvent[];
  calls(): RecordedCall[];
  call(id: string): RecordedCall | undefined;
  /** The question that is open. */
  permissionRequest(): PermissionRequest | undefined;
  /** How the last run ended; undefined while one goes on. */
  ended(): { reason: ExitReason; sources: string[]; problem?: RunProblem } | undefined;
  /** The text that the last run ended with. */
  answer(): string;
  /** The last line of a run. */
  turnEnd(sessionId: string): Extract<StreamEventBody, { type: 'turn_end' }>;
};

const STOP_REASONS: Readonly<Record<EventOf<'run_stopped'>['reason'], ExitReason>> = {
  limit: 'limit',
  retries_exhausted: 'error',
  loop: 'loop',
  model_unusable: 'model_unusable',
  permission_required: 'permission_required',
  error: 'error',
};

const loadingLine = ({ message, fraction, queue_position }: ProgressOf<'loading'>): StreamEventBody => ({
  type: 'loading',
  message,
  fraction: fraction ?? null,
  ...(queue_position === undefined ? {} : { queue_position }),
});

/** The tools that gave something, in the order of their calls: one whose calls all failed is no source. */
export const namesOfUsed = (calls: readonly RecordedCall[]): string[] => [
  ...new Set(calls.flatMap(({ name, result }) => (result !== null && gaveSomething(result) ? [name] : []))),
];

export const createStreamLines = (): StreamLines => {
  const calls = new Map<string, RecordedCall>();
  const announced = new Set<string>();
  /** Calls that take an earlier result; a question about one shows what that is. */
  const referring = new Set<string>();
  const shown = new Map<string, JsonObject>();
  let answer = '';
  let isCut = false;
  let asked: PermissionRequest | undefined;
  let ended: { reason: ExitReason; sources: string[]; problem?: RunProblem } | undefined;
  let hint: string | undefined;
  /** The answer is a call that nobody can run: whoever waits for an answer has none. */
  let unread: RunProblem | undefined;
  /** The calls that ran since the person's last message. */
  const ran = new Set<string>();
  const sources = (): string[] => namesOfUsed([...calls.values()].filter(({ id }) => ran.has(id)));

  const addCall = (call: ToolCall): void => {
    if (referencesIn(call).length > 0) referring.add(call.id);
    const malformed = call.malformed ? { malformed: call.malformed } : {};
    const { id, name, repairs } = call;
    calls.set(id, { id, name, arguments: call.arguments, repairs: [...repairs], ...malformed, result: null });
  };
  /** A call is told once its arguments were looked at, so that every repair stands on its line. */
  const announce = (id: string): StreamEventBody[] => {
    const call = calls.get(id);
    if (call === undefined || announced.has(id)) return [];
    announced.add(id);
    const { result: _result, ...fields } = call;
    return [{ type: 'tool_call', ...structuredClone(fields) }];
  };
  const addResult = (id: string, result: ToolResult): string => {
    const call = calls.get(id);
    if (call) call.result = result;
    return call?.name ?? '';
  };
  const ask = (event: EventOf<'permission_requested'>, seq: number): PermissionRequest => ({
    id: `permission_${seq}`,
    tool_call_id: event.tool_call_id,
    name: calls.get(event.tool_call_id)?.name ?? event.rule.tool,
    arguments: shown.get(event.tool_call_id) ?? calls.get(event.tool_call_id)?.arguments ?? {},
    risk: event.risk,
    preview: event.preview?.summary ?? null,
    ...(event.preview?.diff === undefined ? {} : { diff: event.preview.diff }),
    rule: ruleText(event.rule),
    because: event.because,
    ...(event.suggestions === undefined ? {} : { suggestions: event.suggestions.map(ruleText) }),
    ...(event.flag_rule === undefined ? {} : { flag_rule: ruleText(event.flag_rule) }),
    ...(event.asks_each_time ? { asks_each_time: true } : {}),
    ...(event.only_reads ? { only_reads: true } : {}),
    ...(event.provenance ? { provenance: event.provenance } : {}),
  });

  /** What an update is called in `stream-json`, with its fields; nothing for what only the log needs. */
  const linesOf = (update: SessionUpdate): StreamEventBody[] => {
    switch (update.type) {
      case 'model_started':
        return [{ type: 'model_start', model: update.model, iteration: update.iteration }];
      case 'loading':
        return [loadingLine(update)];
      case 'prefill': {
        const { processed, total, cached, seconds_left, estimated } = update;
        return [{ type: 'prefill', processed, total, cached, seconds_left, ...(estimated ? { estimated } : {}) }];
      }
      case 'text_delta':
      case 'reasoning_delta':
        return [{ type: update.type, delta: update.delta }];
      case 'tool_output_delta':
        return [{ type: 'tool_output_delta', id: update.tool_call_id, delta: update.delta }];
      case 'usage':
        return [{ type: 'usage', ...update.usage }];
      case 'compaction':
        return [{ type: 'compaction', state: update.state }];
      case 'curation': {
        const { state, path, usage } = update;
        return [{ type: 'curation', state, path, usage }];
      }
      case 'warning':
        if (update.code === 'unread_call') unread = { code: null, name: 'UnreadCall', message: update.message };
        return [{ type: 'warning', code: update.code, message: update.message }];
      case 'user_message_added':
        if (update.steers) return [];
        answer = '';
        ended = undefined;
        unread = undefined;
        ran.clear();
        return [];
      case 'branch_selected':
        ran.clear();
        return [];
      case 'tool_started':
        ran.add(update.tool_call_id);
        return [];
      case 'assistant_message_added':
        // Text beside calls is what the model says while it works; the answer is the text that ends the run.
        answer = update.message.tool_calls.length === 0 ? update.message.content : '';
        isCut = update.message.finish === 'length';
        for (const call of update.message.tool_calls) addCall(call);
        return [];
      case 'policy_evaluated': {
        const call = calls.get(update.tool_call_id);
        // As the model sent them, unless something in them was repaired; defaults are nobody's words.
        const runs = shownArguments(call?.arguments ?? {}, update.arguments);
        if (referring.has(update.tool_call_id)) shown.set(update.tool_call_id, runs);
        if (call && update.repairs) {
          call.arguments = runs;
          call.repairs.push(...update.repairs);
        }
        return announce(update.tool_call_id);
      }
      case 'permission_requested':
        asked = ask(update, update.seq);
        return [{ type: 'permission_request', ...asked }];
      case 'permission_resolved':
        asked = undefined;
        return [
          {
            type: 'permission_resolved',
            tool_call_id: update.tool_call_id,
            decision: update.decision,
            ...(update.rule ? { rule: ruleText(update.rule) } : {}),
          },
        ];
      case 'tool_finished':
      case 'arguments_rejected': {
        const call = announce(update.tool_call_id);
        const name = addResult(update.tool_call_id, update.result);
        const isJson = update.type === 'tool_finished' && update.is_json ? { is_json: true as const } : {};
        return [...call, { type: 'tool_result', id: update.tool_call_id, name, result: update.result, ...isJson }];
      }
      case 'task_changed':
        return [{ type: 'task_changed', task: update.task }];
      case 'model_failed':
        hint = update.hint;
        return [];
      case 'run_completed':
        ended = unread
          ? { reason: 'error', sources: sources(), problem: unread }
          : { reason: 'answered', sources: sources() };
        return [];
      case 'run_stopped': {
        const { code = null, name, message } = update;
        const problem = { code, name, message, hint };
        const reason = name === 'Interrupted' ? 'interrupted' : STOP_REASONS[update.reason];
        ended = { reason, sources: sources(), problem };
        return [{ type: reason === 'limit' || reason === 'loop' ? 'limit' : 'error', ...problem }];
      }
      case 'run_cancelled':
        ended = { reason: 'interrupted', sources: sources() };
        return [];
      default:
        return [];
    }
  };

  return {
    add: (update, at) => linesOf(update).map((line) => stampEvent(line, at)),
    calls: () => [...calls.values()],
    call: (id) => calls.get(id),
    permissionRequest: () => asked,
    ended: () => ended,
    answer: () => answer,
    turnEnd(session_id) {
      const { reason: exit_reason = 'error', sources = [], problem } = ended ?? {};
      return {
        type: 'turn_end',
        exit_reason,
        session_id,
        answer,
        sources,
        ...(isCut ? { finish_reason: 'length' } : {}),
        ...(problem ? { error: problem } : {}),
      };
    },
  };
};
