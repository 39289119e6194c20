/**
 * What an option may be, for a program that has no compiler: a text in place of a list of rules would hold nothing. What
 * is wrong is told with the whole path to it.
 */
import { isObject } from './json.ts';
import { LIMITS } from './limits.ts';
import type { ModelProvider } from './model-port.ts';
import { isLiteral, ownData } from './own-data.ts';
import { isPlain } from './shown-value.ts';
import { nearest } from './tool/nearest-names.ts';

/** What an option may be, in words, and where a value is something else. */
export type Kind = {
  readonly words: string;
  problem(value: unknown): Problem | undefined;
  /** The kinds of what lies in it, by name: `[]` for each of a list, `*` for each of an object of names. */
  readonly inside?: Readonly<Record<string, Kind>>;
};

/** What options may be, by their names. */
export type OptionKinds = Readonly<Record<string, Kind>>;

/** The kind of each field of a type: the compiler holds the one to the other, so that none is forgotten. */
export type KindsOf<T> = Readonly<Record<keyof Required<T>, Kind>>;

/** `path` leads into the value: `.temperature`, `[1]`, or nothing where the value itself is it. */
export type Problem =
  | { path: string; wanted: string; value: unknown; known?: readonly string[] }
  /** A name that nothing reads, beside those that something does. */
  | { path: string; unknown: string; known: readonly string[]; value: unknown };

const kind = (words: string, fits: (value: unknown) => boolean): Kind => ({
  words,
  problem: (value) => (fits(value) ? undefined : { path: '', wanted: words, value }),
});

export const fits = ({ problem }: Kind, value: unknown): boolean => problem(value) === undefined;
export const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** The same without what counts as absent. */
export const withoutAbsent = <T extends object>(given: T): T =>
  Object.fromEntries(Object.entries(given).filter(([, value]) => !isAbsent(value))) as T;

const isText = (value: unknown): value is string => typeof value === 'string';

export const anything = kind('anything', () => true);
export const text = kind('a text', isText);
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callback = kind('a function', (value) => typeof value === 'function');
/** An empty one says nothing, and would be taken for nothing. */
export const filled = kind('a text', (value) => isText(value) && value.trim() !== '');
export const list = kind('a list', Array.isArray);
export const record = kind('an object', isPlain);

const numberIn = (words: string, least: number, most: number): Kind =>
  kind(words, (value) => typeof value === 'number' && value >= least && value <= most);
export const wholeIn = (words: string, least: number, most = Number.MAX_SAFE_INTEGER): Kind =>
  kind(words, (value) => Number.isSafeInteger(value) && Number(value) >= least && Number(value) <= most);
export const share = numberIn('a number from 0 to 1', 0, 1);
export const numberFromZero = numberIn('a number from 0 on', 0, Number.MAX_VALUE);
export const finite = numberIn('a number', -Number.MAX_VALUE, Number.MAX_VALUE);
export const whole = wholeIn('a whole number', Number.MIN_SAFE_INTEGER);
export const fromZero = wholeIn('a whole number from 0 on', 0);
export const fromOne = wholeIn('a whole number from 1 on', 1);
export const milliseconds = numberIn(
  `milliseconds: a number above 0, at most ${LIMITS.timerMsMax}`,
  Number.MIN_VALUE,
  LIMITS.timerMsMax,
);

const isAddress = (text: string): boolean => /^https?:\/\//i.test(text) && URL.canParse(text);
/** Several with commas between are a pool. */
export const address = kind(
  'an address such as http://127.0.0.1:8080/v1',
  (value) => isText(value) && value.split(',').every((one) => isAddress(one.trim())),
);
/** Of another one no more is told than its beginning: there is a password in it. */
export const database: Kind = {
  words: 'an address such as postgres://halter@localhost/halter',
  problem: (value) =>
    isText(value) && /^postgres(?:ql)?:\/\/./.test(value)
      ? undefined
      : {
          path: '',
          wanted: database.words,
          value: isText(value) && value !== '' ? `${value.split(':', 1)[0]?.slice(0, 12)}…` : value,
        },
};

export const oneOf = (...words: readonly string[]): Kind => {
  const wanted = `one of: ${words.join(', ')}`;
  return {
    words: wanted,
    problem: (value) =>
      isText(value) && words.includes(value) ? undefined : { path: '', wanted, value, known: words },
  };
};

/** An instance of some class too. */
export const withMethods = (words: string, ...names: readonly PropertyKey[]): Kind =>
  kind(words, (value) => isObject(value) && names.every((name) => typeof Reflect.get(value, name) === 'function'));

/** What nobody can listen to would never be heard. */
export const signal = kind(
  'an AbortSignal',
  (value) => isObject(value) && 'aborted' in value && 'removeEventListener' in value,
);

export const PROVIDER = withMethods(
  'a provider (an object with stream, models, describe and close)',
  ...(['stream', 'models', 'describe', 'close'] as const satisfies readonly (keyof ModelProvider)[]),
);

/** What is wrong inside a value counts before that it is none of the other kinds. */
export const either = (...kinds: readonly Kind[]): Kind => {
  const words = (): string => kinds.map((each) => each.words).join(', or ');
  return {
    get words() {
      return words();
    },
    inside: Object.assign({}, ...kinds.map(({ inside }) => inside)),
    problem(value) {
      const problems = kinds.map((each) => each.problem(value));
      if (problems.includes(undefined)) return undefined;
      const inside = problems.find((problem) => problem?.path !== '' || 'unknown' in problem);
      const known = problems.flatMap((problem) => (problem && 'wanted' in problem ? (problem.known ?? []) : []));
      return inside ?? { path: '', wanted: words(), value, known };
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

export const listOf = (each: Kind, words: string): Kind => ({
  words,
  inside: { '[]': each },
  problem: (value) =>
    Array.isArray(value)
      ? // A list may have holes, which map passes over.
        firstInside(Array.from(value, (one: unknown, index) => [`[${index}]`, each, one] as const))
      : { path: '', wanted: words, value },
});
export const texts = listOf(text, 'a list of texts');

const step = (name: string): string => (/^[\w$]+$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/** An object of names with a value of that kind each. */
export const recordOf = (each: Kind): Kind => {
  const words = `an object with ${each.words} for each name`;
  return {
    words,
    inside: { '*': each },
    problem: (value) =>
      isPlain(value)
        ? firstInside(Object.entries(value).flatMap(([name, one]) => (isAbsent(one) ? [] : [[step(name), each, one]])))
        : { path: '', wanted: words, value },
  };
};

type ObjectRules<N extends string> = {
  /** Have to be there. Default: none. */
  required?: readonly NoInfer<N>[];
  /** Default: the names with what each may be, where they are not too many to list. */
  words?: string;
  /** Other names: a slip, a slip where they are near to one of these, or somebody else's matter. Default: `refused`. */
  others?: 'refused' | 'refused_if_near' | 'taken';
};

/** An object with some of these names, each of its kind. What is undefined or null counts as absent. */
export const objectOf = <N extends string>(
  kinds: Readonly<Record<N, Kind>>,
  { required = [], words: given, others = 'refused' }: ObjectRules<N> = {},
): Kind => {
  const known: Readonly<Record<string, Kind>> = kinds;
  const names = Object.keys(known);
  // Only where something is wrong: the words of all options together are long.
  const words = (): string =>
    given ?? `an object with ${names.map((name) => `${name} (${known[name]?.words})`).join(', ')}`;
  const isSlip = (name: string): boolean =>
    !Object.hasOwn(known, name) &&
    (others === 'refused' || (others === 'refused_if_near' && nearest(name, names).length > 0));
  return {
    get words() {
      return words();
    },
    inside: known,
    problem(value) {
      if (!isPlain(value)) return { path: '', wanted: words(), value };
      const entries = Object.entries(value).filter(([, one]) => !isAbsent(one));
      const slip = entries.find(([name]) => isSlip(name));
      if (slip !== undefined) return { path: '', unknown: slip[0], known: names, value: slip[1] };
      const present = entries.filter(([name]) => Object.hasOwn(known, name));
      const missing = required.filter((name) => isAbsent(value[name])).map((name) => [name, value[name]] as const);
      return firstInside([...present, ...missing].map(([name, one]) => [step(name), known[name] as Kind, one]));
    },
  };
};

/** The same as a value of its own, without what is null, as far in as the kinds lead. */
export const ownWithoutNulls = <T>(value: T, inside: OptionKinds | undefined): T => {
  if (inside === undefined) return ownData(value);
  if (Array.isArray(value)) return value.map((one) => ownWithoutNulls(one, inside['[]']?.inside)) as T;
  if (!isPlain(value) || !isLiteral(value)) return value;
  const present = Object.entries(value)
    .filter(([, one]) => one !== null)
    .map(([name, one]) => [name, ownWithoutNulls(one, (inside[name] ?? inside['*'])?.inside)]);
  return Object.fromEntries(present) as T;
};

/** An object of what JSON can say. */
export const jsonRecord: Kind = {
  words: record.words,
  problem: (value) => record.problem(value) ?? jsonProblem(value, []),
};

const jsonProblem = (value: unknown, around: readonly unknown[]): Problem | undefined => {
  if (value === null || isText(value) || typeof value === 'boolean' || Number.isFinite(value)) return undefined;
  if (around.includes(value)) return { path: '', wanted: 'a value that does not hold itself', value };
  if (around.length > LIMITS.returnedDepth)
    return { path: '', wanted: `a value of at most ${LIMITS.returnedDepth} levels`, value };
  const inside: Kind = { words: 'a JSON value', problem: (one) => jsonProblem(one, [...around, value]) };
  if (Array.isArray(value)) return listOf(inside, inside.words).problem(value);
  return isPlain(value) ? recordOf(inside).problem(value) : { path: '', wanted: inside.words, value };
};
