/** Whether a rule that allows a file, which covers the name that a call has for it, covers the file that this leads to. */
import { type FilePlaces, wholePatterns } from './denied-files.ts';
import { matchesGlob } from './glob.ts';
import { pathPattern } from './places.ts';

/**
 * Where the name leads over links has to be covered as well: `docs/**` says nothing of what `docs/x` may lead to. A link that
 * the rule itself names is what its writer meant.
 */
export const coversTarget = (
  pattern: string,
  value: string,
  places: FilePlaces,
  matches: (pattern: string, text: string) => boolean = matchesGlob,
): boolean => {
  if (pattern.startsWith('=')) return true;
  const named = places.of(value);
  // Most names lead to themselves.
  if (new Set(named.map(({ absolute }) => absolute)).size <= 1) return true;
  const written = pathPattern(pattern);
  const whole = wholePatterns(written, places);
  return named.every(({ name, absolute }) => matches(written, name) || whole.some((each) => matches(each, absolute)));
};
