/** The ways out: one agent for each scheme and proxy, with the certificates that count. */
import type { Agent } from 'node:http';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import { fits, withMethods } from '../../core/option-kinds.ts';
import { failedCallback, ignoreLater } from '../../core/own-callback.ts';
import { shown } from '../../core/shown-value.ts';
import { errorCode, NO_SOCKET } from './failure.ts';
import { chooseProxy } from './proxy.ts';

/** Where a connection goes once everything has been decided. */
export type DialTarget = { host: string; address: string; port: number; secure: boolean };

export type RouteOptions = {
  environment?: Readonly<Record<string, string | undefined>>;
  certificates?: readonly string[];
  keepAlive: boolean;
  dial?(target: DialTarget): Duplex;
};

// Loaded when first needed: a run that talks to http only never pays for TLS.
export const httpModule = () => process.getBuiltinModule('node:http');
export const httpsModule = () => process.getBuiltinModule('node:https');

/** Those that Node trusts by itself. Node 20 cannot say which these are after its variables; it knows those it brings. */
const ownCertificates = (): readonly string[] => {
  const tls: Partial<typeof import('node:tls')> = process.getBuiltinModule('node:tls');
  return tls.getCACertificates?.('default') ?? tls.rootCertificates ?? [];
};

/** One agent a scheme and way, made when first needed. */
export const createRoutes = (options: RouteOptions) => {
  const { proxyFor } = chooseProxy(options.environment ?? {}, process.versions);
  const agents = new Map<string, Agent>();
  const certificates = options.certificates ?? [];
  const agentFor = (secure: boolean, proxy: string | undefined): Agent => {
    const key = `${secure} ${proxy ?? ''}`;
    const known = agents.get(key);
    if (known) return known;
    const shared = {
      keepAlive: options.keepAlive,
      ...(proxy === undefined ? {} : { proxyEnv: secure ? { HTTPS_PROXY: proxy } : { HTTP_PROXY: proxy } }),
    };
    let agent: Agent;
    if (secure) {
      const trusted = certificates.length === 0 ? {} : { ca: [...ownCertificates(), ...certificates] };
      agent = new (httpsModule().Agent)({ ...shared, ...trusted });
    } else {
      agent = new (httpModule().Agent)(shared);
    }
    if (options.dial) agent.createConnection = dialled(options.dial, secure);
    agents.set(key, agent);
    return agent;
  };
  return {
    proxyFor,
    agentFor: (url: URL, proxy: string | undefined): Agent => agentFor(url.protocol === 'https:', proxy),
    close: (): void => {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
};

/** Asks the request's own lookup for the address, as the system would, and hands that to `dial`. */
const dialled =
  (dial: NonNullable<RouteOptions['dial']>, secure: boolean): Agent['createConnection'] =>
  (options, callback) => {
    const { Socket, isIP } = process.getBuiltinModule('node:net');
    const { host = '', port, lookup } = options as { host?: string; port?: number; lookup?: LookupFunction };
    const fail = (error: Error): void => callback?.(error, new Socket());
    const open = (address: string): void => {
      const opened = dialledSocket(dial, { host, address, port: Number(port), secure });
      if (opened instanceof Error) fail(opened);
      else callback?.(null, opened);
    };
    if (!lookup || isIP(host) !== 0) open(host);
    else lookup(host, { all: false }, (error, address) => (error ? fail(error) : open(String(address))));
    return undefined;
  };

/** What the system says of a connection may pass. Another failure comes of `dial` itself, and comes again. */
const failureCode = (error: unknown): string => {
  try {
    return errorCode(error) || NO_SOCKET;
  } catch {
    return NO_SOCKET;
  }
};

const SOCKET = withMethods('a socket (a Duplex)', 'on', 'once', 'write', 'end', 'destroy');

/** What cannot be spoken through is an error of the request alone. */
const dialledSocket = (dial: NonNullable<RouteOptions['dial']>, target: DialTarget): Duplex | Error => {
  try {
    const opened: unknown = dial(target);
    if (fits(SOCKET, opened)) return opened as Duplex;
    ignoreLater(opened);
    const problem = `dial must return ${SOCKET.words} at once, not ${shown(opened)}`;
    return Object.assign(new TypeError(problem), { code: NO_SOCKET });
  } catch (error) {
    return Object.assign(failedCallback('dial', error), { code: failureCode(error) });
  }
};
