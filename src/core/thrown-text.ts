import { THROWN_LIMITS } from './limits/thrown-limits.ts';

/**
 * What a thrown or rejected value says. Anything may be thrown by code that is not ours: a value without a prototype, one
 * that fails when it is asked for its words. None of them may end more than the call that it came of.
 */
export const thrownText = (thrown: unknown): string => {
  try {
    return wordsOf(thrown) || WITHOUT_WORDS;
  } catch {
    return WITHOUT_WORDS;
  }
};

const WITHOUT_WORDS = 'it threw a value without words';

const wordsOf = (thrown: unknown): string => {
  if (isError(thrown)) return String(thrown.message) || behindSilence(thrown);
  const text = String(Object(thrown).message || thrown);
  return text === '[object Object]' ? shortened(JSON.stringify(thrown).replace(/^{}$/, '')) : text;
};

const shortened = (text: string): string => {
  const most = THROWN_LIMITS.thrownCharacters;
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
};

/** An error without a message may hold others that have one; a code or the name of its kind is the least. */
const behindSilence = ({ errors, cause, code, name }: Error & { errors?: unknown[]; code?: unknown }): string =>
  errors?.map(thrownText).join('; ') || (cause ? thrownText(cause) : String(code || name));

/** Also of another realm, as a test runner or `node:vm` makes them. */
export const isError = (value: unknown): value is Error =>
  value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';

/** The name of its kind: `TypeError`. */
export const thrownName = (thrown: unknown): string => {
  try {
    return (isError(thrown) && String(thrown.name)) || 'Error';
  } catch {
    return 'Error';
  }
};
