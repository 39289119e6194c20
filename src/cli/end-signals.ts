/**
 * The signals that end a program. A command that takes one of them (`Io.onSignal`, the terminal app) ends in order; where
 * none does, the program ends at once. Its exit code is the same one either way and for each of them: a program that dies
 * of a signal would be 129, 130 or 143, by the signal and by how far it had come.
 */
import { EXIT } from './exit-codes.ts';

export const END_SIGNALS: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];

export const endOnSignals = (): void => {
  for (const signal of END_SIGNALS) {
    process.on(signal, () => {
      // Whoever else listens has taken it.
      if (process.listenerCount(signal) === 1) process.exit(EXIT.interrupted);
    });
  }
};
