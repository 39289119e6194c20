/**
 * The rules of the door for what a model may steer: only the open internet, unless the person allowed a host. Names are
 * resolved here, every address is judged, and the connection goes to those addresses and no others.
 */
import type { LookupAddress } from 'node:dns';
import type { Outcome } from '../core/outcome.ts';
import type { HttpFailure, HttpRequest } from '../core/ports.ts';
import { isLoopbackAddress, isLoopbackHost } from './network-address.ts';
import { nonPublicKind } from './network-ranges.ts';

export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

export type GuardRules = {
  /** `host` or `host:port` whose address may be private: the person's own word. `*` allows every one. */
  allowPrivate: readonly string[];
};

export type Guarded = {
  /** The only addresses that may be connected to. Absent where a proxy resolves the name. */
  addresses?: LookupAddress[];
};

export type GuardOptions = {
  rules: GuardRules;
  resolve: ResolveName;
  offline: boolean;
  proxied: boolean;
};

const blocked = (message: string): { ok: false; error: HttpFailure } => ({
  ok: false,
  error: { kind: 'blocked', message },
});

/** White space, controls and characters without a shape: a person who is asked could not see them. */
const INVISIBLE = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** What stands in an address that nobody should have written so. Undefined where nothing is wrong. */
export const addressFault = (text: string): string | undefined => {
  if (INVISIBLE.test(text)) return 'the address holds white space or characters that cannot be seen';
  const url = URL.parse(text);
  if (!url) return 'that is not an address; it must begin with http:// or https://';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return `only http:// and https:// addresses can be fetched, not ${url.protocol}`;
  }
  if (url.username !== '' || url.password !== '') return 'the address holds a name or a password before its host';
  if (url.hostname === '') return 'the address names no host';
  return undefined;
};

const portOf = (url: URL): string => url.port || (url.protocol === 'https:' ? '443' : '80');
const bareHost = (url: URL): string =>
  url.hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();

/** Whole names only: `allowed.test` says nothing about `allowed.test.evil.test`. */
export const isAllowedPrivate = (url: URL, allowed: readonly string[]): boolean =>
  allowed.some((entry) => {
    if (entry === '*') return true;
    // A bare IPv6 address has more than one colon.
    const text = /^[^[]*:.*:/.test(entry) ? `[${entry}]` : entry;
    const named = URL.parse(`http://${text}`);
    if (!named || bareHost(named) !== bareHost(url)) return false;
    return !/(?:^[^:]+|\]):\d+$/.test(text) || portOf(named) === portOf(url);
  });

export const guard = async (
  request: HttpRequest,
  url: URL,
  options: GuardOptions,
): Promise<Outcome<Guarded, HttpFailure>> => {
  const fault = addressFault(request.url);
  if (fault !== undefined) return { ok: false, error: { kind: 'invalid_url', message: fault } };
  const mayBePrivate = request.personsWord === true || isAllowedPrivate(url, options.rules.allowPrivate);
  const { hostname } = url;
  if (!mayBePrivate && isLoopbackHost(hostname)) return refused(url, 'this machine');
  const literal = process.getBuiltinModule('node:net').isIP(hostname.replace(/^\[|\]$/g, ''));
  if (literal !== 0) {
    const address = hostname.replace(/^\[|\]$/g, '');
    const kind = nonPublicKind(address);
    if (kind !== undefined && !mayBePrivate) return refused(url, kind);
    return { ok: true, value: options.proxied ? {} : { addresses: [{ address, family: literal }] } };
  }
  const resolved = await settled(options.resolve(hostname), request);
  if (!resolved.ok) {
    // A machine behind a proxy often knows no names itself; only those that look like names of the inside are refused.
    if (options.proxied && resolved.error.kind === 'refused') {
      return mayBePrivate || looksPublic(hostname)
        ? { ok: true, value: {} }
        : refused(url, 'a name of a private network');
    }
    return resolved;
  }
  const addresses = options.offline
    ? resolved.value.filter(({ address }) => isLoopbackAddress(address))
    : resolved.value;
  if (addresses.length === 0) {
    return { ok: false, error: { kind: 'refused', message: `the name ${hostname} has no address` } };
  }
  for (const { address } of mayBePrivate ? [] : addresses) {
    const kind = nonPublicKind(address);
    if (kind !== undefined) return refused(url, `${kind}: ${address}`);
  }
  return { ok: true, value: options.proxied ? {} : { addresses } };
};

const refused = (url: URL, kind: string) =>
  blocked(
    `${url.hostname} is ${kind}. Tools reach the open internet only, unless the person allows the host (--allow-private ${url.host}).`,
  );

const looksPublic = (hostname: string): boolean => {
  const host = hostname.replace(/\.$/, '').toLowerCase();
  return host.includes('.') && !/\.(?:local|localhost|internal|intranet|lan|home|corp|private|home\.arpa)$/.test(host);
};

/** The system's resolver cannot be called off, so it is left behind when time is up. */
const settled = (
  resolving: Promise<LookupAddress[]>,
  request: HttpRequest,
): Promise<Outcome<LookupAddress[], HttpFailure>> =>
  new Promise((resolve) => {
    const settle = (result: Outcome<LookupAddress[], HttpFailure>): void => {
      clearTimeout(timer);
      request.signal.removeEventListener('abort', cancel);
      resolve(result);
    };
    const fail = (kind: HttpFailure['kind'], message: string): void => settle({ ok: false, error: { kind, message } });
    const cancel = (): void => fail('cancelled', 'the request was cancelled');
    const { hostname } = new URL(request.url);
    const timer = setTimeout(
      () => fail('connect_timeout', `the name ${hostname} was not resolved within ${request.connectTimeoutMs} ms`),
      request.connectTimeoutMs,
    );
    request.signal.addEventListener('abort', cancel, { once: true });
    // An aborted signal calls no new listener.
    if (request.signal.aborted) cancel();
    resolving.then(
      (value) => settle({ ok: true, value }),
      (error: NodeJS.ErrnoException) =>
        fail('refused', `the name ${hostname} cannot be resolved (${error.code ?? 'unknown'})`),
    );
  });
