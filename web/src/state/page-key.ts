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

/** So long is an answer waited for before it counts as none; the next request tries again. */
const EXCHANGE_MS = 5_000;
/** What was in the address and was not exchanged yet. */
let token: string | undefined;
let exchanging: Promise<void> | undefined;

/** The token behind `#`, which no server is sent, goes out of the address at once; the first request exchanges it. */
export const takeToken = (): void => {
  const { search, pathname, hash } = window.location;
  const found = TOKEN_IN_ADDRESS.exec(hash)?.[1];
  if (found === undefined) return;
  token = found;
  window.history.replaceState(null, '', `${pathname}${search}`);
};

const keyIn = (said: unknown): string | undefined =>
  typeof said === 'object' && said !== null && 'key' in said && typeof said.key === 'string' ? said.key : undefined;

/** Throws where nobody answers, or something that is not halter, such as a proxy in front of it: the token stays then. */
const exchange = async (shown: string): Promise<void> => {
  const headers = { authorization: `Bearer ${shown}` };
  const answer = await fetch('/api/page-key', { headers, signal: AbortSignal.timeout(EXCHANGE_MS) });
  const isRefused = answer.status >= 400 && answer.status < 500;
  const key = answer.ok ? keyIn(await answer.json()) : undefined;
  if (key === undefined && !isRefused) throw new TypeError('halter did not answer.');
  if (key !== undefined) keepPageKey(key);
  token = undefined;
};

/** A request of this page; one that brings its own `authorization` keeps it. */
export const keyedFetch: typeof fetch = async (input, init = {}) => {
  const headers = new Headers(init.headers);
  if (token !== undefined && !headers.has('authorization')) {
    exchanging ??= exchange(token).finally(() => {
      exchanging = undefined;
    });
    await exchanging;
  }
  const key = pageKey();
  if (key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
  return fetch(input, { ...init, headers });
};
