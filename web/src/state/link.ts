/**
 * Whether halter is at the other end. Whoever gets no answer reports it here; from then on the link looks until halter is
 * back, and the page goes on where it was. After a restart the page's key is not valid any more: see `link/resume.ts`.
 */
import { type Ask, learnKey, resumeWith, type Sign } from './link/resume.ts';
import { keepPageKey, keyedFetch } from './page-key.ts';

export type LinkState =
  | 'here'
  /** Nobody answers. */
  | 'lost'
  /** What answers is no halter. */
  | 'foreign'
  /** It is a halter, and not the one that this page knows. */
  | 'other'
  /** Restarted, and this page has nothing to prove with that it was open before. */
  | 'restarted';

export type LinkPorts = {
  fetch: typeof fetch;
  /** Keeps what the page shows from now on. */
  keepKey(key: string): void;
  /** Absent where the browser has none: on addresses that it does not trust, where the page signs by itself. */
  subtle: SubtleCrypto | undefined;
  random(bytes: number): Uint8Array<ArrayBuffer>;
  /** Resolves after so long, or when there is a reason to look at once. */
  wait(ms: number): Promise<void>;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
const PAUSE_FACTOR = 1.5;
const ANSWER_MS = 5_000;

export class Link {
  readonly #ports: LinkPorts;
  readonly #listeners = new Set<() => void>();
  #state: LinkState = 'here';
  #wasIn = false;
  #key: Promise<Sign | undefined> | undefined;
  #looking: Promise<LinkState> | undefined;
  #isSearching = false;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  // Bound, since React calls both by themselves.
  readonly state = (): LinkState => this.#state;
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Something went wrong: looks who answers, and resolves when that is known. */
  check(): Promise<LinkState> {
    this.#looking ??= this.#look().then((found) => {
      this.#looking = undefined;
      this.#set(found);
      void this.#search();
      return found;
    });
    return this.#looking;
  }

  /** The page was let in. */
  entered(): void {
    if (this.#wasIn) return;
    this.#wasIn = true;
    this.#key = learnKey(this.#ask, this.#ports.subtle);
  }

  /** Resolves once halter is there. */
  whenHere(): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.#state !== 'here') return;
        this.#listeners.delete(look);
        resolve();
      };
      this.#listeners.add(look);
      look();
    });
  }

  readonly #ask: Ask = (path, init = {}) => {
    const { fetch: send } = this.#ports;
    return send(path, { cache: 'no-store', signal: AbortSignal.timeout(ANSWER_MS), ...init });
  };

  #set(next: LinkState): void {
    if (next === this.#state) return;
    this.#state = next;
    for (const listener of [...this.#listeners]) listener();
  }

  async #look(): Promise<LinkState> {
    try {
      const alive = await this.#ask('/healthz');
      const word = await alive.text();
      if (!alive.ok || word !== '{"status":"ok"}') return 'foreign';
      const { status } = await this.#ask('/api/status');
      if (status === 200) return 'here';
      if (status !== 401) return 'lost';
      // A page that was never let in hears of it where it begins.
      return this.#wasIn ? await this.#resume() : 'here';
    } catch {
      return 'lost';
    }
  }

  async #resume(): Promise<LinkState> {
    const { random, keepKey } = this.#ports;
    const sign = await this.#key;
    if (sign === undefined) return 'restarted';
    const key = await resumeWith(sign, { ask: this.#ask, random });
    if (key === undefined) return 'other';
    keepKey(key);
    return 'here';
  }

  async #search(): Promise<void> {
    if (this.#isSearching) return;
    this.#isSearching = true;
    for (let pause = FIRST_PAUSE_MS; this.#state !== 'here'; pause = Math.min(pause * PAUSE_FACTOR, LONGEST_PAUSE_MS)) {
      await this.#ports.wait(pause);
      this.#set(await this.#look());
    }
    this.#isSearching = false;
  }
}

/** In a browser: it looks at once when the network is back or the person comes back to the page. */
export const browserLink = (): Link =>
  new Link({
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
