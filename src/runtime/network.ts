/**
 * The only door to the network, on `node:http` and `node:https`: half the work of `fetch` for each request, no hidden
 * timeouts, and no redirects that nobody asked for.
 */
import type { LookupAddress } from 'node:dns';
import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse, Network } from '../core/ports.ts';
import { currentRequester, type Requester } from './authorize/requester.ts';
import { isLoopbackAddress, isLoopbackHost } from './network/address.ts';
import { createBody } from './network/body.ts';
import { describeError, errorCode } from './network/failure.ts';
import type { GuardRules, ResolveName } from './network/guard.ts';
import { followRedirects } from './network/redirects.ts';
import { createRoutes, type DialTarget, httpModule, httpsModule } from './network/routes.ts';

/** One attempt to reach another side; the egress ledger is a list of these. */
export type ConnectionRecord = Requester & {
  /** Counts within this door. */
  id: number;
  /** Milliseconds since 1970. */
  at: number;
  method: HttpRequest['method'];
  scheme: 'http' | 'https';
  host: string;
  port: number;
  /** The address that was reached: the proxy's, where there is one. */
  address?: string;
  /** It went through the proxy of the environment. */
  proxied: boolean;
  /** An open connection was used again. */
  reused: boolean;
  result: 'connected' | HttpFailure['kind'];
  /** Why, where it was refused. */
  reason?: string;
};

/** What went over a connection for one request, headers and encryption included. */
export type TransferRecord = { id: number; sent: number; received: number };

export type NetworkOptions = {
  /** Where the proxy variables are read from; none are respected where absent. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Only this machine may be reached. */
  offline?: boolean;
  /** PEM texts trusted beside the system's. (Node itself reads NODE_EXTRA_CA_CERTS.) */
  certificates?: readonly string[];
  onConnection?(record: ConnectionRecord): void;
  onTransfer?(record: TransferRecord): void;
  /** Milliseconds since 1970. */
  now?(): number;
  /** How names become addresses for tools; the system's way where absent. */
  resolve?: ResolveName;
  /** Opens connections instead of the system, so that everything above it can be tried without an internet. */
  dial?(target: DialTarget): Duplex;
};

export type ClosableNetwork = Network & {
  /** The same door for what a model may steer: addresses are judged, and connections go to what was judged. */
  guarded(rules: GuardRules): Network;
  close(): void;
};

type Result = Outcome<HttpResponse, HttpFailure>;
type Route = { agent: Agent; proxied: boolean; lookup?: LookupFunction };

const failed = (kind: HttpFailure['kind'], message: string): { ok: false; error: HttpFailure } => ({
  ok: false,
  error: { kind, message },
});

const parseUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
};

const headersOf = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
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

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

/** In offline mode a name counts as this machine only when it resolves to this machine. */
const loopbackLookup: LookupFunction = (hostname, options, callback) => {
  process.getBuiltinModule('node:dns').lookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const own = addresses.filter((entry) => isLoopbackAddress(entry.address));
    const first = own[0];
    if (!first) return callback(Object.assign(new Error('not this machine'), { code: 'ENOTFOUND' }), []);
    if (options.all) callback(null, own);
    else callback(null, first.address, first.family);
  });
};

export const createNetwork = (options: NetworkOptions = {}): ClosableNetwork => {
  const routes = createRoutes({ ...options, keepAlive: true });
  // A connection that was made for a tool is nobody else's, and nobody else's is a tool's.
  const toolRoutes = createRoutes({ ...options, keepAlive: false });
  const now = options.now ?? Date.now;
  const resolve = options.resolve ?? systemResolve;
  let count = 0;

  const recorder = (request: HttpRequest, url: URL, proxied: boolean) => {
    let done = false;
    const requester = currentRequester();
    count += 1;
    const id = count;
    const record = (
      result: ConnectionRecord['result'],
      details: { address?: string; reused?: boolean; reason?: string } = {},
    ): void => {
      if (done) return;
      done = true;
      options.onConnection?.({
        ...requester,
        id,
        at: now(),
        method: request.method,
        scheme: url.protocol === 'https:' ? 'https' : 'http',
        host: url.hostname,
        port: portOf(url),
        ...(details.address === undefined ? {} : { address: details.address }),
        proxied,
        reused: details.reused ?? false,
        result,
        ...(details.reason === undefined ? {} : { reason: details.reason }),
      });
    };
    return { id, record };
  };

  /** One request on one connection; `mayRepeat` allows a second one where the first connection was stale. */
  const attempt = (request: HttpRequest, url: URL, route: Route, mayRepeat: boolean): Promise<Result> =>
    new Promise((resolve) => {
      const target = `${url.hostname}:${portOf(url)}${route.proxied ? ' (through the proxy)' : ''}`;
      const { id, record } = recorder(request, url, route.proxied);
      let connected = false;
      let responded = false;
      let settled = false;
      let client: ClientRequest;

      const settle = (result: Result): void => {
        if (settled) return;
        settled = true;
        clearTimeout(connectTimer);
        clearTimeout(firstByteTimer);
        if (!result.ok) {
          request.signal.removeEventListener('abort', cancel);
          record(connected ? 'connected' : result.error.kind, { reason: result.error.message });
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
        const address = client.socket?.remoteAddress;
        record('connected', { reused, ...(address === undefined ? {} : { address }) });
        if (request.firstByteTimeoutMs !== undefined) {
          firstByteTimer = setTimeout(
            () => settle(failed('silence_timeout', `${target} sent nothing within ${request.firstByteTimeoutMs} ms`)),
            request.firstByteTimeoutMs,
          );
        }
      };

      request.signal.addEventListener('abort', cancel, { once: true });
      // An aborted signal calls no new listener.
      if (request.signal.aborted) {
        cancel();
        return;
      }
      try {
        const module = url.protocol === 'https:' ? httpsModule() : httpModule();
        client = module.request({
          ...placeOf(url),
          method: request.method,
          // Unpacking costs more than it saves on the small pieces of a stream.
          headers: { 'accept-encoding': 'identity', ...request.headers },
          agent: route.agent,
          ...(route.lookup ? { lookup: route.lookup } : {}),
        });
      } catch (error) {
        settle(failed('invalid_url', `the request to ${target} cannot be made (${errorCode(error)})`));
        return;
      }

      client.on('socket', (socket) => {
        const { onTransfer } = options;
        if (onTransfer) countBytes(client, socket, (sent, received) => onTransfer({ id, sent, received }));
        if (client.reusedSocket) {
          markConnected(true);
          return;
        }
        // Prefill may take many minutes, and a router between forgets a connection without traffic.
        socket.setKeepAlive(true, LIMITS.tcpKeepAliveMs);
        if (url.protocol === 'https:') socket.once('secureConnect', () => markConnected(false));
        else if (socket.connecting) socket.once('connect', () => markConnected(false));
        else markConnected(false);
      });
      client.on('error', (error) => {
        // The server closed an idle connection just as it was used again: nothing was received, so a fresh one is due.
        const stale = client.reusedSocket && !responded && ['ECONNRESET', 'EPIPE'].includes(errorCode(error));
        if (stale && mayRepeat && !settled) {
          settled = true;
          clearTimeout(connectTimer);
          clearTimeout(firstByteTimer);
          request.signal.removeEventListener('abort', cancel);
          resolve(attempt(request, url, route, false));
          return;
        }
        settle({ ok: false, error: describeError(error, target, connected) });
      });
      client.on('response', (message) => {
        markConnected(client.reusedSocket);
        responded = true;
        request.signal.removeEventListener('abort', cancel);
        const body = createBody(message, client, request, target);
        settle({ ok: true, value: { status: message.statusCode ?? 0, headers: headersOf(message), ...body } });
      });
      if (request.body === undefined) client.end();
      else client.end(request.body);
    });

  const offlineRefusal = (request: HttpRequest, url: URL): Result | undefined => {
    if (!options.offline || isLoopbackHost(url.hostname)) return undefined;
    const message = `offline: only this machine may be reached, not ${url.hostname}`;
    recorder(request, url, false).record('blocked', { reason: message });
    return failed('blocked', message);
  };

  const send = async (request: HttpRequest): Promise<Result> => {
    if (request.signal.aborted) return failed('cancelled', 'the request was cancelled');
    const url = parseUrl(request.url);
    if (!url) return failed('invalid_url', 'the address is not an http:// or https:// URL');
    const refusal = offlineRefusal(request, url);
    if (refusal) return refusal;
    const proxy = routes.proxyFor(url);
    if (!proxy.ok) return proxy;
    const route = { agent: routes.agentFor(url, proxy.value), proxied: proxy.value !== undefined };
    return attempt(request, url, options.offline ? { ...route, lookup: loopbackLookup } : route, true);
  };

  const sendGuarded = async (request: HttpRequest, rules: GuardRules): Promise<Result> => {
    if (request.signal.aborted) return failed('cancelled', 'the request was cancelled');
    const { addressFault, guard } = await import('./network/guard.ts');
    const url = parseUrl(request.url);
    if (!url) return failed('invalid_url', addressFault(request.url) ?? 'that is not an address');
    const refusal = offlineRefusal(request, url);
    if (refusal) return refusal;
    const proxy = toolRoutes.proxyFor(url);
    if (!proxy.ok) return proxy;
    const proxied = proxy.value !== undefined;
    const judged = await guard(request, url, { rules, resolve, offline: options.offline ?? false, proxied });
    if (!judged.ok) {
      recorder(request, url, proxied).record(judged.error.kind, { reason: judged.error.message });
      return judged;
    }
    const { addresses } = judged.value;
    const route = { agent: toolRoutes.agentFor(url, proxy.value), proxied };
    return attempt(request, url, addresses ? { ...route, lookup: pinned(addresses) } : route, false);
  };

  return {
    request: (request) => followRedirects(request, send),
    guarded: (rules) => ({
      request: (request) => followRedirects(request, (hop) => sendGuarded(hop, rules)),
    }),
    close: () => {
      routes.close();
      toolRoutes.close();
    },
  };
};

const systemResolve: ResolveName = (hostname) =>
  process.getBuiltinModule('node:dns/promises').lookup(hostname, { all: true });

/** Only what was judged can be connected to, whatever the name means a moment later. */
const pinned =
  (addresses: readonly LookupAddress[]): LookupFunction =>
  (_hostname, options, callback) => {
    const [first] = addresses;
    if (options.all) callback(null, [...addresses]);
    else callback(null, first?.address ?? '', first?.family ?? 4);
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
