/**
 * What a session does, in the words of `stream-json`: the lines of the command line and the events of the HTTP server are
 * the same. Pure: it neither reads the clock nor writes.
 */
import type { EventOf, SessionUpdate } from '../../../core/events.ts';
import type { JsonObject } from '../../../core/json.ts';
import type { Repair, ToolCall } from '../../../core/message.ts';
import { ruleText } from '../../../core/policy.ts';
import type { ArgumentOrigin } from '../../../core/provenance.ts';
import type { ToolResult } from '../../../core/tool-result.ts';

/** One line of `stream-json`. `at` is milliseconds since 1970. */
export type StreamLine = { type: string; at: number; [key: string]: unknown };

/** How a run ended, in the words of `turn_end` and of `--format json`. */
export type ExitReason =
  | 'answered'
  | 'error'
  | 'permission_required'
  | 'limit'
  | 'loop'
  | 'model_unusable'
  | 'interrupted';

export type PermissionRequest = {
  id: string;
  tool_call_id: string;
  name: string;
  arguments: JsonObject;
  risk: string;
  preview: string | null;
  diff?: string;
  /** The rule that would allow this call: what to hand to `--allow`. */
  rule: string;
  /** Why it is asked. */
  because?: string;
  /** Other rules that would cover it. */
  suggestions?: string[];
  /** A yes counts once. */
  asks_each_time?: true;
  /** After untrusted content: whose words the weighty arguments are. */
  provenance?: ArgumentOrigin[];
};
export type RunProblem = { code: number | null; name: string; message: string; hint?: string };
export type RecordedCall = {
  id: string;
  name: string;
  arguments: JsonObject;
  repairs: Repair[];
  /** The text that stood where the arguments should be, where they could not be read at all. */
  malformed?: { text: string; problem: string };
  result: ToolResult | null;
};

export type StreamLines = {
  /** The lines that this update is to a program that reads along; `at` is for progress, which has no time of its own. */
  add(update: SessionUpdate, at: number): StreamLine[];
  calls(): RecordedCall[];
  call(id: string): RecordedCall | undefined;
  /** The question that is open. */
  permissionRequest(): PermissionRequest | undefined;
  /** How the last run ended; undefined while one goes on. */
  ended(): { reason: ExitReason; sources: string[]; problem?: RunProblem } | undefined;
  /** The text that the last run ended with. */
  answer(): string;
};

const STOP_REASONS: Readonly<Record<EventOf<'run_stopped'>['reason'], ExitReason>> = {
  limit: 'limit',
  retries_exhausted: 'error',
  loop: 'loop',
  model_unusable: 'model_unusable',
  permission_required: 'permission_required',
  error: 'error',
};

export const createStreamLines = (): StreamLines => {
  const calls = new Map<string, RecordedCall>();
  const announced = new Set<string>();
  let answer = '';
  let asked: PermissionRequest | undefined;
  let ended: { reason: ExitReason; sources: string[]; problem?: RunProblem } | undefined;
  let hint: string | undefined;
  /** The tools that ran since the person's last message. */
  const used = new Set<string>();

  const addCall = (call: ToolCall): void => {
    const malformed = call.malformed ? { malformed: call.malformed } : {};
    const { id, name, repairs } = call;
    calls.set(id, { id, name, arguments: call.arguments, repairs: [...repairs], ...malformed, result: null });
  };
  /** A call is told once its arguments were looked at, so that every repair stands on its line. */
  const announce = (id: string): [string, object][] => {
    const call = calls.get(id);
    if (call === undefined || announced.has(id)) return [];
    announced.add(id);
    const { result: _result, ...fields } = call;
    return [['tool_call', structuredClone(fields)]];
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
    arguments: calls.get(event.tool_call_id)?.arguments ?? {},
    risk: event.risk,
    preview: event.preview?.summary ?? null,
    ...(event.preview?.diff === undefined ? {} : { diff: event.preview.diff }),
    rule: ruleText(event.rule),
    because: event.because,
    ...(event.suggestions === undefined ? {} : { suggestions: event.suggestions.map(ruleText) }),
    ...(event.asks_each_time ? { asks_each_time: true } : {}),
    ...(event.provenance ? { provenance: event.provenance } : {}),
  });

  /** What an update is called in `stream-json`, with its fields; nothing for what only the log needs. */
  const linesOf = (update: SessionUpdate): [string, object][] => {
    switch (update.type) {
      case 'model_started':
        return [['model_start', { model: update.model, iteration: update.iteration }]];
      case 'loading':
        return [['loading', { message: update.message, fraction: update.fraction ?? null }]];
      case 'prefill': {
        const { processed, total, cached, seconds_left, estimated } = update;
        return [
          [
            'prefill',
            {
              processed,
              total,
              cached,
              seconds_left,
              ...(estimated ? { estimated } : {}),
            },
          ],
        ];
      }
      case 'text_delta':
      case 'reasoning_delta':
        return [[update.type, { delta: update.delta }]];
      case 'tool_output_delta':
        return [['tool_output_delta', { id: update.tool_call_id, delta: update.delta }]];
      case 'usage':
        return [['usage', { ...update.usage }]];
      case 'curation': {
        const { state, path, usage } = update;
        return [['curation', { state, path, usage }]];
      }
      case 'warning':
        return [['warning', { code: update.code, message: update.message }]];
      case 'user_message_added':
        answer = '';
        ended = undefined;
        used.clear();
        return [];
      case 'branch_selected':
        used.clear();
        return [];
      case 'tool_started':
        used.add(calls.get(update.tool_call_id)?.name ?? '');
        return [];
      case 'assistant_message_added':
        // Text beside calls is what the model says while it works; the answer is the text that ends the run.
        answer = update.message.tool_calls.length === 0 ? update.message.content : '';
        for (const call of update.message.tool_calls) addCall(call);
        return [];
      case 'policy_evaluated': {
        const call = calls.get(update.tool_call_id);
        // As the model sent them, unless something in them was mended; defaults are nobody's words.
        if (call && update.repairs) {
          call.arguments = update.arguments;
          call.repairs.push(...update.repairs);
        }
        return announce(update.tool_call_id);
      }
      case 'permission_requested':
        asked = ask(update, update.seq);
        return [['permission_request', asked]];
      case 'permission_resolved':
        asked = undefined;
        return [
          [
            'permission_resolved',
            {
              tool_call_id: update.tool_call_id,
              decision: update.decision,
              ...(update.rule ? { rule: ruleText(update.rule) } : {}),
            },
          ],
        ];
      case 'tool_finished':
      case 'arguments_rejected': {
        const call = announce(update.tool_call_id);
        const name = addResult(update.tool_call_id, update.result);
        return [...call, ['tool_result', { id: update.tool_call_id, name, result: update.result }]];
      }
      case 'task_changed':
        return [['task_changed', { task: update.task }]];
      case 'model_failed':
        hint = update.hint;
        return [];
      case 'run_completed':
        ended = { reason: 'answered', sources: update.sources };
        return [];
      case 'run_stopped': {
        const { code = null, name, message } = update;
        const problem = { code, name, message, hint };
        const reason = STOP_REASONS[update.reason];
        ended = { reason, sources: [...used], problem };
        return [[reason === 'limit' || reason === 'loop' ? 'limit' : 'error', problem]];
      }
      case 'run_cancelled':
        ended = { reason: 'interrupted', sources: [...used] };
        return [];
      default:
        return [];
    }
  };

  return {
    add: (update, at) => linesOf(update).map(([type, fields]) => ({ type, at, ...fields })),
    calls: () => [...calls.values()],
    call: (id) => calls.get(id),
    permissionRequest: () => asked,
    ended: () => ended,
    answer: () => answer,
  };
};
