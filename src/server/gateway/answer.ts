/** One request of a client, on whichever wire: read, completed, and answered whole or as a stream. */
import { createDeferred } from '../../core/deferred.ts';
import type { JsonObject } from '../../core/json.ts';
import { untilEither } from '../../core/until-either.ts';
import type { CompletionPart } from '../../gateway/asking.ts';
import { clientName } from '../../gateway/client-name.ts';
import { type Completion, type CompletionOutcome, complete } from '../../gateway/complete.ts';
import { fromModelError, GatewayError, invalidRequest, stoppedError } from '../../gateway/error.ts';
import { GUARDS, readGuards } from '../../gateway/guards.ts';
import { repeatsStatus } from '../../gateway/repeating-clients.ts';
import { guardWords, type Note, repairsHeader } from '../../gateway/report.ts';
import type { GatewayRequest } from '../../gateway/request.ts';
import { promptTokens, sumUsage } from '../../gateway/usage.ts';
import type { Frame, ReplyHead, StreamWriter, Wire } from '../../gateway/wire.ts';
import { PROVIDER_LIMITS } from '../../providers/limits.ts';
import { SERVER_LIMITS } from '../limits.ts';
import { respond } from '../respond.ts';
import { json } from '../route.ts';
import type { ServerContext } from '../server-context.ts';
import { SSE_HEADERS, sseResponse } from '../sse.ts';
import type { KeptModels } from './kept-models.ts';
import { mergeDeltas } from './merge-deltas.ts';
import { ownTurn, sideOf, waitingTurn } from './side-request.ts';
import { createGatewayState, type GatewayState } from './state.ts';

const states = new WeakMap<object, GatewayState>();
/** What the gateway of one server remembers. */
export const gatewayOf = (server: ServerContext): GatewayState => {
  const known = states.get(server) ?? createGatewayState(server.halter.models, server.now);
  states.set(server, known);
  return known;
};

/** A server that ends answers who waits for a model, and cuts nobody off. */
export const openModel = (server: ServerContext, name: string, signal: AbortSignal): ReturnType<KeptModels['open']> =>
  gatewayOf(server).models.open(name, AbortSignal.any([signal, server.signal]));

type Asked = { wire: Wire; body: JsonObject; server: ServerContext; request: Request; signal: AbortSignal };

export const answerWire = async (asked: Asked): Promise<Response> => {
  const { wire, body, server } = asked;
  const request = wire.read(body, gatewayOf(server).responses.earlier);
  const head: ReplyHead = {
    id: crypto.randomUUID().replaceAll('-', ''),
    createdMs: server.now(),
    model: request.model,
  };
  try {
    return await answerRequest(asked, head, request);
  } catch (error) {
    if (!(error instanceof GatewayError) || !request.stream) throw error;
    if (!repeatsStatus(asked.request.headers.get('user-agent'), error)) throw error;
    return failedStream(wire, wire.stream(head, body, request), error);
  }
};

/** A stream that tells of a failure and nothing else. */
const failedStream = (wire: Wire, writer: StreamWriter, error: GatewayError): Response => {
  const frames = [...writer.begin(), ...writer.fail(error)].map(ENCODERS[wire.framing]);
  return respond(Buffer.concat(frames), { ...SSE_HEADERS, ...typeOf(wire), ...error.headers });
};

const answerRequest = async (asked: Asked, head: ReplyHead, request: GatewayRequest): Promise<Response> => {
  const { wire, body, server } = asked;
  const gateway = gatewayOf(server);
  const { on, unknown } = readGuards(asked.request.headers.get('x-halter-guards-off'));
  if (unknown.length > 0) {
    throw invalidRequest(
      `x-halter-guards-off names ${unknown.join(', ')}. The guards are: ${GUARDS.join(', ')}, or all.`,
    );
  }
  const open = (name: string) => openModel(server, name, asked.signal);
  const side = on.has('side_request') ? await sideOf(server.halter, request, open) : {};
  const chosen = side.model ?? (await open(request.model));
  if (!chosen.ok) throw fromModelError(chosen.error);
  const alone = wire.alone?.(head, body);
  if (alone !== undefined) return json(alone);
  const { provider, model } = chosen.value;
  const way = server.halter.toolWay(chosen.value);
  const place = `${provider.endpoint} ${model}`;
  const sight = gateway.sights.of(place);
  const toolWay = () =>
    way.led ? 'led' : way.toolMode === 'injected' || (way.unsure && sight.isLeftOut()) ? 'text' : undefined;
  const passes = new Set(provider.passes);
  const passthrough = Object.fromEntries(Object.entries(request.passthrough).filter(([name]) => passes.has(name)));
  const dropped = [...request.dropped, ...Object.keys(request.passthrough).filter((name) => !passes.has(name))];
  const steady = gateway.prefix.apply(request.messages, request.tools);
  const notes: Note[] = [...(steady.moved ? (['instructions_moved'] as const) : []), ...(side.notes ?? [])];
  const usage = sumUsage();
  const inTurn = side.waits ? waitingTurn : ownTurn;
  const run: Run = async (emit, signal, onRetrying) => {
    const ask = (hear: typeof emit, until: AbortSignal): Promise<CompletionOutcome> =>
      complete(
        {
          ...request,
          messages: steady.messages,
          chosen: chosen.value,
          way,
          sight,
          passthrough,
          guards: on,
          onGuard: (note) => notes.push(note),
          usage,
          whole: !request.stream,
          onRetrying,
          signal: until,
        },
        hear,
      );
    const turn = { turns: gateway.sides, key: place, signal, emit };
    const answered = side.answer
      ? { ok: true as const, value: side.answer }
      : await inTurn(turn, ask, () => notes.includes('side_request_waited') || notes.push('side_request_waited'));
    const outcome = answered.ok ? answered : { ok: false as const, error: explained(answered.error) };
    // Another request may be answered by what this one taught of the model.
    await chosen.value.speeds?.keep();
    const { messages } = request;
    const client = clientName({ header: (name) => asked.request.headers.get(name), messages });
    const record = gateway.record({ wire, head, body, request, outcome, usage, notes, client });
    server.onGateway?.(record);
    return outcome;
  };
  const explained = (error: GatewayError): GatewayError => {
    // Everything that is under way ends then, whatever it says of itself.
    if (server.signal.aborted) return stoppedError();
    return withFigures(error, chosen.value.info.context_length, () => promptTokens(request.messages, request.tools));
  };
  const headers = () => ({
    ...(request.tools.length > 0 ? toolHeader(toolWay()) : {}),
    ...(dropped.length > 0 ? { 'x-halter-dropped': dropped.join(', ') } : {}),
    ...(notes.length > 0 ? { 'x-halter-guards': notes.join(', ') } : {}),
    ...(guardWords(notes).length > 0 ? { 'x-halter-guard': guardWords(notes).join(', ') } : {}),
  });
  return request.stream ? streamed(asked, head, request, run, headers) : whole(asked, head, run, headers);
};

const toolHeader = (way: string | undefined): Record<string, string> =>
  way === undefined ? {} : { 'x-halter-tools': way };

type Run = (
  emit: (part: CompletionPart) => void,
  signal: AbortSignal,
  onRetrying?: () => void,
) => Promise<CompletionOutcome>;
type Headers = () => Record<string, string>;

const whole = async (
  { wire, body, server, signal }: Asked,
  head: ReplyHead,
  run: Run,
  headers: Headers,
): Promise<Response> => {
  const done = await untilEither([signal, server.signal], (either) => run(() => {}, either));
  if (!done.ok) throw done.error.with({ headers: headers() });
  return json(wire.whole(head, done.value, body), 200, { ...headers(), ...measured(done.value) });
};

/** What is known when an answer is whole. */
const measured = ({ usage, calls, requests }: Completion): Record<string, string> => {
  const reused = usage.cached_tokens === undefined ? undefined : usage.cached_tokens / Math.max(1, usage.prompt_tokens);
  const repairs = repairsHeader(calls);
  return {
    'x-halter-requests': String(requests),
    ...(reused === undefined ? {} : { 'x-halter-prompt-reused': Math.min(1, reused).toFixed(2) }),
    ...(repairs === undefined ? {} : { 'x-halter-repairs': repairs }),
  };
};

/** Clients make room by the figures, so what the server did not say of a prompt that is too long is said as far as we know. */
const withFigures = (error: GatewayError, windowTokens: number | undefined, estimate: () => number): GatewayError => {
  const { overflow } = error;
  const window = overflow?.windowTokens ?? windowTokens;
  // A proxy counts bytes.
  if (overflow === undefined || window === undefined || error.status === 413) return error;
  const promptTokens = overflow.promptTokens ?? Math.max(estimate(), window + 1);
  return error.with({ overflow: { windowTokens: window, promptTokens } });
};

/** What came before the response was begun. */
type Early = { parts: CompletionPart[]; hear(part: CompletionPart): void };

/**
 * A failure before the first word is a status, so the response begins with the first word; a server that reads a long
 * prompt is waited for only so long, since clients want to hear something.
 */
const streamed = async (
  { wire, body, server, signal }: Asked,
  head: ReplyHead,
  request: GatewayRequest,
  run: Run,
  headers: Headers,
): Promise<Response> => {
  const gone = new AbortController();
  const leave = (): void => gone.abort();
  signal.addEventListener('abort', leave, { once: true });
  server.signal.addEventListener('abort', leave, { once: true });
  const first = createDeferred<void>();
  const early: Early = { parts: [], hear: (part) => early.parts.push(part) };
  let patience = setTimeout(first.resolve, SERVER_LIMITS.firstByteMs);
  // How that ends is not known until the server was asked again, and it may have to be a status.
  const waitLonger = (): void => {
    clearTimeout(patience);
    patience = setTimeout(first.resolve, SERVER_LIMITS.firstByteMs + PROVIDER_LIMITS.modelRetryDelayMsMax);
  };
  const hear = (part: CompletionPart): void => {
    early.hear(part);
    first.resolve();
  };
  const working = run(hear, gone.signal, waitLonger).finally(() => {
    signal.removeEventListener('abort', leave);
    server.signal.removeEventListener('abort', leave);
  });
  working.catch(() => {});
  const done = await Promise.race([working, first.promise]).finally(() => clearTimeout(patience));
  if (done && !done.ok) throw done.error.with({ headers: headers() });
  const encode = ENCODERS[wire.framing];
  const writer = wire.stream(head, body, request);
  return sseResponse(
    (reader) => {
      let isOver = false;
      const send = (frames: readonly Frame[]): void => {
        for (const frame of frames) reader.send(encode(frame));
      };
      const deltas = mergeDeltas((part) => send(writer.part(part)));
      send(writer.begin());
      for (const part of early.parts) deltas.add(part);
      early.hear = deltas.add;
      working
        .then(
          (outcome) => {
            deltas.flush();
            send(outcome.ok ? writer.end(outcome.value) : writer.fail(outcome.error));
          },
          (error: unknown) => {
            server.onDefect(error);
            deltas.flush();
            send(writer.fail(new GatewayError(500, 'internal_error', 'This is a defect of halter.')));
          },
        )
        .finally(() => {
          isOver = true;
          reader.end();
        });
      return () => {
        deltas.drop();
        if (!isOver) gone.abort();
      };
    },
    // When the server is stopped the work is broken off, and the stream ends in words that say so.
    undefined,
    {
      headers: { ...headers(), ...typeOf(wire) },
      isSilent: wire.framing === 'ndjson',
      lastWord() {
        const tooSlow = new GatewayError(408, 'too_slow', 'The stream was not read, so it was ended before its end.');
        return Buffer.concat(wire.stream(head, body, request).fail(tooSlow).map(encode));
      },
    },
  );
};

const typeOf = ({ framing }: Wire): Record<string, string> =>
  framing === 'ndjson' ? { 'content-type': 'application/x-ndjson' } : {};

const encoder = new TextEncoder();
const ENCODERS: Readonly<Record<Wire['framing'], (frame: Frame) => Uint8Array>> = {
  ndjson: ({ data }) => encoder.encode(`${JSON.stringify(data)}\n`),
  sse: ({ event, data }) =>
    encoder.encode(
      `${event === undefined ? '' : `event: ${event}\n`}data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`,
    ),
};
