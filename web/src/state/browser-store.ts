/**
 * What this browser keeps by name: for all of its windows, or for this tab alone. A person may forbid a page to keep anything,
 * and there may be no room: then there is nothing to read, and what cannot be written says so. Nothing throws, so that what
 * the person does goes on.
 */
export type BrowserStore = {
  get(name: string): string | null;
  /** False: it is not kept, and what was there stays. */
  set(name: string, value: string): boolean;
  remove(name: string): void;
  names(): readonly string[];
};

/** A browser that forbids it throws as soon as it is named. */
const storeOf = (area: () => Storage): BrowserStore => {
  const tried = <T>(work: (storage: Storage) => T, otherwise: T): T => {
    try {
      return work(area());
    } catch {
      return otherwise;
    }
  };
  return {
    get: (name) => tried((storage) => storage.getItem(name), null),
    set: (name, value) =>
      tried((storage) => {
        storage.setItem(name, value);
        return true;
      }, false),
    remove: (name) => tried((storage) => storage.removeItem(name), undefined),
    names: () => tried((storage) => Object.keys(storage), []),
  };
};

export const inBrowser: BrowserStore = storeOf(() => localStorage);
export const inTab: BrowserStore = storeOf(() => sessionStorage);
