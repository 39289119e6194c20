/** Functions that a program hands in. What one of them throws is told with its name. */
import { isError, thrownName, thrownText } from './thrown-text.ts';

/** What it returns. Throws a `TypeError` that has the name of what was thrown, and that itself as its cause. */
export const callOwn = async <T>(what: string, call: () => T | Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw failedCallback(what, error);
  }
};

/** The same of a function that answers at once. */
export const askOwn = <T>(what: string, ask: () => T): T => {
  try {
    return ask();
  } catch (error) {
    throw failedCallback(what, error);
  }
};

/** The same, where an error of the program's own goes on to the program as it is. */
export const letThrow = async <T>(what: string, call: () => T | Promise<T>): Promise<T> => {
  try {
    return await call();
  } catch (error) {
    throw isError(error) ? error : failedCallback(what, error);
  }
};

export const failedCallback = (what: string, thrown: unknown): TypeError =>
  Object.assign(new FailedCallback(`${what} failed: ${thrownText(thrown)}`, { cause: thrown }), {
    name: thrownName(thrown),
  });
class FailedCallback extends TypeError {}

/** What the program's function threw, where that is what failed. */
export const thrownByOwn = (error: unknown): unknown => (error instanceof FailedCallback ? error.cause : error);

/** A promise that was given where none may be is nobody's: its failure would end the program. */
export const ignoreLater = (given: unknown): void => {
  Promise.resolve(given).catch(() => {});
};
