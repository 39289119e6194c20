/** Packages that only some need: loaded when they are asked for, and where one is missing the message says how to get it. */
import { failure, type Outcome, succeed } from './outcome.ts';
import { thrownText } from './thrown-text.ts';

export const loadOptional = async <T>(
  load: () => Promise<T>,
  /** What is said where it is not installed, and what is called by name where it is and does not load. */
  words: { notInstalled: string; name: string },
): Promise<Outcome<T>> => {
  try {
    return succeed(await load());
  } catch (error) {
    const { code } = error as { code?: string };
    return failure(
      'io_error',
      code === 'ERR_MODULE_NOT_FOUND' ? words.notInstalled : `${words.name} cannot be loaded: ${thrownText(error)}`,
      'not_installed',
    );
  }
};
