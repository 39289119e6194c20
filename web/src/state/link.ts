/**
 * Whether halter is at the other end. Who notices that it does not answer says so here; from then on it is looked for until
 * it is back, and then the page goes on where it was. After a restart the page's key counts no longer: page and server
 * show each other what they know of the time before (see `src/server/resume.ts`) without saying it, so that whoever else
 * answers at this address learns nothing.
 */
import { keepPageKey, keyedFetch } from './page-key.ts';

export type LinkState =
  | 'here'
  /** Nobody answers. */
  | 'lost'
  /** What answers is no halter. */
  | 'stranger'
  /** It is a halter, and not the one that this page knows. */
  | 'other'
  /** Started anew, and this browser cannot show that the page was open before. */
  | 'anew';

export type Link = {
  state(): LinkState;
  subscribe(listener: () => void): () => void;
  /** Something went wrong: looks who answers. Comes back when that is known. */
  check(): Promise<LinkState>;
  /** The page was let in. */
  entered(): void;
  /** Comes back once halter is there. */
  whenHere(): Promise<void>;
};

export type LinkPorts = {
  fetch: typeof fetch;
  /** Keeps what the page shows from now on. */
  keepKey(key: string): void;
  /** Absent where the browser has none: on addresses that it does not trust. */
  subtle: SubtleCrypto | undefined;
  random(bytes: number): Uint8Array<ArrayBuffer>;
  /** Comes back after so long, or when there is a reason to look at once. */
  wait(ms: number): Promise<void>;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const PAUSE_FACTOR = 1.5;
const ANSWER_MS = 5_000;
const NONCE_BYTES = 24;
const CHALLENGE = /^Halter-Resume server="([\w-]+)", proof="([\w-]+)"$/;

const toText = (bytes: Uint8Array): string =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));

export const createLink = ({ fetch: send, keepKey, subtle, random, wait }: LinkPorts): Link => {
  const listeners = new Set<() => void>();
  let current: LinkState = 'here';
  let wasIn = false;
  /** Cannot be read back, not even by a script of this page. */
  let key: Promise<CryptoKey | undefined> | undefined;
  let looking: Promise<LinkState> | undefined;
  let searching = false;

  const set = (next: LinkState): void => {
    if (next === current) return;
    current = next;
    for (const listener of [...listeners]) listener();
  };
  const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
    send(path, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS), ...init });

  const learnKey = async (): Promise<CryptoKey | undefined> => {
    try {
      const answer = await ask('/api/resume');
      if (!answer.ok || subtle === undefined) return undefined;
      const { secret } = (await answer.json()) as { secret: string };
      return await subtle.importKey('raw', toBytes(secret), { name: 'HMAC', hash: 'SHA-256' }, false, [
        'sign',
        'verify',
      ]);
    } catch {
      return undefined;
    }
  };
  const resume = async (): Promise<LinkState> => {
    const known = await key;
    if (known === undefined || subtle === undefined) return 'anew';
    const page = toText(random(NONCE_BYTES));
    const knock = (rest: string): Promise<Response> =>
      ask('/api/resume', { method: 'POST', headers: { authorization: `Halter-Resume page="${page}"${rest}` } });
    const [, server, proof] = CHALLENGE.exec((await knock('')).headers.get('www-authenticate') ?? '') ?? [];
    if (server === undefined || proof === undefined) return 'other';
    const said = (side: string): Uint8Array<ArrayBuffer> =>
      new TextEncoder().encode(`${side}\n${page}\n${server}`) as Uint8Array<ArrayBuffer>;
    // Only the halter that this page was opened by can have said that.
    if (!(await subtle.verify('HMAC', known, toBytes(proof), said('server')))) return 'other';
    const own = toText(new Uint8Array(await subtle.sign('HMAC', known, said('page'))));
    const admitted = await knock(`, server="${server}", proof="${own}"`);
    if (!admitted.ok) return 'other';
    keepKey(((await admitted.json()) as { key: string }).key);
    return 'here';
  };
  const look = async (): Promise<LinkState> => {
    try {
      const alive = await ask('/healthz');
      const word = await alive.text();
      if (!alive.ok || word !== '{"status":"ok"}') return 'stranger';
      const { status } = await ask('/api/status');
      if (status === 200) return 'here';
      if (status !== 401) return 'lost';
      // Who never was in is told so where the page begins.
      return wasIn ? await resume() : 'here';
    } catch {
      return 'lost';
    }
  };
  const search = async (): Promise<void> => {
    if (searching) return;
    searching = true;
    for (let pause = FIRST_PAUSE_MS; current !== 'here'; pause = Math.min(pause * PAUSE_FACTOR, LONGEST_PAUSE_MS)) {
      await wait(pause);
      set(await look());
    }
    searching = false;
  };
  return {
    state: () => current,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    check() {
      looking ??= look().then((found) => {
        looking = undefined;
        set(found);
        void search();
        return found;
      });
      return looking;
    },
    entered() {
      if (wasIn) return;
      wasIn = true;
      key = learnKey();
    },
    whenHere: () =>
      new Promise((resolve) => {
        const isHere = (): void => {
          if (current !== 'here') return;
          listeners.delete(isHere);
          resolve();
        };
        listeners.add(isHere);
        isHere();
      }),
  };
};

/** In a browser: it looks at once when the network is back or the person comes back to the page. */
export const browserLink = (): Link =>
  createLink({
    fetch: keyedFetch,
    keepKey: keepPageKey,
    subtle: globalThis.crypto.subtle as SubtleCrypto | undefined,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    wait: (ms) =>
      new Promise((resolve) => {
        const over = new AbortController();
        const done = (): void => {
          clearTimeout(timer);
          over.abort();
          resolve();
        };
        const timer = setTimeout(done, ms);
        for (const name of ['focus', 'online']) window.addEventListener(name, done, { signal: over.signal });
      }),
  });
