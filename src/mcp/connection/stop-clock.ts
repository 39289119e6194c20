export type StopClock = { signal: AbortSignal; restart(): void; stop(): void };

/** Runs while nobody is being asked, and anew whenever the server says how far it is. */
export const stopClock = (timeoutMs: number, isHeld: () => boolean): StopClock => {
  const controller = new AbortController();
  let timer: NodeJS.Timeout;
  const restart = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => (isHeld() ? restart() : controller.abort()), timeoutMs);
  };
  restart();
  return { signal: controller.signal, restart, stop: () => clearTimeout(timer) };
};
