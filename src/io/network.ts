/**
 * The only port to the network, on `node:http` and `node:https`: half the work of `fetch` for each request, no hidden
 * timeouts, and no redirects that nobody asked for.
 */
import type { Duplex } from 'node:stream';
import type { HttpRequest, Network } from '../core/ports.ts';
import { isLoopbackHost } from './network/address.ts';
import type { CommandProxy } from './network/command-proxy.ts';
import { failed } from './network/failure.ts';
import { addressFault, type GuardRules, guard, type ResolveName, refusalOf } from './network/guard.ts';
import { loopbackLookup, pinned, systemResolve } from './network/lookup.ts';
import { type ConnectionRecord, createRecorder, type TransferRecord } from './network/records.ts';
import { followRedirects } from './network/redirects.ts';
import { createRoutes, type DialTarget } from './network/routes.ts';
import { type HttpResult, type Sending, sendOnce } from './network/send-once.ts';

export type { ConnectionRecord, TransferRecord } from './network/records.ts';

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
  /** The same port for what a model may steer: addresses are judged, and connections go to what was judged. */
  guarded(rules: GuardRules): Network;
  /** A proxy for commands that may reach these hosts, judged by the same rules. */
  forCommands(hosts: readonly string[], rules: GuardRules): Promise<CommandProxy>;
  close(): void;
};

const parseUrl = (text: string): URL | undefined => {
  const url = URL.parse(text);
  return url && (url.protocol === 'http:' || url.protocol === 'https:') ? url : undefined;
};

export const createNetwork = (options: NetworkOptions = {}): ClosableNetwork => {
  const routes = createRoutes({ ...options, keepAlive: true });
  // A connection that was made for a tool is nobody else's, and nobody else's is a tool's.
  const toolRoutes = createRoutes({ ...options, keepAlive: false });
  const resolve = options.resolve ?? systemResolve;
  const record = createRecorder({ now: options.now ?? Date.now, onConnection: options.onConnection });
  const send = (sending: Sending): Promise<HttpResult> => sendOnce(sending, { record, onTransfer: options.onTransfer });

  const offlineRefusal = (request: HttpRequest, url: URL): HttpResult | undefined => {
    if (!options.offline || isLoopbackHost(url.hostname)) return undefined;
    const message = `offline: only this machine may be reached, not ${url.hostname}`;
    record(request, url, false).tell('blocked', { reason: message });
    return failed('blocked', message);
  };

  const sendFree = async (request: HttpRequest): Promise<HttpResult> => {
    if (request.signal.aborted) return failed('cancelled', 'the request was cancelled');
    const url = parseUrl(request.url);
    if (!url) return failed('invalid_url', 'the address is not an http:// or https:// URL');
    const refusal = offlineRefusal(request, url);
    if (refusal) return refusal;
    const proxy = routes.proxyFor(url);
    if (!proxy.ok) return proxy;
    const route = { agent: routes.agentFor(url, proxy.value), proxied: proxy.value !== undefined };
    const offlineRoute = { ...route, lookup: loopbackLookup };
    return send({ request, url, route: options.offline ? offlineRoute : route, mayRepeat: true });
  };

  const sendGuarded = async (request: HttpRequest, rules: GuardRules): Promise<HttpResult> => {
    if (request.signal.aborted) return failed('cancelled', 'the request was cancelled');
    const url = parseUrl(request.url);
    if (!url) return failed('invalid_url', addressFault(request.url) ?? 'that is not an address');
    const refusal = offlineRefusal(request, url);
    if (refusal) return refusal;
    const proxy = toolRoutes.proxyFor(url);
    if (!proxy.ok) return proxy;
    const proxied = proxy.value !== undefined;
    const judged = await guard(request, url, { rules, resolve, offline: options.offline ?? false, proxied });
    if (!judged.ok) {
      record(request, url, proxied).tell(judged.error.kind, { reason: judged.error.message });
      return judged;
    }
    const { addresses } = judged.value;
    const route = { agent: toolRoutes.agentFor(url, proxy.value), proxied };
    const judgedRoute = addresses ? { ...route, lookup: pinned(addresses) } : route;
    return send({ request, url, route: judgedRoute, mayRepeat: false });
  };

  return {
    request: (request) => followRedirects(request, sendFree),
    guarded: (rules) => ({
      request: (request) => followRedirects(request, (hop) => sendGuarded(hop, rules)),
      refusalOf: (url) => refusalOf(url, rules)?.message,
    }),
    forCommands: async (hosts, rules) => {
      const { createCommandProxy } = await import('./network/command-proxy.ts');
      return createCommandProxy({ hosts, rules, resolve, record, offline: options.offline ?? false });
    },
    close: () => {
      routes.close();
      toolRoutes.close();
    },
  };
};
