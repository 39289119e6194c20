/** How far a star in a rule for a command reaches: within a word, and behind an address. */
import { pathReadings } from '../../../core/policy/address-readings.ts';
import { matchesWildcard } from '../../../core/policy/glob.ts';
import { baseName } from './wrappers.ts';

const ADDRESS = /^([a-z][a-z0-9+.-]*):\/\/([^/]*)(\/.*)?$/is;
const LEADS_UP = /(?:^|\/)\.\.(?:\/|$)/;

/** A star in a path does not lead back up, and one in an address stays on the host that the rule names. */
export const fitsWord = (part: string, word: string): boolean => {
  if (!matchesWildcard(part, word)) return false;
  if (part === word) return true;
  const [, , host, path] = ADDRESS.exec(part) ?? [];
  if (host !== undefined) return fitsAddress(host, path, word);
  return !part.includes('/') || LEADS_UP.test(part) || !LEADS_UP.test(word);
};

const fitsAddress = (host: string, path: string | undefined, word: string): boolean => {
  // curl makes several addresses of braces, and every program a slash of a backslash.
  if (/[\\{}[\]]/.test(word) || LEADS_UP.test(word.replace(/[?#].*$/s, '')) || !URL.canParse(word)) return false;
  const { host: asked, hostname, username, password, pathname, search, hash } = new URL(word);
  if (username !== '' || password !== '' || pathReadings(pathname).climbs) return false;
  // What is asked for, when the address is resolved.
  if (path !== undefined && !matchesWildcard(path, `${pathname}${search}${hash}`)) return false;
  // `https://docs.test*` says where the name ends.
  const named = /[^*?]\*+$/.test(host) && !host.includes(':') ? host.replace(/\*+$/, '') : host;
  return matchesWildcard(named.toLowerCase(), named.includes(':') ? asked : hostname);
};

/** Of a rule that names an address, its last star stands for no other one. */
export const strayAddress = (fixed: readonly string[], words: readonly string[]): string | undefined => {
  if (!fixed.some((part) => ADDRESS.test(part))) return undefined;
  const fetches = /^(?:curl|wget)$/.test(baseName(words[0] ?? ''));
  return words.find((word, at) => {
    if (at < fixed.length || word.startsWith('-')) return false;
    if (ADDRESS.test(word)) return true;
    return fetches && !isValue(words[at - 1] ?? '', word);
  });
};

/** curl takes every word for an address that is no value of an option. */
const isValue = (before: string, word: string): boolean => {
  if (before.startsWith('--')) return !HOST.test(word);
  return /^-[A-Za-z]*[HXAmeuUr]$/.test(before);
};
const HOST = /^(?:[\w-]+\.)+[a-z][\w-]*(?:[:/?#]|$)|^localhost\b|^\[/i;
