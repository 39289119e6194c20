/**
 * What an option may be, for a program that has no compiler: a text in place of a list of rules would hold nothing. What
 * is wrong is told with the whole path to it.
 */
import { isObject } from '../../core/json.ts';

/** What an option may be, in words, and where a value is something else. */
export type Kind = { readonly words: string; problem(value: unknown): Problem | undefined };

/** `path` leads into the value: `.temperature`, `[1]`, or nothing where the value itself is it. */
export type Problem =
  | { path: string; wanted: string; value: unknown }
  /** A name that nothing reads, beside those that something does. */
  | { path: string; unknown: string; known: readonly string[]; value: unknown };

const kind = (words: string, fits: (value: unknown) => boolean): Kind => ({
  words,
  problem: (value) => (fits(value) ? undefined : { path: '', wanted: words, value }),
});

export const fits = ({ problem }: Kind, value: unknown): boolean => problem(value) === undefined;
export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

const isText = (value: unknown): value is string => typeof value === 'string';

export const anything = kind('anything', () => true);
export const text = kind('a text', isText);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callback = kind('a function', (value) => typeof value === 'function');
export const list = kind('a list', Array.isArray);
export const record = kind('an object', isObject);
export const number = kind('a number', (value) => typeof value === 'number' && !Number.isNaN(value));
export const positive = kind('a number above 0', (value) => typeof value === 'number' && value > 0);
export const signal = kind('an AbortSignal', (value) => isObject(value) && 'aborted' in value);

export const oneOf = (...words: readonly string[]): Kind =>
  kind(`one of: ${words.join(', ')}`, (value) => isText(value) && words.includes(value));

/** What is wrong inside a value counts before that it is none of the other kinds. */
export const either = (...kinds: readonly Kind[]): Kind => {
  const words = kinds.map((each) => each.words).join(', or ');
  return {
    words,
    problem(value) {
      const problems = kinds.map((each) => each.problem(value));
      if (problems.includes(undefined)) return undefined;
      return (
        problems.find((problem) => problem?.path !== '' || 'unknown' in problem) ?? { path: '', wanted: words, value }
      );
    },
  };
};

/** The first problem of what lies in the value, with the way to it. */
const firstInside = (
  entries: readonly (readonly [path: string, kind: Kind, value: unknown])[],
): Problem | undefined => {
  for (const [path, each, value] of entries) {
    const problem = each.problem(value);
    if (problem !== undefined) return { ...problem, path: `${path}${problem.path}` };
  }
  return undefined;
};

const listOf = (each: Kind, words: string): Kind => ({
  words,
  problem: (value) =>
    Array.isArray(value)
      ? firstInside(value.map((one, index) => [`[${index}]`, each, one]))
      : { path: '', wanted: words, value },
});
export const texts = listOf(text, 'a list of texts');

const step = (name: string): string => (/^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/** An object of names with a value of that kind each. */
export const recordOf = (each: Kind): Kind => {
  const words = `an object with ${each.words} for each name`;
  return {
    words,
    problem: (value) =>
      isObject(value)
        ? firstInside(Object.entries(value).flatMap(([name, one]) => (isAbsent(one) ? [] : [[step(name), each, one]])))
        : { path: '', wanted: words, value },
  };
};

/** An object with some of these names, each of its kind, and with all of `required`. `inWords`: where they are too many to list. */
export const objectOf = <N extends string>(
  kinds: Readonly<Record<N, Kind>>,
  required: readonly N[] = [],
  inWords?: string,
): Kind => {
  const known: Readonly<Record<string, Kind>> = kinds;
  const named = Object.entries<Kind>(kinds).map(([name, each]) => `${name} (${each.words})`);
  const words = inWords ?? `an object with ${named.join(', ')}`;
  return {
    words,
    problem(value) {
      if (!isObject(value)) return { path: '', wanted: words, value };
      const given = Object.entries(value).filter(([, one]) => !isAbsent(one));
      const odd = given.find(([name]) => !Object.hasOwn(known, name));
      if (odd !== undefined) return { path: '', unknown: odd[0], known: Object.keys(known), value: odd[1] };
      const asked = required.filter((name) => isAbsent(value[name])).map((name) => [name, value[name]] as const);
      return firstInside([...given, ...asked].map(([name, one]) => [step(name), known[name] as Kind, one]));
    },
  };
};

/** How a value is shown in the message about it: never the inside of one, which may hold a key. */
export const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  return isText(value) ? JSON.stringify(value) : String(value);
};
