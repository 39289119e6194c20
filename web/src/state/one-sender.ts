/** One window of this browser at a time sends a message; the others see who does. */
const LOCK = 'halter sending ';
/** On addresses that the browser does not trust there are no locks: nothing is known of other windows then. */
const locks = (): LockManager | undefined => navigator.locks;

/** Undefined: another window sends it, and the work was not begun. */
export const asOnlySender = async <T>(key: string, work: () => Promise<T>): Promise<T | undefined> => {
  const manager = locks();
  if (manager === undefined) return work();
  return manager.request(`${LOCK}${key}`, { ifAvailable: true }, async (lock) =>
    lock === null ? undefined : await work(),
  );
};

/** Others see that this window sends it until then. */
export const heldWhile = <T>(key: string, work: Promise<T>): Promise<T> => {
  void locks()?.request(`${LOCK}${key}`, () => work.catch(() => undefined));
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
    ?.request(`${LOCK}${key}`, { mode: 'shared', signal }, onSent)
    .catch(() => undefined);
