/**
 * What servers may make of the path of an address. One decodes `%2f` once, another twice, one takes a backslash for a
 * slash, one leaves out what follows `;`. A rule that allows covers an address only where it covers it in every reading; a
 * rule that denies, where it holds in one.
 */
import { LIMITS } from '../limits.ts';

/** Letters, digits and `-._~` mean the same escaped (RFC 3986, 6.2.2.2); what no address holds as it is stands escaped. */
export const plainEscapes = (text: string): string =>
  text
    .replaceAll(/%[0-9a-f]{2}/gi, (written) => {
      const character = String.fromCharCode(Number.parseInt(written.slice(1), 16));
      return /[\w.~-]/.test(character) ? character : written.toUpperCase();
    })
    .replaceAll(/%(?![0-9a-f]{2})/gi, '%25')
    .replaceAll(/[^\w.~!$&()*+,;=:@%/?-]+/gu, (characters) =>
      encodeURIComponent(characters.toWellFormed()).replaceAll("'", '%27'),
    );

/** `.` and `..` as every client resolves them before it asks. An empty part is a part. */
export const withoutDots = (path: string): string => {
  if (!/\/\.\.?(?:\/|$)/.test(path)) return path;
  const parts: string[] = [];
  const written = path.split('/').slice(1);
  for (const [index, part] of written.entries()) {
    const isLast = index === written.length - 1;
    if (part === '..') parts.pop();
    if (part !== '..' && part !== '.') parts.push(part);
    else if (isLast) parts.push('');
  }
  return `/${parts.join('/')}`;
};

export type PathReadings = {
  /** In one spelling each, the path as it is asked for first. */
  readings: readonly string[];
  /** In one of them it leads back up: nobody can say from where the server counts. */
  climbs: boolean;
};

export const pathReadings = (path: string): PathReadings => {
  const readings = [plainEscapes(path)];
  if (!/[%;\\]|\/\/|[^\x21-\x7e]/.test(path)) return { readings, climbs: false };
  const { texts, isWhole } = everyReading(path);
  return {
    readings: [...new Set([...readings, ...texts.map((text) => plainEscapes(starsEscaped(withoutDots(text))))])],
    climbs: !isWhole || texts.some((text) => CLIMBS.test(text)),
  };
};
const CLIMBS = /(?:^|\/)\.\.(?:\/|$)/;

/** A pattern as it reads when it is decoded as often: `group%2Fname/**` is `group/name/**` to a server that decodes. */
export const patternForms = (pattern: string): readonly string[] => {
  const forms = [pattern];
  for (let round = 0; round < LIMITS.addressDecodings; round += 1) {
    const next = plainEscapes(decodeOnce(forms.at(-1) as string));
    if (forms.includes(next)) break;
    forms.push(next);
  }
  return forms;
};

/** All that the steps make of it, in any order and any number. */
const everyReading = (path: string): { texts: readonly string[]; isWhole: boolean } => {
  const found = new Set([path]);
  for (const text of found) {
    for (const step of STEPS) found.add(step(text));
    if (found.size > LIMITS.addressReadings) return { texts: [...found], isWhole: false };
  }
  return { texts: [...found], isWhole: true };
};

/** A star or a question mark of an address is itself, so both stay escaped. */
const decodeOnce = (path: string): string =>
  path
    .replaceAll(/%u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)))
    .replaceAll(OVERLONG, overlong)
    .replaceAll(/(?:%(?!2a|3f)[0-9a-f]{2})+/gi, decodeRun);

/** A character in more bytes than it needs, as lenient decoders read it: `%c0%af` is a slash. */
const OVERLONG = /%c([01])%([0-9a-f]{2})|%(?:e0|f0%80)%([89ab][0-9a-f])%([89ab][0-9a-f])/gi;
const overlong = (_: string, head?: string, tail?: string, high = '', low = ''): string => {
  const lowBits = Number.parseInt(tail ?? low, 16) & 0x3f;
  const highBits = Number.parseInt(head ?? high, 16) & (head === undefined ? 0x3f : 1);
  return String.fromCharCode(highBits * 64 + lowBits);
};

const decodeRun = (run: string): string => {
  try {
    return decodeURIComponent(run);
  } catch {
    return run.replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  }
};

const starsEscaped = (text: string): string => text.replaceAll('*', '%2A').replaceAll('?', '%3F');
/** Signs that are taken for those they look like, and what some readers leave out. */
const likeSigns = (text: string): string =>
  text
    .normalize('NFKC')
    .replaceAll(/[\u2215\u2044\u29f8]/g, '/')
    .replaceAll(/[\u2216\u29f5]/g, '\\')
    .replaceAll(/[^\P{C}]/gu, '')
    .replaceAll(/(?<=\/) *(\.\.?) *(?=\/|$)/g, '$1');

const STEPS: readonly ((text: string) => string)[] = [
  decodeOnce,
  likeSigns,
  (text) => text.replaceAll('\\', '/'),
  (text) => text.replaceAll(/;[^/]*/g, ''),
  (text) => text.replaceAll(/\/{2,}/g, '/'),
];
