/** JSON of strangers: JSON.parse takes any depth, and what walks the value afterwards does not. */
import type { JsonValue } from './json.ts';
import { DIALECT_LIMITS } from './limits/dialect-limits.ts';

/** Brackets within brackets, counted in one pass. */
export const isNestedDeeper = (text: string, levels: number = DIALECT_LIMITS.depth): boolean => {
  let depth = 0;
  let inString = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (inString) {
      if (code === 92) index++;
      else if (code === 34) inString = false;
    } else if (code === 34) inString = true;
    else if (code === 91 || code === 123) {
      depth++;
      if (depth > levels) return true;
    } else if (code === 93 || code === 125) depth--;
  }
  return false;
};

/** Why it is not read. */
export const TOO_DEEP = `it is nested more than ${DIALECT_LIMITS.depth} levels deep`;

/** JSON.parse for what is walked afterwards. Throws SyntaxError where it is nested too deeply, too. */
export const parseNested = (text: string): JsonValue => {
  if (isNestedDeeper(text)) throw new SyntaxError(TOO_DEEP);
  return JSON.parse(text) as JsonValue;
};

/** The same of a value that others have read. */
export const isDeepValue = (given: unknown, levels: number = DIALECT_LIMITS.depth): boolean => {
  const open: (readonly [value: unknown, depth: number])[] = [[given, 1]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [value, depth] = next;
    if (typeof value !== 'object' || value === null) continue;
    if (depth > levels) return true;
    for (const inner of Object.values(value)) open.push([inner, depth + 1]);
  }
  return false;
};
