/** One request on one connection: how long it may take to get there, what is told of it, and how it ends early. */
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
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
  new Promise((resolve) => {
    const { request, url, route } = sending;
    const target = `${url.hostname}:${portOf(url)}${route.proxied ? ' (through the proxy)' : ''}`;
    const { id, tell } = ports.record(request, url, route.proxied);
    let connected = false;
    let responded = false;
    let settled = false;
    let client: ClientRequest | undefined;

    /** Nothing else can end it from here on. */
    const close = (): void => {
      settled = true;
      clearTimeout(connectTimer);
      clearTimeout(firstByteTimer);
    };
    const settle = (result: HttpResult): void => {
      if (settled) return;
      close();
      if (!result.ok) {
        request.signal.removeEventListener('abort', cancel);
        tell(connected ? 'connected' : result.error.kind, { reason: result.error.message });
        client?.destroy();
      }
      resolve(result);
    };
    const cancel = (): void => settle(failed('cancelled', 'the request was cancelled'));
    const connectTimer = setTimeout(
      () => settle(failed('connect_timeout', `no connection to ${target} within ${request.connectTimeoutMs} ms`)),
      request.connectTimeoutMs,
    );
    let firstByteTimer: NodeJS.Timeout | undefined;
    const markConnected = (reused: boolean): void => {
      if (connected || settled) return;
      connected = true;
      clearTimeout(connectTimer);
      const address = client?.socket?.remoteAddress;
      tell('connected', { reused, address });
      const { firstByteTimeoutMs: waitMs } = request;
      if (waitMs === undefined) return;
      const silent = failed('silence_timeout', `${target} sent nothing within ${waitMs} ms`);
      firstByteTimer = setTimeout(() => settle(silent), waitMs);
    };

    request.signal.addEventListener('abort', cancel, { once: true });
    // An aborted signal calls no new listener.
    if (request.signal.aborted) {
      cancel();
      return;
    }
    try {
      client = openRequest(request, url, route);
    } catch (error) {
      settle(failed('invalid_url', `the request to ${target} cannot be made (${errorCode(error)})`));
      return;
    }
    const opened = client;
    opened.on('socket', (socket) => {
      const { onTransfer } = ports;
      if (onTransfer) countBytes(opened, socket, (sent, received) => onTransfer({ id, sent, received }));
      whenConnected(opened, socket, url, markConnected);
    });
    opened.on('error', (error) => {
      // The server closed an idle connection just as it was used again: nothing was received, so a fresh one is due.
      const stale = opened.reusedSocket && !responded && ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
      if (stale && sending.mayRepeat && !settled) {
        close();
        request.signal.removeEventListener('abort', cancel);
        resolve(sendOnce({ ...sending, mayRepeat: false }, ports));
        return;
      }
      settle({ ok: false, error: describeError(error, target, connected) });
    });
    opened.on('response', (message) => {
      markConnected(opened.reusedSocket);
      responded = true;
      request.signal.removeEventListener('abort', cancel);
      const body = createBody(message, opened, request, target);
      settle({ ok: true, value: { status: message.statusCode ?? 0, headers: headersOf(message), ...body } });
    });
    if (request.body !== undefined) {
      // Node names no length where a method usually has no body, and the server would take the body for another request.
      if (!opened.hasHeader('transfer-encoding')) opened.setHeader('content-length', Buffer.byteLength(request.body));
      opened.end(request.body);
    } else opened.end();
  });

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
