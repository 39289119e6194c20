/** Tells this window that what the browser keeps of messages reads otherwise, whichever window changed it. */
const listeners = new Set<() => void>();

export const tellKept = (): void => {
  for (const listener of listeners) listener();
};

export const onKept = (listener: () => void): (() => void) => {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
};
