/**
 * What happens in a session → spans in the words of OpenTelemetry's GenAI conventions: one for a message's whole run, one
 * for each request to the model, one for each tool call. No words of the conversation are in them unless asked for.
 */
import { answerEnd } from '../../core/answer-end.ts';
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
  const spans = new OpenSpans(facts, ports);
  spans.resume(log);
  return { record: (update) => recordUpdate(spans, update) };
};

const recordUpdate = (spans: OpenSpans, update: SessionUpdate): void => {
  switch (update.type) {
    case 'user_message_added':
      if (!update.steers) spans.beginRun(update);
      return;
    case 'model_started':
      spans.beginRequest(update.model);
      return;
    case 'assistant_message_added':
      spans.endAnswer(update);
      return;
    case 'model_failed':
      spans.endRequest({}, update.code);
      return;
    case 'tool_started':
      spans.beginTool(update.tool_call_id);
      return;
    case 'tool_finished':
    case 'arguments_rejected':
      spans.endTool(update);
      return;
    case 'run_completed':
      spans.endRun();
      return;
    case 'run_stopped':
      spans.endRun(update.name);
      return;
    case 'run_cancelled':
      spans.endRun('cancelled');
      return;
    default:
  }
};

/** The spans that are not over: one of the run, one of a request, one of each tool that runs. */
class OpenSpans {
  readonly #facts: SpanFacts;
  readonly #ports: SpanPorts;
  #run: Open | undefined;
  #request: Open | undefined;
  #used = { input: 0, output: 0 };
  readonly #tools = new Map<string, Open>();
  readonly #names = new Map<string, string>();
  readonly #given = new Map<string, string>();

  constructor(facts: SpanFacts, ports: SpanPorts) {
    this.#facts = facts;
    this.#ports = ports;
  }

  resume(log: readonly Event[]): void {
    const open = openMessage(log);
    if (open === undefined) return;
    this.beginRun(open);
    for (const event of log)
      if (event.seq > open.seq && event.type === 'assistant_message_added') this.#noteCalls(event);
  }

  beginRun(update: Message): void {
    this.#used = { input: 0, output: 0 };
    const message = typeof update.content === 'string' ? update.content : JSON.stringify(update.content);
    this.#run = {
      ...idsOfRun(update, this.#facts, this.#ports),
      name: 'invoke_agent halter',
      kind: 'internal',
      start_ms: update.at,
      attributes: {
        ...common(this.#facts, 'invoke_agent'),
        'gen_ai.agent.name': 'halter',
        ...this.#said('gen_ai.input.messages', message),
      },
    };
  }

  endRun(error?: string): void {
    this.endRequest({}, error);
    for (const [id, span] of this.#tools) {
      this.#tools.delete(id);
      this.#end(span, {}, error ?? 'cancelled');
    }
    if (this.#run === undefined) return;
    const { input, output } = this.#used;
    this.#end(this.#run, { 'gen_ai.usage.input_tokens': input, 'gen_ai.usage.output_tokens': output }, error);
    this.#run = undefined;
  }

  beginRequest(model: string): void {
    this.endRequest({}, 'superseded');
    this.#request = this.#begin(`chat ${model}`, 'client', {
      ...common({ ...this.#facts, model }, 'chat'),
      ...serverOf(this.#facts.endpoint),
    });
  }

  endRequest(more: Open['attributes'], error?: string): void {
    if (this.#request !== undefined) this.#end(this.#request, more, error);
    this.#request = undefined;
  }

  endAnswer(update: EventOf<'assistant_message_added'>): void {
    const { message } = update;
    this.#noteCalls(update);
    this.#used.input += message.usage?.prompt_tokens ?? 0;
    this.#used.output += message.usage?.completion_tokens ?? 0;
    this.endRequest({
      'gen_ai.response.finish_reasons': [answerEnd(message)],
      ...usageOf(message.usage),
      ...this.#said('gen_ai.output.messages', message.content),
    });
  }

  beginTool(id: string): void {
    this.#tools.set(id, this.#toolSpan(id));
  }

  endTool({ tool_call_id: id, result }: EventOf<'tool_finished'> | EventOf<'arguments_rejected'>): void {
    const span = this.#tools.get(id) ?? this.#toolSpan(id);
    this.#tools.delete(id);
    this.#given.delete(id);
    const more = this.#said('gen_ai.tool.call.result', result.data);
    this.#end(span, more, result.success ? undefined : result.error_type);
  }

  #toolSpan(id: string): Open {
    const name = this.#names.get(id) ?? 'unknown';
    return this.#begin(`execute_tool ${name}`, 'internal', {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.conversation.id': this.#facts.sessionId,
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': id,
      'gen_ai.tool.type': 'function',
      ...this.#said('gen_ai.tool.call.arguments', this.#given.get(id)),
    });
  }

  #noteCalls({ message }: EventOf<'assistant_message_added'>): void {
    for (const { id, name, arguments: args } of message.tool_calls) {
      this.#names.set(id, name);
      if (this.#facts.content) this.#given.set(id, JSON.stringify(args));
    }
  }

  #begin(name: string, kind: Span['kind'], attributes: Open['attributes']): Open {
    return {
      trace_id: this.#run?.trace_id ?? this.#ports.randomHex(TRACE_BYTES),
      span_id: this.#ports.randomHex(SPAN_BYTES),
      ...(this.#run === undefined ? {} : { parent_span_id: this.#run.span_id }),
      name,
      kind,
      start_ms: this.#ports.now(),
      attributes,
    };
  }

  #end(span: Open, more: Open['attributes'] = {}, error?: string): void {
    this.#ports.ended({
      ...span,
      end_ms: this.#ports.now(),
      attributes: { ...span.attributes, ...more, ...(error === undefined ? {} : { 'error.type': error }) },
      ...(error === undefined ? {} : { error }),
    });
  }

  /** What was said, where that is asked for. */
  #said(key: string, text: string | null | undefined): Open['attributes'] {
    return this.#facts.content && text ? { [key]: text.slice(0, AGENT_LIMITS.traceContentCharacters) } : {};
  }
}

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
