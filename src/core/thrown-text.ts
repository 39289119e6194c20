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
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  const { message } = thrown as { message?: unknown };
  if (typeof message === 'string' && message !== '') return message;
  const text = String(thrown);
  if (text !== '[object Object]') return text;
  const fields = JSON.stringify(thrown);
  return fields === '{}' ? '' : shortened(fields);
};

const shortened = (text: string): string =>
  text.length <= THROWN_LIMITS.thrownCharacters
    ? text
    : `${text.slice(0, THROWN_LIMITS.thrownCharacters).toWellFormed()}…`;

/** An error without a message may hold others that have one; a code or the name of its kind is the least. */
const behindSilence = (error: Error): string => {
  const { errors, cause, code } = error as { errors?: unknown; cause?: unknown; code?: unknown };
  if (Array.isArray(errors) && errors.length > 0) return shortened(errors.map(thrownText).join('; '));
  if (cause !== undefined) return thrownText(cause);
  return typeof code === 'string' && code !== '' ? code : String(error.name);
};

/** Also of another realm, as a test runner or `node:vm` makes them. */
export const isError = (value: unknown): value is Error => {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
};

/** The name of its kind: `TypeError`. */
export const thrownName = (thrown: unknown): string => {
  try {
    return (isError(thrown) && String(thrown.name)) || 'Error';
  } catch {
    return 'Error';
  }
};
