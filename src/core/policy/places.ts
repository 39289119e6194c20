/**
 * What a call names, in one spelling: a path without detours, an address as the network reads it. A rule that denies
 * `https://host/**` means the host, however a model writes it.
 */
import type { ToolEffects } from '../tool.ts';
import { pathReadings, patternForms, plainEscapes, withoutDots } from './address-readings.ts';
import { matchesGlob } from './glob.ts';
import { otherSpellings } from './host-spellings.ts';

/** Undefined for what looks like an address and is none; nothing can be fetched by it. */
export const placeOf = (value: string, effects: ToolEffects): string | undefined =>
  readPlace(value, effects, 'deny')?.places[0];

/** Whether a pattern that allows covers a place, in whatever way the other side reads it. */
export const coversPlace = (pattern: string, value: string, effects: ToolEffects): boolean => {
  const read = readPlace(value, effects, 'allow');
  const [first, ...others] = read?.places ?? [];
  if (read === undefined || first === undefined) return false;
  const written = placePattern(pattern, effects);
  if (!matchesGlob(written, first) || !meansPort(written, first)) return false;
  if (others.length === 0 && read.top === undefined) return true;
  const forms = patternForms(written);
  // What may lead back up is covered where all of its host is.
  if (read.top !== undefined && !matchesGlob(written, read.top)) return false;
  return others.every((place) => forms.some((form) => matchesGlob(form, place)));
};

/** Whether a pattern that denies holds in one of these ways. */
export const deniesPlace = (pattern: string, value: string, effects: ToolEffects): boolean => {
  const { places } = readPlace(value, effects, 'deny') ?? { places: [] };
  return deniedPlaces(pattern, effects)
    .flatMap(onEveryHost)
    .some((each) => places.some((place) => matchesGlob(each, place)));
};

/** A pattern on each of the hosts that its own one may be called. */
const onEveryHost = (pattern: string): readonly string[] => {
  const [, scheme = '', host = '', port = '', path = ''] =
    /^([^/]*:\/\/)([^/]*?)(:(?:\d+|\*))?(\/.*)$/s.exec(pattern) ?? [];
  return [pattern, ...(host === '' ? [] : otherSpellings(host, false).map((each) => `${scheme}${each}${port}${path}`))];
};

/** A star within the name of a host stands for no port: `https://docs.*` says nothing about `docs.test:8443`. */
const meansPort = (pattern: string, place: string): boolean => {
  const [, host = ''] = HOST.exec(place) ?? [];
  const [, named = '*'] = HOST.exec(pattern) ?? [];
  return !/:\d+$/.test(host) || /^\*+$/.test(named) || /:[\d*?]+$/.test(named);
};
const HOST = /^[^/]*:\/\/([^/]*)/;

/** `top`: the top of its host, where its path may lead back up. */
type ReadPlace = { places: readonly string[]; top?: string };

const readPlace = (value: string, effects: ToolEffects, purpose: 'allow' | 'deny'): ReadPlace | undefined => {
  if (effects === 'read' || effects === 'write') return { places: [pathOf(value)] };
  const text = value.trim();
  const host = plainHost(text);
  if (host !== undefined) return addressOf(new URL(text), host, purpose);
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? undefined : { places: [pathOf(value)] };
};

/** A pattern in the same spelling, so that `https://HOST` and `https://bücher.example:443/**` mean what they say. */
const placePattern = (written: string, effects: ToolEffects): string => {
  if (effects === 'read' || effects === 'write') return pathPattern(written);
  const pattern = /^\s*(?:https?|wss?|ftp):/i.test(written) ? written.trim().replaceAll('\\', '/') : written;
  const [, scheme = '', host = '', path = ''] = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is.exec(pattern) ?? [];
  if (scheme === '') return pattern;
  const plain = /[*?]/.test(host) ? plainLabels(host) : plainHost(`${scheme}://${host}/`);
  return `${scheme.toLowerCase()}://${plain ?? host}${addressPath(path.startsWith('/') ? path : `/${path}`)}`;
};

/** Of a host with stars, the labels without one as the network spells them. */
const plainLabels = (host: string): string =>
  host
    .toLowerCase()
    .replace(/\.+(?=:|$)/, '')
    .replaceAll(/[^.:*?]*[^\x21-\x7e.:*?][^.:*?]*/gu, (label, at: number) =>
      /[*?]/.test(`${host[at - 1] ?? ''}${host[at + label.length] ?? ''}`)
        ? label
        : (plainHost(`https://${label}/`) ?? label),
    );

/** What goes back over a star stays as it is: nobody can say where that leads. */
const addressPath = (path: string): string => {
  const [plain = '', ...query] = plainEscapes(path).split('?');
  const resolved = /\*[^/]*\/(?:.*\/)?\.\.(?:\/|$)/.test(plain) ? plain : withoutDots(plain);
  return [resolved, ...query].join('?');
};

/**
 * What a pattern that denies may mean, in the same spelling. On the network a host without a scheme (`evil.example`,
 * `*.evil.example/**`) or without a path (`https://evil.example`) is all of that host: whoever wrote it counts on it.
 */
const deniedPlaces = (pattern: string, effects: ToolEffects): readonly string[] => {
  const written = placePattern(pattern, effects);
  if (effects === 'read' || effects === 'write') return [written];
  const [, scheme, host = '', port, path = ''] = HOST_PATTERN.exec(pattern.trim()) ?? [];
  const isWhole = path !== '' && path !== '/';
  if (host === '' || (scheme !== undefined && isWhole)) return merged(written);
  // `URL` is asked for the spelling of the host, which no star has.
  const spelled = placePattern(`https://${host}`, effects).slice('https://'.length, -1);
  const ports = port !== undefined || scheme !== undefined ? [port ?? ''] : ['', ':*'];
  return [
    ...merged(written),
    ...ports.map((each) => `${scheme?.toLowerCase() ?? '*'}://${spelled}${each}${isWhole ? addressPath(path) : '/**'}`),
  ];
};

/** An empty part of a path is mostly taken for none. */
const merged = (pattern: string): readonly string[] => [
  ...new Set([pattern, pattern.replaceAll(/(?<!:)\/{2,}/g, '/')]),
];

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
const addressOf = (url: URL, host: string, purpose: 'allow' | 'deny'): ReadPlace | undefined => {
  if (purpose === 'allow' && (url.username !== '' || url.password !== '')) return undefined;
  const top = `${url.protocol}//${host}/`;
  const { readings, climbs } = pathReadings(url.pathname);
  const tops =
    purpose === 'deny' ? [top, ...otherSpellings(host, true).map((each) => `${url.protocol}//${each}/`)] : [top];
  const places = tops.flatMap((each) =>
    readings.map((path) => `${each}${path.replace('/', '')}${plainEscapes(url.search)}`),
  );
  return climbs ? { places, top } : { places };
};

const plainHost = (text: string): string | undefined => {
  if (!URL.canParse(text)) return undefined;
  const { protocol, hostname, port } = new URL(text);
  if (!FETCHED.has(protocol) && !/^[^:]*:\/\//.test(text)) return undefined;
  return hostname.replace(/\.+$/, '') + (port === '' ? '' : `:${port}`);
};

/** `./docs/` is all of `docs`. What goes back over a star stays as it is: nobody can say where that leads. */
export const pathPattern = (pattern: string): string => {
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
