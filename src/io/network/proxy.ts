/** Which requests go through a proxy: the person's variables, read once, in the way that curl and others read them. */
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure } from '../../core/ports.ts';
import { isLoopbackHost } from './address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type ProxyChoice = {
  /** The proxy's address, or undefined for the direct way. A proxy that is no address is a failure, not passed over. */
  proxyFor(url: URL): Outcome<string | undefined, HttpFailure>;
};

/** From which minor version on the agents of a Node go through a proxy; others take the setting and go the direct way. */
const FIRST_WITH_PROXIES: Readonly<Record<number, number>> = { 22: 21, 24: 5 };
const EVERY_MAJOR_SINCE = 25;

/** `versions` as `process.versions` has them. Other runtimes have rules of their own. */
const takesProxies = (versions: Readonly<Record<string, string | undefined>>): boolean => {
  if (versions['bun'] !== undefined || versions['deno'] !== undefined) return true;
  const [major = 0, minor = 0] = (versions['node'] ?? '').split('.').map(Number);
  return major >= EVERY_MAJOR_SINCE || minor >= (FIRST_WITH_PROXIES[major] ?? Number.POSITIVE_INFINITY);
};

/** `versions` are those of the runtime. A proxy that it cannot go through is a failure: the direct way may be forbidden. */
export const chooseProxy = (
  environment: Environment,
  versions: Readonly<Record<string, string | undefined>>,
): ProxyChoice => {
  const first = (...names: string[]): { name: string; value: string } | undefined => {
    const name = names.find((candidate) => environment[candidate]);
    return name === undefined ? undefined : { name, value: environment[name] as string };
  };
  const proxies = {
    'http:': first('http_proxy', 'HTTP_PROXY'),
    'https:': first('https_proxy', 'HTTPS_PROXY'),
  };
  const exceptions = (environment['no_proxy'] || environment['NO_PROXY'] || '')
    .split(/[\s,]+/)
    .filter((entry) => entry !== '');
  return {
    proxyFor(url) {
      const proxy = proxies[url.protocol as 'http:' | 'https:'];
      // This machine is never reached through a proxy: the proxy would look for the model server on itself.
      if (proxy === undefined || isLoopbackHost(url.hostname)) return { ok: true, value: undefined };
      if (exceptions.some((entry) => isException(entry, url))) return { ok: true, value: undefined };
      if (!takesProxies(versions)) {
        return {
          ok: false,
          error: {
            kind: 'invalid_url',
            message: `${proxy.name} names a proxy, and Node ${versions['node']} cannot go through one. Use Node 24.5 or newer, or name the host in NO_PROXY`,
          },
        };
      }
      const parsed = URL.parse(proxy.value);
      if (parsed && (parsed.protocol === 'http:' || parsed.protocol === 'https:'))
        return { ok: true, value: proxy.value };
      return {
        ok: false,
        error: {
          kind: 'invalid_url',
          message: `the proxy in ${proxy.name} is not an http:// or https:// address`,
        },
      };
    },
  };
};

/** `*`, `host`, `.host`, `*.host`, each with or without a port; a plain name covers what lies below it, as for curl. */
const isException = (entry: string, url: URL): boolean => {
  if (entry === '*') return true;
  const [, name = '', port] = /^(\[[^\]]*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
  const ownPort = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (port !== undefined && port !== ownPort) return false;
  const host = url.hostname
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '');
  const bare = name.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
  if (bare === '') return false;
  return host === bare || host.endsWith(`.${bare}`);
};
