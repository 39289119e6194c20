/**
 * Works with a signal that aborts as soon as one of these does. `AbortSignal.any` leaves something behind on a signal that
 * lives as long as the program.
 */
export const untilEither = async <T>(
  signals: readonly AbortSignal[],
  work: (either: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController();
  const abort = (): void => controller.abort();
  for (const signal of signals) {
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
  }
  try {
    return await work(controller.signal);
  } finally {
    for (const signal of signals) signal.removeEventListener('abort', abort);
  }
};
