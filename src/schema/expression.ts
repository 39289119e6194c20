/**
 * The regular expressions of schemas. They are written by others (a server's tool, a client's answer), and an engine that goes
 * back and forth over a text (`(a+)+$`) can be stopped for ever by thirty characters. This one reads a text once: its time
 * grows with the text times the expression and no faster, and its steps are counted. It says what the language's own
 * engine says, and refuses what cannot be told that way: `\1` and its like.
 */
import { firstMatch, type Steps } from './expression/machine.ts';
import { parseExpression } from './expression/parse.ts';
import { SCHEMA_LIMITS } from './limits.ts';

export type { Steps };

export type Expression =
  /** Undefined where the steps do not reach. */
  | { kind: 'checked'; fits(text: string, steps?: Steps): boolean | undefined }
  /** It is one, and is not tried. */
  | { kind: 'refused'; because: string };

export const steps = (): Steps => ({ left: SCHEMA_LIMITS.checkSteps });

/** The last ones, since a schema is asked about for each value and each key. */
const kept = new Map<string, Expression | undefined>();

/** With and without the rules for Unicode: schemas are written for both. Undefined where it compiles under neither. */
export const expressionOf = (pattern: string): Expression | undefined => {
  if (kept.has(pattern)) return kept.get(pattern);
  const expression = read(pattern);
  if (kept.size >= SCHEMA_LIMITS.expressionsKept) kept.clear();
  kept.set(pattern, expression);
  return expression;
};

const read = (pattern: string): Expression | undefined => {
  if (pattern.length > SCHEMA_LIMITS.expressionCharacters) return { kind: 'refused', because: 'it is too long' };
  const flags = ['u', ''].find((each) => compiles(pattern, each));
  if (flags === undefined) return undefined;
  const parsed = parseExpression(pattern, flags === 'u');
  if (parsed.kind === 'refused') return parsed;
  const matches = firstMatch(parsed.part);
  if (matches === undefined) return { kind: 'refused', because: 'it has too many parts' };
  return {
    kind: 'checked',
    fits: (text, left = steps()) =>
      text.length > left.left ? undefined : matches(flags === 'u' ? codePoints(text) : codeUnits(text), left),
  };
};

const codeUnits = (text: string): Uint32Array => {
  const found = new Uint32Array(text.length);
  for (let at = 0; at < text.length; at += 1) found[at] = text.charCodeAt(at);
  return found;
};

const codePoints = (text: string): Uint32Array => {
  const found = new Uint32Array(text.length);
  let count = 0;
  for (let at = 0; at < text.length; count += 1) {
    const code = text.codePointAt(at) as number;
    found[count] = code;
    at += code > 0xffff ? 2 : 1;
  }
  return found.subarray(0, count);
};

/** This reads it alone. */
const compiles = (pattern: string, flags: string): boolean => {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
};
