/** Something that is opened at its first need and shared from then on. What could not be opened is tried again by the next. */
export type OpenedOnce<T> = {
  open(): Promise<T>;
  /** What is open or being opened; undefined where nobody needed it, or where it failed. Never rejects. */
  opened(): Promise<T | undefined> | undefined;
};

/** `isOpen` tells a value that is a failure from one that can be shared. Default: every value can. */
export const openedOnce = <T>(open: () => Promise<T>, isOpen: (value: T) => boolean = () => true): OpenedOnce<T> => {
  let opening: Promise<T> | undefined;
  let outcome: Promise<T | undefined> | undefined;
  return {
    open() {
      if (opening !== undefined) return opening;
      const started = open();
      const forget = (): void => {
        if (opening !== started) return;
        opening = undefined;
        outcome = undefined;
      };
      opening = started;
      outcome = started.catch(() => undefined);
      started.then((value) => isOpen(value) || forget(), forget);
      return started;
    },
    opened: () => outcome,
  };
};
