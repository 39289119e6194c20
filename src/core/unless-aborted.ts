/** What the work of others comes to; undefined where the signal aborts before. A failure after that is nobody's. */
export const unlessAborted = async <T>(work: T | Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  let stop: (() => void) | undefined;
  const aborted = new Promise<undefined>((resolve) => {
    stop = () => resolve(undefined);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
};
