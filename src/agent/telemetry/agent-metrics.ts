/** What an agent counts: requests to model servers, steps, tokens, calls, and how long people are waited for. */
import type { SessionFace, SessionUpdate, StopReason } from '../../core/events.ts';
import type { ModelErrorCode, RequestFigures } from '../../core/model-port.ts';
import { TOOL_ERROR_TYPES, type ToolErrorType } from '../../core/tool-result.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type Labels, Metrics } from './metrics.ts';

export type AgentMetrics = {
  readonly metrics: Metrics;
  /** A request to a model server came to its end. */
  request(figures: RequestFigures): void;
  /** Everything that is done in the session from now on. */
  follow(session: SessionFace): void;
};

type RunEnd = StopReason | 'completed' | 'cancelled';
const RUN_ENDS = Object.keys({
  completed: true,
  cancelled: true,
  limit: true,
  retries_exhausted: true,
  loop: true,
  model_unusable: true,
  permission_required: true,
  error: true,
} satisfies Record<RunEnd, true>);

/** Of warnings, those that count as errors. */
const COUNTED_WARNINGS = ['session_not_written', 'run_lost'] as const;
const ERROR_CODES = Object.keys({
  unreachable: true,
  model_not_found: true,
  tools_unsupported: true,
  unauthorized: true,
  bad_request: true,
  rate_limited: true,
  server_error: true,
  timeout: true,
  disconnected: true,
  context_overflow: true,
  load_failed: true,
  cancelled: true,
  protocol: true,
  session_not_written: true,
  run_lost: true,
} satisfies Record<ModelErrorCode | (typeof COUNTED_WARNINGS)[number], true>);

const outcomeOf = (type: ToolErrorType): string => (type === 'none' ? 'ok' : type);
const each = (label: string, values: readonly string[]): Labels[] => values.map((value) => ({ [label]: value }));

export const createAgentMetrics = (): AgentMetrics => {
  const metrics = new Metrics();
  const requests = metrics.counter('halter_model_requests', 'Requests to model servers, by what came of them.');
  const seconds = metrics.histogram('halter_model_request_seconds', 'From a request to the end of its answer.');
  const first = metrics.histogram('halter_model_first_token_seconds', 'From a request to the first of its answer.');
  const tokens = metrics.counter('halter_model_tokens', 'Tokens that model servers read and wrote.');
  const steps = metrics.counter('halter_steps', 'Answers of models in conversations.', [{}]);
  const outcomes = each('outcome', TOOL_ERROR_TYPES.map(outcomeOf));
  const calls = metrics.counter('halter_tool_calls', 'Calls of tools, by what came of them.', outcomes);
  const runs = metrics.counter('halter_runs', 'Runs that came to an end, and how.', each('outcome', RUN_ENDS));
  const asked = metrics.counter('halter_permission_questions', 'Questions to a person.', [{}]);
  const waits = metrics.histogram('halter_permission_wait_seconds', 'From a question to its answer.');
  const codes = each('code', ERROR_CODES);
  const errors = metrics.counter('halter_errors', 'What went wrong in conversations, by its code.', codes);

  const hear = (session: SessionFace, update: SessionUpdate): void => {
    switch (update.type) {
      case 'assistant_message_added':
        steps.add();
        return;
      case 'tool_finished': {
        const { success, error_type } = update.result;
        calls.add({ outcome: outcomeOf(success ? 'none' : error_type) });
        return;
      }
      case 'permission_requested':
        asked.add();
        return;
      case 'permission_resolved': {
        const question = session
          .log()
          .findLast((event) => event.type === 'permission_requested' && event.tool_call_id === update.tool_call_id);
        if (question) waits.observe({ decision: update.decision }, (update.at - question.at) / 1_000);
        return;
      }
      case 'model_failed':
        errors.add({ code: update.code });
        return;
      case 'warning':
        if (COUNTED_WARNINGS.some((code) => code === update.code)) errors.add({ code: update.code });
        return;
      case 'run_completed':
        runs.add({ outcome: 'completed' });
        return;
      case 'run_stopped':
        runs.add({ outcome: update.reason });
        return;
      case 'run_cancelled':
        runs.add({ outcome: 'cancelled' });
        return;
      default:
    }
  };

  const endpoints = new Map<string, string>();
  const shownEndpoint = (endpoint: string): string => {
    const shown = endpoints.get(endpoint) ?? withoutSecrets(endpoint);
    if (endpoints.size < AGENT_LIMITS.metricSeries) endpoints.set(endpoint, shown);
    return shown;
  };

  return {
    metrics,
    request({ endpoint, outcome, seconds: took, firstSeconds, usage }) {
      const labels = { endpoint: shownEndpoint(endpoint) };
      requests.add({ ...labels, outcome });
      seconds.observe(labels, took);
      if (firstSeconds !== undefined) first.observe(labels, firstSeconds);
      if (usage === undefined) return;
      tokens.add({ ...labels, kind: 'prompt' }, usage.prompt_tokens);
      tokens.add({ ...labels, kind: 'cached' }, usage.cached_tokens ?? 0);
      tokens.add({ ...labels, kind: 'completion' }, usage.completion_tokens);
    },
    follow(session) {
      session.subscribe((update) => hear(session, update));
    },
  };
};

/** An address may hold a user, a password and a key. */
export const withoutSecrets = (endpoint: string): string => {
  if (!URL.canParse(endpoint)) return endpoint;
  const url = new URL(endpoint);
  return `${url.protocol}//${url.host}${url.pathname}`.replace(/\/$/, '');
};
