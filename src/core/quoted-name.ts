/** A name as somebody gave it, in a sentence about it. */
import { LIMITS } from './limits.ts';
import { counted } from './number-text.ts';

/** In quotes, on one line; of a long one the beginning, and how long it is. */
export const quotedName = (name: string): string => {
  if (name.length <= LIMITS.quotedNameCharacters) return JSON.stringify(name);
  const beginning = name.slice(0, LIMITS.quotedNameCharacters).toWellFormed();
  return `${JSON.stringify(`${beginning}…`)} (${counted(name.length, 'character')})`;
};
