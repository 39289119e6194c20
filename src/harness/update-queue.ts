/** What came in and was not read yet. By hand: a generator costs several promises an update, and there are many. */
export const createQueue = <T extends object>() => {
  let items: T[] = [];
  let read = 0;
  let over = false;
  let wake: (() => void) | undefined;
  const next = (): T | undefined => {
    if (read < items.length) return items[read++];
    if (read > 0) items = [];
    read = 0;
    return undefined;
  };
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    next,
    over: () => over,
    /** Until there is another one, or will be none. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        const before = wake;
        wake = () => {
          before?.();
          resolve();
        };
      }),
    push(item: T): void {
      items.push(item);
      notify();
    },
    end(): void {
      over = true;
      notify();
    },
  };
};
