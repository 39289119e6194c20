/**
 * What a call names, in one spelling: a path without detours, an address as the network reads it. A rule that denies
 * `https://host/**` means the host, however a model writes it.
 */
import type { ToolEffects } from '../tool.ts';

/** Undefined for what looks like an address and is none; nothing can be fetched by it. */
export const placeOf = (value: string, effects: ToolEffects, purpose: 'allow' | 'deny'): string | undefined => {
  if (effects === 'read' || effects === 'write') return pathOf(value);
  const address = addressOf(value, purpose);
  if (address !== undefined) return address;
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(value.trim()) ? undefined : pathOf(value);
};

/** A pattern in the same spelling, so that `https://HOST` and `https://bücher.example:443/**` mean what they say. */
export const placePattern = (pattern: string, effects: ToolEffects): string => {
  if (effects === 'read' || effects === 'write') return pathPattern(pattern);
  const [, scheme = '', host = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(pattern) ?? [];
  if (scheme === '') return pattern;
  const plain = /[*?]/.test(host) ? host.toLowerCase().replace(/\.+(?=:|$)/, '') : plainHost(`${scheme}://${host}/`);
  const written = path.replaceAll(/[^\x21-\x7e]/gu, (character) => encodeURIComponent(character.toWellFormed()));
  return `${scheme.toLowerCase()}://${plain ?? host}${written.startsWith('/') ? written : `/${written}`}`;
};

/**
 * What a pattern that denies may mean, in the same spelling. On the network a host without a scheme (`evil.example`,
 * `*.evil.example/**`) or without a path (`https://evil.example`) is all of that host: whoever wrote it counts on it.
 */
export const deniedPlaces = (pattern: string, effects: ToolEffects): readonly string[] => {
  const written = placePattern(pattern, effects);
  if (effects === 'read' || effects === 'write') return [written];
  const [, scheme, host = '', port, path = ''] = HOST_PATTERN.exec(pattern.trim()) ?? [];
  const isWhole = path !== '' && path !== '/';
  if (host === '' || (scheme !== undefined && isWhole)) return [written];
  // `URL` is asked for the spelling of the host, which no star has.
  const spelled = placePattern(`https://${host}`, effects).slice('https://'.length, -1);
  const ports = port !== undefined || scheme !== undefined ? [port ?? ''] : ['', ':*'];
  return [
    written,
    ...ports.map((each) => `${scheme?.toLowerCase() ?? '*'}://${spelled}${each}${isWhole ? path : '/**'}`),
  ];
};

const HOST_PATTERN =
  /^(?:([a-z][a-z0-9+.-]*):\/\/)?((?:[\p{L}\p{N}*_-]+\.)+[\p{L}\p{N}*_-]+|localhost|\[[0-9a-f:.]+\])\.?(:(?:\d+|\*))?(\/.*)?$/iu;

export const isWebAddress = (value: string): boolean => /^\s*https?:/i.test(value);

/**
 * The pattern for everything on the host of an address. None for a host that a pattern would read as more than itself,
 * nor for an address that no rule about its host covers, because a name or a password stands before it.
 */
export const hostPattern = (value: string): string | undefined => {
  const text = value.trim();
  const host = isWebAddress(text) ? plainHost(text) : undefined;
  if (host === undefined || host === '' || /[*?]/.test(host)) return undefined;
  const { protocol, username, password } = new URL(text);
  return username === '' && password === '' ? `${protocol}//${host}/**` : undefined;
};

/** Schemes whose addresses `URL` takes apart, whatever stands between the colon and the host. */
const FETCHED: ReadonlySet<string> = new Set(['http:', 'https:', 'ws:', 'wss:', 'ftp:']);

/**
 * A name and a password before the host are no part of the place; a rule that allows never covers them. What stands
 * after `#` is not sent. A dot at the end of a host says only that the name is whole.
 */
const addressOf = (value: string, purpose: 'allow' | 'deny'): string | undefined => {
  const text = value.trim();
  const host = plainHost(text);
  if (host === undefined) return undefined;
  const url = new URL(text);
  if (purpose === 'allow' && (url.username !== '' || url.password !== '')) return url.href;
  return `${url.protocol}//${host}${plainEscapes(url.pathname)}${url.search}`;
};

const plainHost = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  if (!FETCHED.has(protocol) && !/^[^:]*:\/\//.test(text)) return undefined;
  return hostname.replace(/\.+$/, '') + (port === '' ? '' : `:${port}`);
};

/** `%61` is `a`: letters, digits and `-._~` mean the same escaped (RFC 3986, 6.2.2.2). */
const plainEscapes = (path: string): string =>
  path.replaceAll(/%[0-9a-f]{2}/gi, (written) => {
    const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : written.toUpperCase();
  });

/** `./docs/` is all of `docs`. What goes back over a star stays as it is: nobody can say where that leads. */
const pathPattern = (pattern: string): string => {
  if (/[*?][^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(pattern)) return pattern;
  const plain = pathOf(pattern);
  return pattern.endsWith('/') && plain !== '' && plain !== '/' ? `${plain}/**` : plain;
};

const pathOf = (value: string): string => {
  if (!/(?:^|\/)\.{0,2}(?:\/|$)/.test(value)) return value;
  const parts: string[] = [];
  for (const part of value.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return (value.startsWith('/') ? '/' : '') + parts.join('/');
};
