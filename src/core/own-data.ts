/** What a program hands in stays the program's: what it changes afterwards changes nothing here. */
import { LIMITS } from './limits.ts';

/**
 * A copy of lists and of objects with nothing but data. What has functions (a tool, a provider, a schema of another library)
 * and what is of a class stays itself, since it may go by what it is.
 */
export const ownData = <T>(value: T): T => copied(value, 0, new Map()) as T;

/** `made`: the copies by what they are of, so that what stands in several places is copied once. */
const copied = (value: unknown, depth: number, made: Map<object, unknown>): unknown => {
  if (depth > LIMITS.returnedDepth || typeof value !== 'object' || value === null) return value;
  if (made.has(value)) return made.get(value);
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    made.set(value, list);
    for (const one of value) list.push(copied(one, depth + 1, made));
    return list;
  }
  if (!isLiteral(value) || Object.values(value).some((one) => typeof one === 'function')) return value;
  const entries = Object.entries(value);
  const object: Record<string, unknown> = Object.fromEntries(entries);
  made.set(value, object);
  for (const [name, one] of entries) {
    // A key may be `__proto__`, which an assignment would take for the prototype.
    Object.defineProperty(object, name, {
      value: copied(one, depth + 1, made),
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
  return object;
};

export const isLiteral = (value: object): boolean => [Object.prototype, null].includes(Object.getPrototypeOf(value));
