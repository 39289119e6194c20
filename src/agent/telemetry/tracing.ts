/** Traces for whoever asked for them, into a file or to a collector. Loaded only then. */
import { createHash, randomBytes } from 'node:crypto';
import type { SessionFace } from '../../core/events.ts';
import type { Clock, Network } from '../../core/ports.ts';
import { parseTraceparent, traceparentOf } from '../../core/traceparent.ts';
import { appendTrace } from '../../storage/trace-file.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type OtlpTarget, parseHeaders, sendSpans } from './otlp.ts';
import { createSpanRecorder, type Span, type SpanFacts } from './span-recorder.ts';

export type TraceChoice = {
  to: 'file' | 'otlp';
  /** A collector's base address; absent: OTEL_EXPORTER_OTLP_ENDPOINT, then this machine's usual port. */
  endpoint?: string;
  content?: boolean;
};
export type HandedOver = { traceparent: string; end(error?: string): void };
export type Tracing = {
  /** Everything that happens in the session from now on. */
  follow(session: SessionFace, facts: Omit<SpanFacts, 'sessionId' | 'content'>): void;
  /**
   * A message is handed to other processes. Returns the span that its run is below, and what to call when it was handed
   * over; `given`: the span of whoever sent it.
   */
  handOver(session: string, given: string | undefined): HandedOver;
  /** Resolves when what was recorded is written or sent, or cannot be. */
  close(): Promise<void>;
};
export type TracingPorts = {
  clock: Clock;
  network: Network;
  environment: Readonly<Record<string, string | undefined>>;
  /** The data folder: traces of a session are in `traces/ID.jsonl`. */
  folder: string;
  version: string;
  onProblem(message: string): void;
};

const USUAL_ENDPOINT = 'http://localhost:4318';

export const openTracing = (choice: TraceChoice, ports: TracingPorts): Tracing => {
  const waiting: { session: string; span: Span }[] = [];
  let sending = Promise.resolve();
  let complained = false;
  const target: OtlpTarget = {
    endpoint: choice.endpoint ?? ports.environment['OTEL_EXPORTER_OTLP_ENDPOINT'] ?? USUAL_ENDPOINT,
    headers: parseHeaders(ports.environment['OTEL_EXPORTER_OTLP_HEADERS']),
    version: ports.version,
  };

  const deliver = async (batch: typeof waiting): Promise<void> => {
    const sent =
      choice.to === 'otlp'
        ? await sendSpans(
            ports.network,
            target,
            batch.map(({ span }) => span),
          )
        : await appendTrace(ports.folder, batch);
    if (sent.ok || complained) return;
    // Said once: a collector that is away must not fill the screen, and never stops the conversation.
    complained = true;
    ports.onProblem(sent.error.message);
  };
  const flush = (): void => {
    const batch = waiting.splice(0);
    if (batch.length > 0) sending = sending.then(() => deliver(batch));
  };

  const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex');
  const ended = (session: string, span: Span): void => {
    waiting.push({ session, span });
    // The run's own span is its last, and one that was handed over is the only one here.
    const isLast = span.kind === 'producer' || span.attributes['gen_ai.operation.name'] === 'invoke_agent';
    if (isLast || waiting.length >= AGENT_LIMITS.traceBatchSpans) flush();
  };

  return {
    handOver(session, given) {
      const parent = parseTraceparent(given);
      const ids = { trace_id: parent?.trace_id ?? randomHex(16), span_id: randomHex(8) };
      const span: Omit<Span, 'end_ms'> = {
        ...ids,
        ...(parent === undefined ? {} : { parent_span_id: parent.span_id }),
        name: 'send conversations',
        kind: 'producer',
        start_ms: ports.clock.now(),
        attributes: {
          'messaging.operation.type': 'send',
          'messaging.destination.name': 'conversations',
          'gen_ai.conversation.id': session,
        },
      };
      return {
        traceparent: traceparentOf(ids),
        end: (error) =>
          ended(session, { ...span, end_ms: ports.clock.now(), ...(error === undefined ? {} : { error }) }),
      };
    },
    follow(session, facts) {
      const recorder = createSpanRecorder(
        { ...facts, sessionId: session.id, content: choice.content ?? false },
        {
          now: () => ports.clock.now(),
          randomHex,
          hash: (text) => createHash('sha256').update(text).digest('hex'),
          ended: (span) => ended(session.id, span),
        },
        session.log(),
      );
      session.subscribe((update) => recorder.record(update));
    },
    async close() {
      flush();
      await sending;
    },
  };
};
