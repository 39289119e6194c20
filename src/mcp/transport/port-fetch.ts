/** `fetch` over the one port to the network, for the protocol's own HTTP: the ledger and `--offline` hold for it. */
import type { FetchLike } from '@modelcontextprotocol/client';
import type { HttpRequest, HttpResponse, Network } from '../../core/ports.ts';
import { markedBody, unmarked, unmarkedHeader } from '../kept-digits.ts';
import { MCP_LIMITS } from '../limits.ts';
import type { HttpServer } from '../login-record.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'PUT', 'HEAD']);
/** Answers that may hold no body. */
const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/**
 * Says when one message has grown past what any may have: a body, or what stands between two blank lines of a stream of
 * events. Who reads the body here keeps a message until it is whole.
 */
const createMessageMeter = (isStream: boolean): ((bytes: Uint8Array) => boolean) => {
  let length = 0;
  return (bytes) => {
    const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const ended = isStream ? Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n')) : -1;
    length = ended === -1 ? length + chunk.length : chunk.length - ended;
    return length <= MCP_LIMITS.mcpMessageCharacters;
  };
};

/** Reads on when what came is taken. */
const bodyOf = (response: HttpResponse, abort: () => void): ReadableStream<Uint8Array> => {
  let isOver = false;
  let resume: (() => void) | undefined;
  const fits = createMessageMeter(kindOf(response) === 'stream');
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const take = (bytes: Uint8Array): void | Promise<void> => {
        if (isOver) return;
        if (!fits(bytes)) {
          isOver = true;
          controller.error(new Error(`a message is longer than ${MCP_LIMITS.mcpMessageCharacters} bytes`));
          abort();
          return;
        }
        controller.enqueue(bytes);
        if ((controller.desiredSize ?? 1) > 0) return;
        return new Promise((resolve) => {
          resume = resolve;
        });
      };
      const encoder = new TextEncoder();
      const read = response.readBytes
        ? response.readBytes(take)
        : response.read((text) => void take(encoder.encode(text)));
      void read.then((end) => {
        if (isOver) return;
        isOver = true;
        if (end.ok) controller.close();
        else controller.error(new Error(end.error.message));
      });
    },
    pull() {
      resume?.();
    },
    cancel() {
      isOver = true;
      resume?.();
      abort();
    },
  });
};

const kindOf = ({ headers }: HttpResponse): 'stream' | 'json' | 'other' => {
  const type = headers['content-type'] ?? '';
  if (/event-stream/i.test(type)) return 'stream';
  return /[/+]json\b/i.test(type) ? 'json' : 'other';
};

const withDigits = (body: ReadableStream<Uint8Array>, kind: ReturnType<typeof kindOf>): ReadableStream<Uint8Array> =>
  kind === 'other'
    ? body
    : body
        .pipeThrough(decoder())
        .pipeThrough(markedBody(kind === 'stream'))
        .pipeThrough(new TextEncoderStream());

/** The page's types name more kinds of bytes than come here. */
const decoder = () => new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;

export type ServerPorts = {
  network: Network;
  /** Reaches the open internet and what the person allowed: for addresses that a server names, such as where to log in. */
  guarded: Network;
};

/**
 * The server's address is the person's own setting, so it may lie in a private network, and its headers are for it alone.
 * What the server names may not, even under its own name: a name may lead elsewhere at the next look-up.
 */
export const portFetch = ({ network, guarded }: ServerPorts, server: ServerAddress): FetchLike => {
  const own = new URL(server.url);
  return async (address, init = {}) => {
    const method = init.method ?? 'GET';
    if (!METHODS.has(method)) throw new TypeError(`the method ${method} is not used by MCP`);
    const target = new URL(address);
    const isServers = isWithin(own, target);
    const mayBePrivate = isServers || isOfThatMachine(own, target);
    const isForm = init.body instanceof URLSearchParams;
    const body = isForm ? String(init.body) : init.body;
    if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('only text is sent');
    const headers = new Headers(init.headers);
    if (isForm && !headers.has('content-type')) headers.set('content-type', 'application/x-www-form-urlencoded');
    if (isServers) addOwn(headers, server.headers);
    const controller = new AbortController();
    const given = init.signal;
    const abort = (): void => controller.abort();
    if (given?.aborted) abort();
    given?.addEventListener('abort', abort, { once: true });
    const request: HttpRequest = {
      method: method as HttpRequest['method'],
      url: String(address),
      headers: Object.fromEntries([...headers].map(([name, value]) => [name, unmarkedHeader(value)])),
      ...(typeof body === 'string' ? { body: unmarked(body) } : {}),
      signal: controller.signal,
      connectTimeoutMs: MCP_LIMITS.mcpConnectTimeoutMs,
      maxResponseBytes: MCP_LIMITS.mcpResponseBytes,
      ...(mayBePrivate ? { personsWord: true } : {}),
    };
    const sent = await (mayBePrivate ? network : guarded).request(request);
    if (!sent.ok) {
      given?.removeEventListener('abort', abort);
      if (sent.error.kind === 'cancelled') throw new DOMException(sent.error.message, 'AbortError');
      throw new TypeError(sent.error.message);
    }
    const { status } = sent.value;
    const hasBody = !EMPTY.has(status) && method !== 'HEAD';
    if (!hasBody) void sent.value.text();
    const answered = hasBody ? withDigits(bodyOf(sent.value, abort), kindOf(sent.value)) : null;
    return new Response(answered, { status, headers: sent.value.headers });
  };
};

type ServerAddress = Pick<HttpServer, 'url' | 'headers'>;

/** The same origin, or its form with https where neither names a port: where the protocol's package follows a redirect. */
const isWithin = (own: URL, target: URL): boolean =>
  own.origin === target.origin ||
  (own.protocol === 'http:' &&
    target.protocol === 'https:' &&
    own.hostname === target.hostname &&
    own.port === '' &&
    target.port === '');

/** Another port of a machine that is named so that no look-up can move it: where a login beside a server usually is. */
const isOfThatMachine = (own: URL, target: URL): boolean =>
  own.hostname === target.hostname && /^(?:localhost|[\d.]+|\[.*\])$/.test(own.hostname);

/** What the protocol says of a message goes before them; what else a message may be answered in stands beside it. */
const addOwn = (headers: Headers, own: ServerAddress['headers']): void => {
  const protocols = new Set(headers.keys());
  const accepted = headers.get('accept') ?? '';
  for (const [name, value] of new Headers(own)) {
    if (OF_SESSION.has(name)) continue;
    if (!protocols.has(name)) headers.set(name, value);
    else if (name === 'accept' && accepted.includes(EVENTS)) headers.set(name, joined(value, accepted));
  }
};
const EVENTS = 'text/event-stream';
/** They name what the server itself gave out. */
const OF_SESSION: ReadonlySet<string> = new Set(['mcp-session-id', 'last-event-id']);

const joined = (...types: string[]): string =>
  [...new Set(types.flatMap((each) => each.split(',')).map((type) => type.trim().toLowerCase()))]
    .filter((type) => type !== '')
    .join(', ');
