/**
 * What happens in a session → spans in the words of OpenTelemetry's GenAI conventions: one for a message's whole run, one
 * for each request to the model, one for each tool call. No words of the conversation are in them unless asked for.
 */
import type { Event, EventOf, SessionUpdate } from '../../core/events.ts';
import type { Usage } from '../../core/message.ts';
import { parseTraceparent } from '../../core/traceparent.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type AttributeValue = string | number | boolean | string[];
export type Span = {
  /** 32 and 16 hexadecimal digits. */
  trace_id: string;
  span_id: string;
  parent_span_id?: string;
  name: string;
  kind: 'internal' | 'client' | 'producer';
  /** Milliseconds since 1970. */
  start_ms: number;
  end_ms: number;
  attributes: Record<string, AttributeValue>;
  /** Set where the span ended in a failure. */
  error?: string;
};

export type SpanFacts = {
  sessionId: string;
  /** `ollama`, `openai` …: the provider that is spoken to. */
  provider: string;
  model: string;
  endpoint: string;
  /** Also what was said: messages, arguments and results, each cut to a length. */
  content: boolean;
};
export type SpanPorts = {
  now(): number;
  /** So many random bytes as hexadecimal digits. */
  randomHex(bytes: number): string;
  /** SHA-256 of a text as hexadecimal digits. */
  hash(text: string): string;
  ended(span: Span): void;
};

export type SpanRecorder = { record(update: SessionUpdate): void };

const TRACE_BYTES = 16;
const SPAN_BYTES = 8;

type Open = Omit<Span, 'end_ms' | 'error'>;
type Message = Extract<Event, { type: 'user_message_added' }>;

/**
 * The ids of a run follow from its message, so that every process that works on it, one after the other, writes into the
 * same trace.
 */
const idsOfRun = (
  { traceparent, seq }: Message,
  { sessionId }: SpanFacts,
  { hash }: SpanPorts,
): Pick<Span, 'trace_id' | 'span_id' | 'parent_span_id'> => {
  const sent = parseTraceparent(traceparent);
  const digits = hash(`${sessionId} ${seq} ${traceparent ?? ''}`);
  return {
    trace_id: sent?.trace_id ?? digits.slice(0, 2 * TRACE_BYTES),
    span_id: digits.slice(-2 * SPAN_BYTES),
    ...(sent === undefined ? {} : { parent_span_id: sent.span_id }),
  };
};

/** The message whose run was not over where a log ends. */
const openMessage = (log: readonly Event[]): Message | undefined => {
  const last = log.findLast(({ type }) => ENDS.has(type) || type === 'user_message_added');
  if (last?.type !== 'user_message_added') return undefined;
  const begins = log.findLast((event) => event.type === 'user_message_added' && !event.steers);
  return begins?.type === 'user_message_added' ? begins : undefined;
};
const ENDS: ReadonlySet<Event['type']> = new Set(['run_completed', 'run_stopped', 'run_cancelled']);

/** `log`: what happened before, perhaps in another process; a run that is open there goes on. */
export const createSpanRecorder = (facts: SpanFacts, ports: SpanPorts, log: readonly Event[] = []): SpanRecorder => {
  let run: Open | undefined;
  let request: Open | undefined;
  let used = { input: 0, output: 0 };
  const tools = new Map<string, Open>();
  const names = new Map<string, string>();
  const given = new Map<string, string>();

  const begin = (name: string, kind: Span['kind'], attributes: Open['attributes']): Open => ({
    trace_id: run?.trace_id ?? ports.randomHex(TRACE_BYTES),
    span_id: ports.randomHex(SPAN_BYTES),
    ...(run === undefined ? {} : { parent_span_id: run.span_id }),
    name,
    kind,
    start_ms: ports.now(),
    attributes,
  });
  const end = (span: Open, more: Open['attributes'] = {}, error?: string): void =>
    ports.ended({
      ...span,
      end_ms: ports.now(),
      attributes: { ...span.attributes, ...more, ...(error === undefined ? {} : { 'error.type': error }) },
      ...(error === undefined ? {} : { error }),
    });
  const said = (key: string, text: string | null | undefined): Open['attributes'] =>
    facts.content && text ? { [key]: text.slice(0, AGENT_LIMITS.traceContentCharacters) } : {};

  const beginRun = (update: Message): void => {
    used = { input: 0, output: 0 };
    const message = typeof update.content === 'string' ? update.content : JSON.stringify(update.content);
    run = {
      ...idsOfRun(update, facts, ports),
      name: 'invoke_agent halter',
      kind: 'internal',
      start_ms: update.at,
      attributes: {
        ...common(facts, 'invoke_agent'),
        'gen_ai.agent.name': 'halter',
        ...said('gen_ai.input.messages', message),
      },
    };
  };
  const endRun = (error?: string): void => {
    endRequest({}, error);
    for (const [id, span] of tools) {
      tools.delete(id);
      end(span, {}, error ?? 'cancelled');
    }
    if (run === undefined) return;
    const totals = { 'gen_ai.usage.input_tokens': used.input, 'gen_ai.usage.output_tokens': used.output };
    end(run, totals, error);
    run = undefined;
  };
  const endRequest = (more: Open['attributes'], error?: string): void => {
    if (request !== undefined) end(request, more, error);
    request = undefined;
  };
  const endTool = (update: EventOf<'tool_finished'> | EventOf<'arguments_rejected'>): void => {
    const id = update.tool_call_id;
    const { result } = update;
    const span = tools.get(id) ?? beginTool(id);
    tools.delete(id);
    given.delete(id);
    end(span, said('gen_ai.tool.call.result', result.data), result.success ? undefined : result.error_type);
  };
  const beginTool = (id: string): Open => {
    const name = names.get(id) ?? 'unknown';
    return begin(`execute_tool ${name}`, 'internal', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': facts.sessionId,
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
      ...said('gen_ai.tool.call.arguments', given.get(id)),
    });
  };

  const noteCalls = ({ message }: EventOf<'assistant_message_added'>): void => {
    for (const { id, name, arguments: args } of message.tool_calls) {
      names.set(id, name);
      if (facts.content) given.set(id, JSON.stringify(args));
    }
  };
  const open = openMessage(log);
  if (open) beginRun(open);
  for (const event of log)
    if (open && event.seq > open.seq && event.type === 'assistant_message_added') noteCalls(event);

  return {
    record(update) {
      switch (update.type) {
        case 'user_message_added':
          return update.steers ? undefined : beginRun(update);
        case 'model_started':
          endRequest({}, 'superseded');
          request = begin(`chat ${update.model}`, 'client', {
            ...common({ ...facts, model: update.model }, 'chat'),
            ...serverOf(facts.endpoint),
          });
          return;
        case 'assistant_message_added': {
          const { message } = update;
          noteCalls(update);
          used = {
            input: used.input + (message.usage?.prompt_tokens ?? 0),
            output: used.output + (message.usage?.completion_tokens ?? 0),
          };
          endRequest({
            'gen_ai.response.finish_reasons': [message.finish],
            ...usageOf(message.usage),
            ...said('gen_ai.output.messages', message.content),
          });
          return;
        }
        case 'model_failed':
          return endRequest({}, update.code);
        case 'tool_started':
          tools.set(update.tool_call_id, beginTool(update.tool_call_id));
          return;
        case 'tool_finished':
        case 'arguments_rejected':
          return endTool(update);
        case 'run_completed':
          return endRun();
        case 'run_stopped':
          return endRun(update.name);
        case 'run_cancelled':
          return endRun('cancelled');
        default:
      }
    },
  };
};

const common = (facts: SpanFacts, operation: string): Open['attributes'] => ({
  'gen_ai.operation.name': operation,
  'gen_ai.provider.name': facts.provider,
  'gen_ai.request.model': facts.model,
  'gen_ai.conversation.id': facts.sessionId,
});

const usageOf = (usage: Usage | undefined): Open['attributes'] =>
  usage === undefined
    ? {}
    : {
        'gen_ai.usage.input_tokens': usage.prompt_tokens,
        'gen_ai.usage.output_tokens': usage.completion_tokens,
        ...(usage.cached_tokens === undefined ? {} : { 'gen_ai.usage.cache_read.input_tokens': usage.cached_tokens }),
      };

/** An engine in this process has no address. */
const serverOf = (endpoint: string): Open['attributes'] => {
  if (!URL.canParse(endpoint)) return {};
  const { hostname, port, protocol } = new URL(endpoint);
  if (hostname === '') return {};
  return {
    'server.address': hostname,
    'server.port': port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
  };
};
