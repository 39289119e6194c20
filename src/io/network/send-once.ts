/** One request on one connection: how long it may take to get there, what is told of it, and how it ends early. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import { createDeferred } from '../../core/deferred.ts';
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { createBody } from './body.ts';
import { describeError, errorCode, failed } from './failure.ts';
import { type Attempt, portOf, type TransferRecord } from './records.ts';
import { httpModule, httpsModule } from './routes.ts';

export type HttpResult = Outcome<HttpResponse, HttpFailure>;
export type Route = { agent: Agent; proxied: boolean; lookup?: LookupFunction };

export type Sending = {
  request: HttpRequest;
  url: URL;
  route: Route;
  /** A second connection may be tried where the first was stale. */
  mayRepeat: boolean;
};

export type SendingPorts = {
  record(request: HttpRequest, url: URL, proxied: boolean): Attempt;
  onTransfer: ((record: TransferRecord) => void) | undefined;
};

export const sendOnce = (sending: Sending, ports: SendingPorts): Promise<HttpResult> =>
  new SentRequest(sending, ports).result;

class SentRequest {
  readonly result: Promise<HttpResult>;
  readonly #resolve: (result: HttpResult | Promise<HttpResult>) => void;
  readonly #sending: Sending;
  readonly #ports: SendingPorts;
  readonly #target: string;
  readonly #attempt: Attempt;
  #client: ClientRequest | undefined;
  #connectTimer: NodeJS.Timeout | undefined;
  #firstByteTimer: NodeJS.Timeout | undefined;
  #isConnected = false;
  #hasResponded = false;
  #isSettled = false;

  constructor(sending: Sending, ports: SendingPorts) {
    const { promise, resolve } = createDeferred<HttpResult>();
    this.result = promise;
    this.#resolve = resolve;
    this.#sending = sending;
    this.#ports = ports;
    const { request, url, route } = sending;
    this.#target = `${url.hostname}:${portOf(url)}${route.proxied ? ' (through the proxy)' : ''}`;
    this.#attempt = ports.record(request, url, route.proxied);
    this.#begin();
  }

  #begin(): void {
    const { request, url, route } = this.#sending;
    this.#connectTimer = setTimeout(
      () => this.#fail('connect_timeout', `no connection to ${this.#target} within ${request.connectTimeoutMs} ms`),
      request.connectTimeoutMs,
    );
    request.signal.addEventListener('abort', this.#cancel, { once: true });
    // An aborted signal calls no new listener.
    if (request.signal.aborted) {
      this.#cancel();
      return;
    }
    try {
      this.#client = openRequest(request, url, route);
    } catch (error) {
      this.#fail('invalid_url', `the request to ${this.#target} cannot be made (${errorCode(error)})`);
      return;
    }
    this.#follow(this.#client);
    sendBody(this.#client, request);
  }

  #follow(client: ClientRequest): void {
    const { request, url } = this.#sending;
    client.on('socket', (socket) => {
      const { onTransfer } = this.#ports;
      if (onTransfer)
        countBytes(client, socket, (sent, received) => onTransfer({ id: this.#attempt.id, sent, received }));
      whenConnected(client, socket, url, (reused) => this.#hasConnected(reused));
    });
    client.on('error', (error) => this.#hasFailed(client, error));
    client.on('response', (message) => {
      this.#hasConnected(client.reusedSocket);
      this.#hasResponded = true;
      request.signal.removeEventListener('abort', this.#cancel);
      const body = createBody(message, client, request, this.#target);
      this.#settle({ ok: true, value: { status: message.statusCode ?? 0, headers: headersOf(message), ...body } });
    });
  }

  #hasConnected(reused: boolean): void {
    if (this.#isConnected || this.#isSettled) return;
    this.#isConnected = true;
    clearTimeout(this.#connectTimer);
    this.#attempt.tell('connected', { reused, address: this.#client?.socket?.remoteAddress });
    const { firstByteTimeoutMs: waitMs } = this.#sending.request;
    if (waitMs === undefined) return;
    const fail = (): void => this.#fail('silence_timeout', `${this.#target} sent nothing within ${waitMs} ms`);
    this.#firstByteTimer = setTimeout(fail, waitMs);
  }

  #hasFailed(client: ClientRequest, error: Error): void {
    // The server closed an idle connection just as it was used again: nothing was received, so a fresh one is due.
    const isStale = client.reusedSocket && !this.#hasResponded && ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
    if (isStale && this.#sending.mayRepeat && !this.#isSettled) {
      this.#close();
      this.#sending.request.signal.removeEventListener('abort', this.#cancel);
      this.#resolve(sendOnce({ ...this.#sending, mayRepeat: false }, this.#ports));
      return;
    }
    this.#settle({ ok: false, error: describeError(error, this.#target, this.#isConnected) });
  }

  readonly #cancel = (): void => this.#fail('cancelled', 'the request was cancelled');

  #fail(kind: HttpFailure['kind'], message: string): void {
    this.#settle(failed(kind, message));
  }

  #settle(result: HttpResult): void {
    if (this.#isSettled) return;
    this.#close();
    if (!result.ok) {
      this.#sending.request.signal.removeEventListener('abort', this.#cancel);
      this.#attempt.tell(this.#isConnected ? 'connected' : result.error.kind, { reason: result.error.message });
      this.#client?.destroy();
    }
    this.#resolve(result);
  }

  /** Nothing else can end it from here on. */
  #close(): void {
    this.#isSettled = true;
    clearTimeout(this.#connectTimer);
    clearTimeout(this.#firstByteTimer);
  }
}

const sendBody = (client: ClientRequest, { body }: HttpRequest): void => {
  // Node names no length where a method usually has no body, and the server would take the body for another request.
  if (body !== undefined && !client.hasHeader('transfer-encoding'))
    client.setHeader('content-length', Buffer.byteLength(body));
  if (body === undefined) client.end();
  else client.end(body);
};

/** Throws where the address or a header cannot be sent. */
const openRequest = (request: HttpRequest, url: URL, route: Route): ClientRequest => {
  const module = url.protocol === 'https:' ? httpsModule() : httpModule();
  return module.request({
    ...placeOf(url),
    method: request.method,
    // Unpacking costs more than it saves on the small pieces of a stream.
    headers: { 'accept-encoding': 'identity', ...request.headers },
    agent: route.agent,
    ...(route.lookup ? { lookup: route.lookup } : {}),
  });
};

/** At the end of the handshake where there is one. */
const whenConnected = (client: ClientRequest, socket: Socket, url: URL, then: (reused: boolean) => void): void => {
  if (client.reusedSocket) {
    then(true);
    return;
  }
  // Prefill may take many minutes, and a router between forgets a connection without traffic.
  socket.setKeepAlive(true, IO_LIMITS.tcpKeepAliveMs);
  if (url.protocol === 'https:') socket.once('secureConnect', () => then(false));
  else if (socket.connecting) socket.once('connect', () => then(false));
  else then(false);
};

/** All of an address that a request needs; Node takes a URL apart anew for each request, at some cost. */
const placeOf = ({ protocol, hostname, port, pathname, search, username, password }: URL) => ({
  protocol,
  hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
  port,
  path: `${pathname}${search}`,
  ...(username === '' && password === ''
    ? {}
    : { auth: `${decodeURIComponent(username)}:${decodeURIComponent(password)}` }),
});

const headersOf = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
};

/** A connection may carry many requests, so each counts from where it began. */
const countBytes = (
  client: ClientRequest,
  socket: Pick<Socket, 'bytesRead' | 'bytesWritten'>,
  onEnd: (sent: number, received: number) => void,
): void => {
  const [read, written] = [socket.bytesRead ?? 0, socket.bytesWritten ?? 0];
  let told = false;
  const tell = (): void => {
    if (told) return;
    told = true;
    onEnd((socket.bytesWritten ?? 0) - written, (socket.bytesRead ?? 0) - read);
  };
  // The program may end as soon as it has the answer, before the connection is closed.
  client.once('response', (message) => message.once('end', tell));
  client.once('close', tell);
};
