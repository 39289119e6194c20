/** What a program hands in stays the program's: what it changes afterwards changes nothing here. */
import { LIMITS } from './limits.ts';

/**
 * A copy of lists and of objects with nothing but data. What has functions (a tool, a provider, a schema of another library)
 * and what is of a class stays itself, since it may go by what it is.
 */
export const ownData = <T>(value: T, depth = 0): T => {
  if (depth > LIMITS.returnedDepth || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => ownData(one, depth + 1)) as T;
  if (!isLiteral(value) || Object.values(value).some((one) => typeof one === 'function')) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, ownData(one, depth + 1)])) as T;
};

export const isLiteral = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));
