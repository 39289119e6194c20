/** What an option may be, for a program that has no compiler: a text in place of a list of rules would hold nothing. */

/** Says what a value must be where it is something else. */
export type Kind = (value: unknown) => string | undefined;

const kind =
  (words: string, fits: (value: unknown) => boolean): Kind =>
  (value) =>
    fits(value) ? undefined : words;

const isText = (value: unknown): value is string => typeof value === 'string';

export const anything: Kind = () => undefined;
export const text = kind('a text', isText);
export const texts = kind('a list of texts', (value) => Array.isArray(value) && value.every(isText));
export const flag = kind('true or false', (value) => typeof value === 'boolean');
export const callback = kind('a function', (value) => typeof value === 'function');
export const list = kind('a list', Array.isArray);
export const record = kind(
  'an object',
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
export const number = kind('a number', (value) => typeof value === 'number' && !Number.isNaN(value));
export const positive = kind('a number above 0', (value) => typeof value === 'number' && value > 0);
export const signal = kind('an AbortSignal', (value) => record(value) === undefined && 'aborted' in (value as object));

export const oneOf = (...words: readonly string[]): Kind =>
  kind(`one of: ${words.join(', ')}`, (value) => isText(value) && words.includes(value));

export const either = (...kinds: readonly Kind[]): Kind => {
  return (value) => {
    const wanted = kinds.map((each) => each(value));
    return wanted.includes(undefined) ? undefined : wanted.join(', or ');
  };
};

/** An object of names with a value of that kind each. */
export const recordOf = (each: Kind): Kind => {
  const words = `an object with ${each(undefined) ?? 'a value'} for each name`;
  return kind(
    words,
    (value) => record(value) === undefined && Object.values(value as object).every((one) => each(one) === undefined),
  );
};

/** An object with some of these names, each of its kind. */
export const objectOf = (kinds: Readonly<Record<string, Kind>>): Kind => {
  const words = Object.entries(kinds).map(([name, each]) => `${name} (${each(undefined)})`);
  return kind(`an object with some of: ${words.join(', ')}`, (value) => {
    if (record(value) !== undefined) return false;
    const given = Object.entries(value as object).filter(([, one]) => one !== undefined && one !== null);
    return given.every(([name, one]) => Object.hasOwn(kinds, name) && kinds[name]?.(one) === undefined);
  });
};

/** How a value is shown in the message about it: never the inside of one, which may hold a key. */
export const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  return isText(value) ? JSON.stringify(value) : String(value);
};
