/** Values of a program that nothing can write down: a walk through them would never end, or end the engine's stack. */
import { LIMITS } from './limits.ts';
import { isPlain } from './shown-value.ts';

/** Where such a part lies and what is wrong with it, in words: `tree.left holds itself`. */
export const nestingProblem = (value: unknown, place: string): string | undefined => problemIn(value, place, []);

const problemIn = (value: unknown, place: string, around: readonly unknown[]): string | undefined => {
  const isList = Array.isArray(value);
  if (!isList && !isPlain(value)) return undefined;
  if (around.includes(value)) return `${place} holds itself`;
  if (around.length > LIMITS.returnedDepth) return `it is deeper than ${LIMITS.returnedDepth} levels`;
  for (const [key, one] of Object.entries(value)) {
    const found = problemIn(one, isList ? `${place}[${key}]` : `${place}.${key}`, [...around, value]);
    if (found !== undefined) return found;
  }
  return undefined;
};
