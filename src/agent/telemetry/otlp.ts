/** Spans as OTLP's JSON, sent over HTTP through halter's own port, so that `--offline` and the ledger hold for them too. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Network } from '../../core/ports.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { AttributeValue, Span } from './span-recorder.ts';

export type OtlpTarget = { endpoint: string; headers: Record<string, string>; version: string };

export const sendSpans = async (
  network: Network,
  { endpoint, headers, version }: OtlpTarget,
  spans: readonly Span[],
): Promise<Outcome<void>> => {
  const url = `${endpoint.replace(/\/+$/, '')}/v1/traces`;
  const answer = await network.request({
    method: 'POST',
    url,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(otlpRequest(spans, version)),
    signal: AbortSignal.timeout(AGENT_LIMITS.traceExportMs),
    connectTimeoutMs: AGENT_LIMITS.traceExportMs,
    firstByteTimeoutMs: AGENT_LIMITS.traceExportMs,
    silenceTimeoutMs: AGENT_LIMITS.traceExportMs,
    maxResponseBytes: AGENT_LIMITS.traceResponseBytes,
  });
  if (!answer.ok) return failure('io_error', `Traces cannot be sent to ${url}: ${answer.error.message}`);
  await answer.value.text();
  const { status } = answer.value;
  return status >= 200 && status < 300
    ? succeed(undefined)
    : failure('io_error', `Traces were refused by ${url} with status ${status}`);
};

/** An ExportTraceServiceRequest in OTLP's JSON mapping: ids in hexadecimal, 64-bit numbers as text. */
export const otlpRequest = (spans: readonly Span[], version: string): JsonObject => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute('service.name', 'halter'), attribute('service.version', version)] },
      scopeSpans: [{ scope: { name: 'halter', version }, spans: spans.map(toOtlp) }],
    },
  ],
});

const KIND = { internal: 1, client: 3, producer: 4 } as const;
const STATUS_UNSET = 0;
const STATUS_ERROR = 2;

const toOtlp = (span: Span): JsonObject => ({
  traceId: span.trace_id,
  spanId: span.span_id,
  ...(span.parent_span_id === undefined ? {} : { parentSpanId: span.parent_span_id }),
  name: span.name,
  kind: KIND[span.kind],
  startTimeUnixNano: nanoseconds(span.start_ms),
  endTimeUnixNano: nanoseconds(span.end_ms),
  attributes: Object.entries(span.attributes).map(([key, value]) => attribute(key, value)),
  status: span.error === undefined ? { code: STATUS_UNSET } : { code: STATUS_ERROR, message: span.error },
});

const nanoseconds = (ms: number): string => (BigInt(Math.round(ms * 1000)) * 1000n).toString();

const attribute = (key: string, value: AttributeValue): JsonObject => ({ key, value: anyValue(value) });

const anyValue = (value: AttributeValue): JsonValue => {
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
};

/** `OTEL_EXPORTER_OTLP_HEADERS`: `key=value,other=value`, the values percent-encoded. */
export const parseHeaders = (text: string | undefined): Record<string, string> =>
  Object.fromEntries(
    (text ?? '').split(',').flatMap((pair) => {
      const at = pair.indexOf('=');
      const name = pair.slice(0, Math.max(0, at)).trim().toLowerCase();
      return name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const];
    }),
  );
const decoded = (value: string): string => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};
