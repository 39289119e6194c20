/** One model has one cache: a second request waits for the first. */
export type InTurn = {
  /** Runs when all before it have ended, and resolves at once when the signal aborts. */
  run<T>(signal: AbortSignal, cancelled: T, work: () => Promise<T>): Promise<T>;
  /** Resolves when nothing waits any more. */
  idle(): Promise<unknown>;
};

export const createInTurn = (): InTurn => {
  let queue: Promise<unknown> = Promise.resolve();
  return {
    run(signal, cancelled, work) {
      const done = queue.then(() => (signal.aborted ? cancelled : work()));
      queue = done.catch(() => undefined);
      return new Promise((resolve, reject) => {
        const stop = (): void => resolve(cancelled);
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        done.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
      });
    },
    idle: () => queue,
  };
};
