/**
 * What this page shows halter instead of the token. It is kept in the storage of this origin, so that it goes to this host
 * and port alone: a cookie would be sent to whatever else listens on this host.
 */
import { inBrowser } from './browser-store.ts';

const NAME = 'halter key';
const IN_ADDRESS = /^\?key=([\w-]+)$/;

/** A browser that keeps nothing keeps it until the page is loaded again. */
let held: string | undefined;

export const keepPageKey = (key: string): void => {
  held = key;
  inBrowser.set(NAME, key);
};

/** Another tab may have a newer one. */
export const pageKey = (): string | undefined => inBrowser.get(NAME) ?? held;

/** Out of the address, where the server put it, before anything copies it. */
export const takePageKey = (): void => {
  const { search, pathname, hash } = window.location;
  const key = IN_ADDRESS.exec(search)?.[1];
  if (key === undefined) return;
  keepPageKey(key);
  window.history.replaceState(null, '', `${pathname}${hash}`);
};

/** A request of this page; one that brings its own `authorization` keeps it. */
export const keyedFetch: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  const key = pageKey();
  if (key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
  return fetch(input, { ...init, headers });
};
