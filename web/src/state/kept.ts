/**
 * What goes with the next message stays through a reload of this tab, as its words do: pictures are too large for the
 * session's own storage. What nobody came back for goes after a day. What belongs to words that every tab sees is there for all.
 */
import { inTab } from './browser-store.ts';

const DATABASE = 'halter';
const STORE = 'kept';
const KEPT_MS = 24 * 60 * 60 * 1000;
const TAB = 'halter tab';

type Kept = { at: number; value: unknown };

/** This tab, also after a reload. */
export const tab = (): string => {
  const known = inTab.get(TAB) ?? held;
  if (known !== undefined) return known;
  held = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16)).join('');
  inTab.set(TAB, held);
  return held;
};
/** Where the browser does not keep it. */
let held: string | undefined;

/** Whose it is, where every tab may come for it. */
export const inAllTabs = (): string => 'all';

const answered = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

let opened: Promise<IDBDatabase> | undefined;
const database = (): Promise<IDBDatabase> => {
  opened ??= new Promise((resolve, reject) => {
    const request = indexedDB.open(DATABASE, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE);
    answered(request).then(resolve, reject);
  });
  return opened;
};

const store = async (mode: IDBTransactionMode): Promise<IDBObjectStore> =>
  (await database()).transaction(STORE, mode).objectStore(STORE);

/** A page that is left before that has changed nothing. */
const done = ({ transaction }: IDBObjectStore): Promise<void> =>
  new Promise((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });

/** Undefined takes it away. A browser that keeps nothing, as in a private window, is no fault. */
export const keep = async (name: string, value: unknown, of = tab): Promise<void> => {
  try {
    const key = `${of()} ${name}`;
    const records = await store('readwrite');
    if (value === undefined) records.delete(key);
    else records.put({ at: Date.now(), value }, key);
    await done(records);
  } catch {
    // It is gone after a reload, and nothing else.
  }
};

/** What is under way from one name to another. */
let moving: Promise<unknown> = Promise.resolve();

/** Keeps it by another name, once `first` is done; `joined` where something is kept by that as well. */
export const moveKept = (
  from: string,
  to: string,
  { first, joined }: { first: Promise<unknown>; joined(there: unknown, moved: unknown): unknown },
): void => {
  const move = async (): Promise<void> => {
    const moved = await found(from);
    if (moved === undefined) return;
    const there = await found(to);
    await keep(to, there === undefined ? moved : joined(there, moved));
    await keep(from, undefined);
  };
  moving = Promise.all([moving, first]).then(move, move);
};

const found = async (name: string): Promise<unknown> => {
  try {
    const records = await store('readonly');
    return ((await answered(records.get(`${tab()} ${name}`))) as Kept | undefined)?.value;
  } catch {
    return undefined;
  }
};

export const recall = async (name: string, of = tab): Promise<unknown> => {
  await moving;
  try {
    const records = await store('readwrite');
    const found = (await answered(records.get(`${of()} ${name}`))) as Kept | undefined;
    const cursor = records.openCursor();
    cursor.onsuccess = () => {
      const { result } = cursor;
      if (result === null) return;
      if ((result.value as Kept).at < Date.now() - KEPT_MS) result.delete();
      result.continue();
    };
    return found?.value;
  } catch {
    return undefined;
  }
};
