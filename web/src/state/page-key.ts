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

const TOKEN_IN_ADDRESS = /^#token=([\w-]+)$/;
export const holdsToken = (hash: string): boolean => TOKEN_IN_ADDRESS.test(hash);

/** The token behind `#`, which no server is sent, goes out of the address at once and is exchanged for a key of this page. */
export const exchangeToken = async (send: typeof fetch = fetch): Promise<void> => {
  const { search, pathname, hash } = window.location;
  const token = TOKEN_IN_ADDRESS.exec(hash)?.[1];
  if (token === undefined) return;
  window.history.replaceState(null, '', `${pathname}${search}`);
  try {
    const answer = await send('/api/page-key', { headers: { authorization: `Bearer ${token}` } });
    const said: unknown = answer.ok ? await answer.json() : undefined;
    if (typeof said === 'object' && said !== null && 'key' in said && typeof said.key === 'string')
      keepPageKey(said.key);
  } catch {
    // Nobody answers: the page says so itself.
  }
};

/** A request of this page; one that brings its own `authorization` keeps it. */
export const keyedFetch: typeof fetch = (input, init = {}) => {
  const headers = new Headers(init.headers);
  const key = pageKey();
  if (key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
  return fetch(input, { ...init, headers });
};
