/**
 * The rules of the port for what a model may steer: only the open internet, unless the person allowed a host. Names are
 * resolved here, every address is judged, and the connection goes to those addresses and no others.
 */
import type { LookupAddress } from 'node:dns';
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure, HttpRequest } from '../../core/ports.ts';
import { shown } from '../../core/shown-value.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { isLoopbackAddress, isLoopbackHost } from './address.ts';
import { errorCode } from './failure.ts';
import { nonPublicKind } from './ranges.ts';

export type ResolveName = (hostname: string) => Promise<LookupAddress[]>;

export type GuardRules = {
  /** `host`, `host:port`, `*.host` or a network as `192.168.0.0/16` that may be private: the person's own word. `*`: all. */
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

/** Whole names only: `allowed.test` says nothing about `allowed.test.evil.test`. `*.test` is what lies below. */
export const isAllowedPrivate = (url: URL, allowed: readonly string[]): boolean =>
  allowed.some((entry) => {
    if (entry === '*') return true;
    if (entry.startsWith('*.')) return bareHost(url).endsWith(entry.slice(1).toLowerCase());
    // A bare IPv6 address has more than one colon.
    const text = /^[^[]*:.*:/.test(entry) ? `[${entry}]` : entry;
    const named = entry.includes('/') ? null : URL.parse(`http://${text}`);
    if (!named || bareHost(named) !== bareHost(url)) return false;
    return !/(?:^[^:]+|\]):\d+$/.test(text) || portOf(named) === portOf(url);
  });

/** `192.168.0.0/16`: every address of a network, whatever its name. */
const isInAllowedNetwork = (address: string, allowed: readonly string[]): boolean => {
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const family = (text: string): 'ipv4' | 'ipv6' => (isIP(text) === 6 ? 'ipv6' : 'ipv4');
  return allowed.some((entry) => {
    const [network = '', bits = ''] = entry.split('/');
    const most = isIP(network) === 6 ? 128 : 32;
    if (isIP(network) === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > most) return false;
    const list = new BlockList();
    list.addSubnet(network, Number(bits), family(network));
    return isIP(address) !== 0 && list.check(address, family(address));
  });
};

export const guard = async (
  request: HttpRequest,
  url: URL,
  options: GuardOptions,
): Promise<Outcome<Guarded, HttpFailure>> => {
  const judge = judgeFor(request, url, options.rules);
  const known = knownFault(request.url, url, judge);
  return known === undefined ? resolved(request, url, options, judge) : { ok: false, error: known };
};

/** As `guard` refuses it, without a look-up: a name that is looked up is told to others. */
export const refusalOf = (text: string, rules: GuardRules): HttpFailure | undefined => {
  const url = URL.parse(text);
  return knownFault(text, url, url ? judgeFor({}, url, rules) : ANYWHERE);
};

const judgeFor = ({ personsWord }: Pick<HttpRequest, 'personsWord'>, url: URL, { allowPrivate }: GuardRules): Judge =>
  personsWord === true || isAllowedPrivate(url, allowPrivate)
    ? ANYWHERE
    : {
        port: (port) =>
          OTHER_PROTOCOLS.has(Number(port)) ? `asked at port ${port}, which is not for the web` : undefined,
        address: (address) => (isInAllowedNetwork(address, allowPrivate) ? undefined : nonPublicKind(address)),
        name: (host) =>
          isLoopbackHost(host) ? 'this machine' : looksPublic(host) ? undefined : 'a name of a private network',
        // Where a network is allowed, a name of it is too: its address will tell.
        mayResolveAnyName: allowPrivate.some((entry) => entry.includes('/')),
      };

const knownFault = (text: string, url: URL | null, judge: Judge): HttpFailure | undefined => {
  const fault = addressFault(text);
  if (fault !== undefined || url === null) return { kind: 'invalid_url', message: fault ?? 'that is not an address' };
  const { host, literal } = hostIn(url);
  const nameFault = literal !== 0 || judge.mayResolveAnyName ? undefined : judge.name(host);
  const kind = judge.port(portOf(url)) ?? (literal === 0 ? nameFault : judge.address(host));
  return kind === undefined ? undefined : refused(url, kind).error;
};

/** `literal`: 4 or 6 for an address, 0 for a name. */
const hostIn = (url: URL): { host: string; literal: number } => {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return { host, literal: process.getBuiltinModule('node:net').isIP(host) };
};

/** What speaks against an address or a name; undefined where nothing does. */
type Judge = {
  port(port: string): string | undefined;
  address(address: string): string | undefined;
  name(host: string): string | undefined;
  mayResolveAnyName: boolean;
};
const ANYWHERE: Judge = {
  port: () => undefined,
  address: () => undefined,
  name: () => undefined,
  mayResolveAnyName: true,
};

/** The addresses of the host, if all of them pass. */
const resolved = async (
  request: HttpRequest,
  url: URL,
  options: GuardOptions,
  judge: Judge,
): Promise<Outcome<Guarded, HttpFailure>> => {
  const { host, literal } = hostIn(url);
  const nameFault = literal === 0 ? judge.name(host) : undefined;
  const found = literal === 0 ? await settled(addressesOf(options.resolve, host), request) : undefined;
  if (found && !found.ok) {
    // A machine behind a proxy often knows no names itself: the proxy does.
    if (!options.proxied || found.error.kind !== 'refused') return found;
    return nameFault === undefined ? { ok: true, value: {} } : refused(url, nameFault);
  }
  const all = found ? found.value : [{ address: host, family: literal }];
  const addresses = options.offline ? all.filter(({ address }) => isLoopbackAddress(address)) : all;
  if (addresses.length === 0) {
    return { ok: false, error: { kind: 'refused', message: `the name ${host} has no address` } };
  }
  for (const { address } of addresses) {
    const kind = judge.address(address);
    if (kind !== undefined) return refused(url, address === host ? kind : `${kind}: ${address}`);
  }
  return { ok: true, value: options.proxied ? {} : { addresses } };
};

const refused = (url: URL, kind: string) =>
  blocked(
    `the host ${url.hostname} is ${kind}. Tools reach the open internet only, unless the person allows the host (--allow-private ${url.host}).`,
  );

/** Names that no public server has: without a dot, and those that are set aside for inner networks. */
const looksPublic = (hostname: string): boolean => {
  const host = hostname.replace(/\.$/, '').toLowerCase();
  return (
    host.includes('.') &&
    !/\.(?:local|localdomain|localhost|internal|intranet|lan|home|corp|private|home\.arpa)$/.test(host)
  );
};

/** The ports that browsers refuse as well: what listens there is no web server, and could take a request for its own. */
const OTHER_PROTOCOLS: ReadonlySet<number> = new Set(
  (
    '1 7 9 11 13 15 17 19 20 21 22 23 25 37 42 43 53 69 77 79 87 95 101 102 103 104 109 110 111 113 115 117 119 123 135 ' +
    '137 139 143 161 179 389 427 465 512 513 514 515 526 530 531 532 540 548 554 556 563 587 601 636 989 990 993 995 ' +
    '1719 1720 1723 2049 3659 4045 4190 5060 5061 6000 6566 6665 6666 6667 6668 6669 6679 6697 10080'
  )
    .split(' ')
    .map(Number),
);

const reasonOf = (error: unknown): string => {
  try {
    return errorCode(error) || thrownText(error);
  } catch {
    return thrownText(error);
  }
};

/** Rejects where a resolver of the program's own gives anything but addresses: what is none could not be judged. */
const addressesOf = async (resolve: ResolveName, host: string): Promise<LookupAddress[]> => {
  const found: unknown = await resolve(host);
  const { isIP } = process.getBuiltinModule('node:net');
  const given: readonly unknown[] | undefined = Array.isArray(found) ? found : undefined;
  const addresses = given?.map((each) => String((each as Partial<LookupAddress> | null | undefined)?.address));
  if (addresses?.every((address) => isIP(address) !== 0))
    return addresses.map((address) => ({ address, family: isIP(address) }));
  throw new TypeError(`resolve must give a list of { address, family }, not ${shown(found)}`);
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
      (error: unknown) => fail('refused', `the host name ${hostname} cannot be resolved (${reasonOf(error)})`),
    );
  });
