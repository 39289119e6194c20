/**
 * Listens to a session and keeps what the command line says of a run: the lines of `stream-json` as they come, and the
 * one object of `--format json` at the end. Pure: it neither reads the clock nor writes.
 */
import type { EventOf, SessionUpdate } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Repair, ToolCall, Usage } from '../../core/message.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import type { ExitReason } from '../exit-codes.ts';

/** One line of `stream-json`. `at` is milliseconds since 1970. */
export type StreamLine = { type: string; at: number; [key: string]: unknown };

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
export type RunUsage = { prompt_tokens: number; cached_tokens: number; completion_tokens: number; seconds: number };

/** `--format json`. */
export type RunReport = {
  answer: string;
  tool_calls: RecordedCall[];
  tools_used: string[];
  usage: RunUsage;
  exit_reason: ExitReason;
  session_id: string;
  sources: string[];
  /** How often something on a call had to be mended: by model, then by the kind of repair. */
  repairs?: Record<string, Record<string, number>>;
  error?: RunProblem;
  permission_request?: PermissionRequest;
};

export type RunRecorder = {
  /** The lines that this update is to a program that reads along. */
  add(update: SessionUpdate, at: number): StreamLine[];
  /** The run was ended from outside, whatever the session says of it. The first reason given counts. */
  endAs(reason: ExitReason, problem?: RunProblem): void;
  /** The answer is not what was asked for. */
  rejectAnswer(problem: RunProblem): void;
  replaceAnswer(text: string): void;
  permissionRequest(): PermissionRequest | undefined;
  report(): RunReport;
  lastLine(at: number): StreamLine;
};

const STOP_REASONS: Readonly<Record<EventOf<'run_stopped'>['reason'], ExitReason>> = {
  limit: 'limit',
  retries_exhausted: 'error',
  loop: 'loop',
  model_unusable: 'model_unusable',
  permission_required: 'permission_required',
  error: 'error',
};

export const createRunRecorder = (
  sessionId: string,
  ruleText: (rule: { tool: string; pattern?: string }) => string,
): RunRecorder => {
  const calls = new Map<string, RecordedCall>();
  const announced = new Set<string>();
  const models = new Map<string, string>();
  let model = '';
  const used: string[] = [];
  const usage: RunUsage = { prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0, seconds: 0 };
  let answer = '';
  let sources: string[] = [];
  let reason: ExitReason | undefined;
  let outside: ExitReason | undefined;
  let problem: RunProblem | undefined;
  let asked: PermissionRequest | undefined;
  let hint: string | undefined;

  const addUsage = (more: Usage): void => {
    usage.prompt_tokens += more.prompt_tokens;
    usage.cached_tokens += more.cached_tokens ?? 0;
    usage.completion_tokens += more.completion_tokens;
    usage.seconds += more.seconds;
  };
  const addCall = (call: ToolCall): void => {
    const malformed = call.malformed ? { malformed: call.malformed } : {};
    const { id, name, repairs } = call;
    calls.set(id, { id, name, arguments: call.arguments, repairs: [...repairs], ...malformed, result: null });
    models.set(id, model);
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
  });

  /** What an update is called in `stream-json`, with its fields; nothing for what only the log needs. */
  const linesOf = (update: SessionUpdate): [string, object][] => {
    switch (update.type) {
      case 'model_started':
        model = update.model;
        return [['model_start', { model: update.model, iteration: update.iteration }]];
      case 'loading':
        return [['loading', { message: update.message, fraction: update.fraction ?? null }]];
      case 'prefill': {
        const { processed, total, cached } = update;
        return [['prefill', { processed, total, ...(cached === undefined ? {} : { cached }) }]];
      }
      case 'text_delta':
      case 'reasoning_delta':
        return [[update.type, { delta: update.delta }]];
      case 'tool_output_delta':
        return [['tool_output_delta', { id: update.tool_call_id, delta: update.delta }]];
      case 'usage':
        addUsage(update.usage);
        return [['usage', { ...update.usage }]];
      case 'warning':
        return [['warning', { code: update.code, message: update.message }]];
      case 'user_message_added':
        answer = '';
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
        return [['permission_resolved', { tool_call_id: update.tool_call_id, decision: update.decision }]];
      case 'tool_started': {
        const name = calls.get(update.tool_call_id)?.name;
        if (name !== undefined && !used.includes(name)) used.push(name);
        return [];
      }
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
        reason = 'answered';
        sources = update.sources;
        return [];
      case 'run_stopped': {
        reason = STOP_REASONS[update.reason];
        const { code = null, name, message } = update;
        problem = { code, name, message, ...(hint === undefined ? {} : { hint }) };
        return [[reason === 'limit' || reason === 'loop' ? 'limit' : 'error', problem]];
      }
      case 'run_cancelled':
        reason = 'interrupted';
        return [];
      default:
        return [];
    }
  };

  const exitReason = (): ExitReason => outside ?? reason ?? 'error';
  return {
    add: (update, at) => linesOf(update).map(([type, fields]) => ({ type, at, ...fields })),
    endAs(given, why) {
      if (outside !== undefined || reason !== undefined) return;
      outside = given;
      problem ??= why;
    },
    rejectAnswer(why) {
      outside = 'error';
      problem = why;
    },
    replaceAnswer(text) {
      answer = text;
    },
    permissionRequest: () => asked,
    report: () => ({
      answer,
      tool_calls: [...calls.values()],
      tools_used: [...used],
      usage: { ...usage },
      exit_reason: exitReason(),
      session_id: sessionId,
      sources,
      ...repairCounts([...calls.values()], (id) => models.get(id) ?? ''),
      ...(problem ? { error: problem } : {}),
      ...(exitReason() === 'permission_required' && asked ? { permission_request: asked } : {}),
    }),
    lastLine: (at) => ({ type: 'turn_end', at, exit_reason: exitReason(), session_id: sessionId, answer }),
  };
};

const repairCounts = (calls: readonly RecordedCall[], modelOf: (id: string) => string): Pick<RunReport, 'repairs'> => {
  const counts = new Map<string, Record<string, number>>();
  for (const { id, repairs } of calls) {
    const own = counts.get(modelOf(id)) ?? {};
    for (const { kind } of repairs) own[kind] = (own[kind] ?? 0) + 1;
    if (repairs.length > 0) counts.set(modelOf(id), own);
  }
  return counts.size > 0 ? { repairs: Object.fromEntries(counts) } : {};
};
