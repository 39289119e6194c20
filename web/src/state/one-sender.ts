/** One window of this browser at a time sends a message; the others see who does. */
const LOCK = 'halter sending ';
/** Held a moment longer: who waits for the end waits for this one, so that nobody takes the wait for another sender. */
const ENDS = 'halter sent ';
/** On addresses that the browser does not trust there are no locks: nothing is known of other windows then. */
const locks = (): LockManager | undefined => navigator.locks;

const hold = <T>(
  manager: LockManager,
  key: string,
  options: LockOptions,
  work: () => Promise<T>,
): Promise<T | undefined> => {
  const over = Promise.withResolvers<void>();
  return manager
    .request(`${LOCK}${key}`, options, async (lock) => {
      if (lock === null) return undefined;
      void manager.request(`${ENDS}${key}`, () => over.promise);
      return work();
    })
    .finally(() => over.resolve());
};

/** Undefined: another window sends it, and the work was not begun. */
export const asOnlySender = async <T>(key: string, work: () => Promise<T>): Promise<T | undefined> => {
  const manager = locks();
  return manager === undefined ? work() : hold(manager, key, { ifAvailable: true }, work);
};

/** Others see that this window sends it until then. */
export const heldWhile = <T>(key: string, work: Promise<T>): Promise<T> => {
  const manager = locks();
  if (manager) void hold(manager, key, {}, () => work.catch(() => undefined));
  return work;
};

/** The keys of messages that some window sends at this moment. */
export const keysUnderWay = async (): Promise<ReadonlySet<string>> => {
  const { held = [] } = (await locks()?.query()) ?? {};
  return new Set(held.flatMap(({ name = '' }) => (name.startsWith(LOCK) ? name.slice(LOCK.length) : [])));
};

/** Calls back once no window sends it any more, also where the window was closed. */
export const whenSent = (key: string, onSent: () => void, signal: AbortSignal): void =>
  void locks()
    ?.request(`${ENDS}${key}`, { mode: 'shared', signal }, onSent)
    .catch(() => undefined);
