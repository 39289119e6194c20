/**
 * What a program without a compiler hands to a function of the package, looked at before anything is done with it: a wrong
 * argument is a `TypeError` with the function, the argument, what came and what is wanted.
 */
import { checkKind } from './known-options.ts';
import { anything, isAbsent, jsonRecord, type Kind, type OptionKinds, objectOf, record } from './option-kinds.ts';
import { isLiteral } from './own-data.ts';

/** By name. One that ends in a question mark may be absent, and null is as good as absent. */
export type Fields = Readonly<Record<string, Kind>>;

const nameOf = (field: string): string => field.replace('?', '');
const kindsOf = (fields: Fields): OptionKinds =>
  Object.fromEntries(Object.entries(fields).map(([field, kind]) => [nameOf(field), kind]));
const requiredOf = (fields: Fields): string[] => Object.keys(fields).filter((field) => !field.endsWith('?'));

/** Options: other names are refused. */
export const options = (fields: Fields, words?: string): Kind =>
  objectOf(kindsOf(fields), { required: requiredOf(fields), ...(words === undefined ? {} : { words }) });
/** A value of which this is looked at. */
export const valueWith = (words: string, fields: Fields): Kind =>
  objectOf(kindsOf(fields), { required: requiredOf(fields), words, others: 'taken' });

/** The same where null is no word for absent: a part of data, which is handed on as it is. */
export const dataWith = (words: string, fields: Fields): Kind => {
  const data = valueWith(words, fields);
  const optional = Object.entries(fields).filter(([field]) => field.endsWith('?'));
  return {
    words,
    ...(data.inside === undefined ? {} : { inside: data.inside }),
    problem(value) {
      const problem = data.problem(value);
      if (problem !== undefined) return problem;
      const found = optional.find(([field]) => (value as Record<string, unknown>)[nameOf(field)] === null);
      return found && { path: `.${nameOf(found[0])}`, wanted: found[1].words, value: null };
    },
  };
};

/** Itself, where it has none: a state and an event go by what they are. */
const withoutNulls = (value: unknown): unknown => {
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'object' || !isLiteral(value as object)) return value;
  const entries = Object.entries(value as object);
  return entries.some(([, one]) => one === null)
    ? Object.fromEntries(entries.filter(([, one]) => one !== null))
    : value;
};

/** The arguments, without nulls that count as absent. `who` is the function: `parse()`. */
export const checkedArguments = (who: string, takes: Fields, given: readonly unknown[]): unknown[] => {
  const names = Object.keys(takes).map(nameOf);
  const required = requiredOf(takes).filter((name) => takes[name] !== anything);
  const kinds = kindsOf(takes);
  const byName = Object.fromEntries(names.map((name, index) => [name, given[index]]));
  const checked = checkKind(byName, objectOf(kinds, { required }), who);
  if (!checked.ok) throw new TypeError(checked.error.message);
  // In data a null is a value: a rule may deny it.
  const isData = (kind: Kind | undefined): boolean => kind === anything || kind === record || kind === jsonRecord;
  return names.map((name) => (isData(takes[name]) ? byName[name] : withoutNulls(byName[name])));
};

/** The same function. It throws `TypeError` for an argument of another kind, and for an option that nothing reads. */
export const checkedCall =
  <A extends unknown[], R>(name: string, takes: Fields, call: (...given: A) => R): ((...given: A) => R) =>
  (...given) =>
    call(...(checkedArguments(`${name}()`, takes, given) as A));
