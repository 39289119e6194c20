/** Traces: the real program, a collector on a socket, and OpenTelemetry's own serialiser as a second opinion on the wire form. */

import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { SpanKind, SpanStatusCode, TraceFlags } from '@opentelemetry/api';
import { JsonTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { otlpRequest, parseHeaders } from '../../src/agent/telemetry/otlp.ts';
import type { Span } from '../../src/agent/telemetry/span-recorder.ts';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { type RunOptions, runHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

type Received = { path: string | undefined; headers: http.IncomingHttpHeaders; body: Record<string, unknown> };

const collector = async (status = 200): Promise<{ url: string; received: Received[] }> => {
  const received: Received[] = [];
  const server = http.createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      received.push({ path: request.url, headers: request.headers, body: JSON.parse(text) as Record<string, unknown> });
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
};

const ask = async (more: readonly string[], options: RunOptions = {}) => {
  const model = await startScriptedServer({
    turns: [{ calls: [{ id: 'c1', name: 'read_file', arguments: { path: 'a.txt' } }] }, { text: 'A secret answer.' }],
  });
  onTestFinished(() => model.close());
  const cwd = scratchFolder();
  putFiles(cwd, { 'a.txt': 'one\n' });
  const flags = ['--provider', 'openai', '--base-url', model.openaiUrl, '--allow', 'read_file'];
  return runHalter(['run', 'What is in a.txt?', ...flags, ...more], { cwd, ...options });
};

type OtlpSpan = {
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  kind: number;
  attributes: { key: string; value: Record<string, unknown> }[];
};
const spansOf = ({ body }: Received): OtlpSpan[] => {
  const [resource] = body['resourceSpans'] as { scopeSpans: { spans: OtlpSpan[] }[] }[];
  return resource?.scopeSpans.flatMap(({ spans }) => spans) ?? [];
};
const attributeOf = (span: OtlpSpan | undefined, key: string): unknown =>
  Object.values(span?.attributes.find((attribute) => attribute.key === key)?.value ?? {})[0];

describe('traces', () => {
  it('of a run reach a collector: the run, its requests and its tool calls, without what was said', async () => {
    verifies('B10');
    const { url, received } = await collector();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_HEADERS: 'x-key=a%20b' };
    const ran = await ask(['--trace', 'otlp'], { env });
    expect(ran.code).toBe(0);
    expect(received).toHaveLength(1);
    const [message] = received as [Received];
    expect(message.path).toBe('/v1/traces');
    expect(message.headers).toMatchObject({ 'content-type': 'application/json', 'x-key': 'a b' });
    const spans = spansOf(message);
    const [first, tool, second, run] = spans;
    expect(spans.map(({ name }) => name.replace(/ \S+$/, ''))).toEqual([
      'chat',
      'execute_tool',
      'chat',
      'invoke_agent',
    ]);
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
    expect(spans.slice(0, 3).every(({ parentSpanId }) => parentSpanId === run?.spanId)).toBe(true);
    expect(run?.parentSpanId).toBeUndefined();
    expect(attributeOf(first, 'gen_ai.provider.name')).toBe('openai');
    expect(attributeOf(first, 'server.address')).toBe('127.0.0.1');
    expect(attributeOf(tool, 'gen_ai.tool.name')).toBe('read_file');
    expect(attributeOf(tool, 'gen_ai.tool.call.id')).toBe('c1');
    expect(Number(attributeOf(run, 'gen_ai.usage.input_tokens'))).toBe(
      Number(attributeOf(first, 'gen_ai.usage.input_tokens')) +
        Number(attributeOf(second, 'gen_ai.usage.input_tokens')),
    );
    expect(JSON.stringify(message.body)).not.toMatch(/secret answer|a\.txt/);
  });

  it('go into a file, with what was said where that is asked for', async () => {
    const home = scratchFolder();
    fs.mkdirSync(path.join(home, '.config/halter'), { recursive: true });
    fs.writeFileSync(path.join(home, '.config/halter/config.json'), '{"trace": "file", "trace_content": true}');
    expect((await ask([], { home })).code).toBe(0);
    const folder = path.join(home, '.local/share/halter/traces');
    const [file] = fs.readdirSync(folder);
    const lines = fs
      .readFileSync(path.join(folder, file as string), 'utf8')
      .trimEnd()
      .split('\n');
    const spans = lines.map((line) => JSON.parse(line) as Span);
    expect(spans.map(({ name }) => name).at(-1)).toBe('invoke_agent halter');
    expect(spans.every(({ start_ms, end_ms }) => end_ms >= start_ms)).toBe(true);
    expect(spans[1]?.attributes).toMatchObject({ 'gen_ai.tool.call.arguments': '{"path":"a.txt"}' });
    expect(spans[2]?.attributes).toMatchObject({ 'gen_ai.output.messages': 'A secret answer.' });
  });

  it('are not made where nobody asked, whatever the environment says', async () => {
    const { url, received } = await collector();
    const home = scratchFolder();
    expect((await ask([], { home, env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } })).code).toBe(0);
    expect(received).toEqual([]);
    expect(fs.existsSync(path.join(home, '.local/share/halter/traces'))).toBe(false);
  });

  it('that a collector refuses are said once, and the answer comes all the same', async () => {
    const { url } = await collector(503);
    const ran = await ask(['--trace', 'otlp'], { env: { OTEL_EXPORTER_OTLP_ENDPOINT: url } });
    expect(ran.code).toBe(0);
    expect(ran.out).toContain('A secret answer.');
    expect(ran.err.match(/status 503/g)).toHaveLength(1);
  });

  it("have the wire form that OpenTelemetry's own serialiser writes", () => {
    const span: Span = {
      trace_id: '0af7651916cd43dd8448eb211c80319c',
      span_id: 'b7ad6b7169203331',
      parent_span_id: '00f067aa0ba902b7',
      name: 'chat qwen3',
      kind: 'client',
      start_ms: 1_700_000_000_123,
      end_ms: 1_700_000_001_000,
      attributes: { text: 'x', whole: 7, part: 0.5, yes: true, list: ['a', 'b'] },
      error: 'timeout',
    };
    const theirs: ReadableSpan = {
      name: span.name,
      kind: SpanKind.CLIENT,
      spanContext: () => ({ traceId: span.trace_id, spanId: span.span_id, traceFlags: TraceFlags.SAMPLED }),
      parentSpanContext: { traceId: span.trace_id, spanId: '00f067aa0ba902b7', traceFlags: TraceFlags.SAMPLED },
      startTime: [1_700_000_000, 123_000_000],
      endTime: [1_700_000_001, 0],
      status: { code: SpanStatusCode.ERROR, message: 'timeout' },
      attributes: span.attributes,
      links: [],
      events: [],
      duration: [0, 877_000_000],
      ended: true,
      resource: resourceFromAttributes({ 'service.name': 'halter', 'service.version': '1.0.0' }),
      instrumentationScope: { name: 'halter', version: '1.0.0' },
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    };
    const expected = JSON.parse(new TextDecoder().decode(JsonTraceSerializer.serializeRequest([theirs])));
    const ours = JSON.parse(JSON.stringify(otlpRequest([span], '1.0.0')));
    expect(plain(ours)).toEqual(plain(expected));
  });

  it('read the headers of the environment as it writes them', () => {
    expect(parseHeaders('a=1, B=x%3Dy ,=3,c')).toEqual({ a: '1', b: 'x=y' });
    expect(parseHeaders(undefined)).toEqual({});
  });
});

/** Theirs names what was dropped and linked, nothing here, and writes whole numbers as numbers or as text; both are the protocol. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !/^dropped|^links$|^events$|^flags$/.test(key))
      .map(([key, entry]) => [key, key === 'intValue' ? Number(entry) : plain(entry)]),
  );
};
