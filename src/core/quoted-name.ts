/** A name as somebody gave it, in a sentence about it. */
import { beginningOf } from './cut-text.ts';
import { visibleText } from './invisible.ts';
import { LIMITS } from './limits.ts';
import { counted } from './number-text.ts';

/** In quotes, on one line, nothing in it unseen; of a long one the beginning, and how long it is. */
export const quotedName = (name: string): string => {
  if (name.length <= LIMITS.quotedNameCharacters) return written(name);
  const beginning = beginningOf(name, LIMITS.quotedNameCharacters);
  return `${written(`${beginning}…`)} (${counted(name.length, 'character')})`;
};

const written = (name: string): string => visibleText(JSON.stringify(name));

const PLAIN = /^[\p{L}\p{N}._~+@%=:,/\\-]+$/u;
/** As it is where nothing in it can be misread, else as a name in quotes. */
export const plainOrQuoted = (path: string): string =>
  path.length <= LIMITS.quotedNameCharacters && PLAIN.test(path) ? path : quotedName(path);
