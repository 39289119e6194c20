/** Every dialect there is, and all of them at once. */
import { autoOf } from './auto.ts';
import type { Grammar } from './engine/grammar.ts';
import { GRAMMARS } from './registry.ts';

/** For text of which nobody knows how its calls are written. */
export const auto = autoOf(GRAMMARS);
/** Labels that are words mark no call of another notation as text, so these dialects read the marks of all. */
const withMarks = (grammar: Grammar): Grammar =>
  grammar.lines === undefined ? grammar : { ...grammar, calls: auto.calls, channels: auto.channels ?? [] };
const byName = new Map([...GRAMMARS, auto].map((grammar) => [grammar.name, withMarks(grammar)]));

/** Every dialect there is; `auto` is all of them at once. */
export const dialectNames = (): string[] => [...byName.keys()];

/** Throws for a dialect that does not exist. */
export const grammarOf = (dialect: string): Grammar => {
  const grammar = byName.get(dialect);
  if (grammar === undefined) throw new RangeError(`There is no dialect "${dialect}".`);
  return grammar;
};
