/** Whether a rule that denies a file means the one that a call names, however either of them spells it. */
import { matchesGlob } from './glob.ts';
import { pathPattern } from './places.ts';

/** One name of a file, with `/` between its parts. */
export type FilePlace = {
  /** Relative to the workspace; the whole path of what lies outside. */
  name: string;
  absolute: string;
};

/** Read from the disk by whoever judges a call. */
export type FilePlaces = {
  /** Every name of what a text means as a path, over each link on the way; none for what is no path. */
  of(text: string): readonly FilePlace[];
  /** The disk takes capitals for small letters. */
  foldsCase?: boolean;
};

export const deniesFile = (
  pattern: string,
  value: string,
  places: FilePlaces,
  matches: (pattern: string, text: string) => boolean = matchesGlob,
): boolean => {
  const named = places.of(value);
  if (named.length === 0) return false;
  const fold = (text: string): string => (places.foldsCase === true ? text.normalize('NFC').toLowerCase() : text);
  if (pattern.startsWith('=')) {
    const meant = places.of(pattern.slice(1)).map(({ absolute }) => fold(absolute));
    return named.some(({ absolute }) => meant.includes(fold(absolute)));
  }
  const written = pathPattern(pattern);
  const whole = wholePatterns(written, places).map(fold);
  return named.some(
    ({ name, absolute }) => matches(fold(written), fold(name)) || whole.some((each) => matches(each, fold(absolute))),
  );
};

/** A pattern by whole paths: what stands before its first star may be a link or a detour itself. */
export const wholePatterns = (pattern: string, places: FilePlaces): string[] => {
  const parts = pattern.split('/');
  const star = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = (star < 0 ? parts : parts.slice(0, star)).join('/');
  const open = star < 0 ? '' : `/${parts.slice(star).join('/')}`;
  const top = fixed === '' ? (pattern.startsWith('/') ? '/' : '.') : fixed;
  return places.of(top).map(({ absolute }) => `${absolute.replace(/\/$/, '')}${open}` || '/');
};
