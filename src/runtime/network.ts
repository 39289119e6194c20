/**
 * The only door to the network, on `node:http` and `node:https`: half the work of `fetch` for each request, no hidden
 * timeouts, and no redirects that nobody asked for.
 */
import type { Agent, ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import { LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse, Network } from '../core/ports.ts';
import { isLoopbackAddress, isLoopbackHost } from './network-address.ts';
import { createBody } from './network-body.ts';
import { describeError, errorCode } from './network-failure.ts';

/** One attempt to reach another side; the egress ledger is a list of these. */
export type ConnectionRecord = {
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
};

export type NetworkOptions = {
  /** Where the proxy variables are read from; none are respected where absent. */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Only this machine may be reached. */
  offline?: boolean;
  /** PEM texts trusted beside the system's. (Node itself reads NODE_EXTRA_CA_CERTS.) */
  certificates?: readonly string[];
  onConnection?(record: ConnectionRecord): void;
  /** Milliseconds since 1970. */
  now?(): number;
};

export type ClosableNetwork = Network & { close(): void };

type Result = Outcome<HttpResponse, HttpFailure>;
type Route = { agent: Agent; proxied: boolean };

const failed = (kind: HttpFailure['kind'], message: string): { ok: false; error: HttpFailure } => ({
  ok: false,
  error: { kind, message },
});

// Loaded when first needed: a run that talks to http only never pays for TLS.
const httpModule = () => process.getBuiltinModule('node:http');
const httpsModule = () => process.getBuiltinModule('node:https');

const parseUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
};

const PROXY_VARIABLES = ['HTTP_PROXY', 'http_proxy', 'HTTPS_PROXY', 'https_proxy', 'NO_PROXY', 'no_proxy'] as const;

const proxyEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined => {
  const set = Object.fromEntries(
    PROXY_VARIABLES.flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  return Object.keys(set).some((name) => !name.toLowerCase().startsWith('no')) ? set : undefined;
};

/** Node passes over a proxy address that it cannot use and connects directly, which is not what the person asked for. */
const unusableProxy = (proxy: Readonly<Record<string, string>>): string | undefined =>
  Object.keys(proxy).find((name) => !name.toLowerCase().startsWith('no') && !parseUrl(proxy[name] ?? ''));

/** One agent a scheme and way, made when first needed. */
const createRoutes = (options: NetworkOptions) => {
  const proxy = proxyEnvironment(options.environment ?? {});
  const agents = new Map<string, Agent>();
  const certificates = options.certificates ?? [];
  const agentFor = (secure: boolean, proxied: boolean): Agent => {
    const key = `${secure} ${proxied}`;
    const known = agents.get(key);
    if (known) return known;
    const shared = { keepAlive: true, ...(proxied && proxy ? { proxyEnv: proxy } : {}) };
    let agent: Agent;
    if (secure) {
      const trusted =
        certificates.length === 0
          ? {}
          : { ca: [...process.getBuiltinModule('node:tls').getCACertificates('default'), ...certificates] };
      agent = new (httpsModule().Agent)({ ...shared, ...trusted });
    } else {
      agent = new (httpModule().Agent)(shared);
    }
    agents.set(key, agent);
    return agent;
  };
  return {
    /** This machine is never reached through a proxy: the proxy would look for the model server on itself. */
    routeFor: (url: URL): Outcome<Route, HttpFailure> => {
      const proxied = proxy !== undefined && !isLoopbackHost(url.hostname);
      const unusable = proxied ? unusableProxy(proxy) : undefined;
      if (unusable !== undefined) {
        return failed('invalid_url', `the proxy in ${unusable} is not an http:// or https:// address`);
      }
      return { ok: true, value: { agent: agentFor(url.protocol === 'https:', proxied), proxied } };
    },
    close: (): void => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
};

const headersOf = (message: IncomingMessage): Record<string, string> => {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(message.headers)) {
    if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return headers;
};

const portOf = (url: URL): number => (url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port));

/** In offline mode a name counts as this machine only when it resolves to this machine. */
const loopbackLookup: RequestOptions['lookup'] = (hostname, options, callback) => {
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
  const routes = createRoutes(options);
  const now = options.now ?? Date.now;

  const recorder = (request: HttpRequest, url: URL, proxied: boolean) => {
    let done = false;
    return (result: ConnectionRecord['result'], details: { address?: string; reused?: boolean } = {}): void => {
      if (done) return;
      done = true;
      options.onConnection?.({
        at: now(),
        method: request.method,
        scheme: url.protocol === 'https:' ? 'https' : 'http',
        host: url.hostname,
        port: portOf(url),
        ...(details.address === undefined ? {} : { address: details.address }),
        proxied,
        reused: details.reused ?? false,
        result,
      });
    };
  };

  /** One request on one connection; `mayRepeat` allows a second one where the first connection was stale. */
  const attempt = (request: HttpRequest, url: URL, route: Route, mayRepeat: boolean): Promise<Result> =>
    new Promise((resolve) => {
      const target = `${url.hostname}:${portOf(url)}${route.proxied ? ' (through the proxy)' : ''}`;
      const record = recorder(request, url, route.proxied);
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
          record(connected ? 'connected' : result.error.kind);
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
        client = module.request(url, {
          method: request.method,
          // Unpacking costs more than it saves on the small pieces of a stream.
          headers: { 'accept-encoding': 'identity', ...request.headers },
          agent: route.agent,
          ...(options.offline ? { lookup: loopbackLookup } : {}),
        });
      } catch (error) {
        settle(failed('invalid_url', `the request to ${target} cannot be made (${errorCode(error)})`));
        return;
      }

      client.on('socket', (socket) => {
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

  return {
    request: async (request) => {
      if (request.signal.aborted) return failed('cancelled', 'the request was cancelled');
      const url = parseUrl(request.url);
      if (!url) return failed('invalid_url', 'the address is not an http:// or https:// URL');
      if (options.offline && !isLoopbackHost(url.hostname)) {
        recorder(request, url, false)('blocked');
        return failed('blocked', `offline: only this machine may be reached, not ${url.hostname}`);
      }
      const route = routes.routeFor(url);
      if (!route.ok) return route;
      return attempt(request, url, route.value, true);
    },
    close: routes.close,
  };
};
