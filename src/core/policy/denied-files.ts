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
  /** Whether capitals are taken for small letters on the way to a file, by its whole path. */
  foldsCase?(absolute: string): boolean;
};

export const deniesFile = (
  pattern: string,
  value: string,
  places: FilePlaces,
  matches: (pattern: string, text: string) => boolean = matchesGlob,
): boolean => {
  const named = places.of(value);
  if (named.length === 0) return false;
  const meant = pattern.startsWith('=') ? places.of(pattern.slice(1)).map(({ absolute }) => absolute) : [];
  const written = pathPattern(pattern);
  const whole = pattern.startsWith('=') ? [] : wholePatterns(written, places);
  const means = ({ name, absolute }: FilePlace, as: (text: string) => string): boolean =>
    pattern.startsWith('=')
      ? meant.some((each) => as(each) === as(absolute))
      : matches(as(written), as(name)) || whole.some((each) => matches(as(each), as(absolute)));
  // The disk is asked only where it makes a difference.
  return named.some(
    (place) => means(place, asWritten) || (means(place, folded) && places.foldsCase?.(place.absolute) === true),
  );
};

const asWritten = (text: string): string => text;
const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** A pattern by whole paths: what stands before its first star may be a link or a detour itself. */
export const wholePatterns = (pattern: string, places: FilePlaces): string[] => {
  const parts = pattern.split('/');
  const star = parts.findIndex((part) => /[*?]/.test(part));
  const fixed = (star < 0 ? parts : parts.slice(0, star)).join('/');
  const open = star < 0 ? '' : `/${parts.slice(star).join('/')}`;
  const top = fixed === '' ? (pattern.startsWith('/') ? '/' : '.') : fixed;
  return places.of(top).map(({ absolute }) => `${absolute.replace(/\/$/, '')}${open}` || '/');
};
