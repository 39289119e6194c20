/** Which requests go through a proxy: the person's variables, read once, in the way that curl and others read them. */
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure } from '../../core/ports.ts';
import { isLoopbackHost } from './address.ts';

type Environment = Readonly<Record<string, string | undefined>>;

export type ProxyChoice = {
  /** The proxy's address, or undefined for the direct way. A proxy that is no address is a failure, not passed over. */
  proxyFor(url: URL): Outcome<string | undefined, HttpFailure>;
};

export const chooseProxy = (environment: Environment): ProxyChoice => {
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
