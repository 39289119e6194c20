/**
 * Markup that the person wants to see drawn, for the short while until their browser has fetched it. It needs an address of
 * its own, because a frame without one obeys the policy of the page and could not be given a stricter and emptier one.
 */
import { randomBytes } from 'node:crypto';
import { SERVER_LIMITS } from './limits.ts';

type Kept = { html: string; until: number };

export class Previews {
  readonly #kept = new Map<string, Kept>();
  readonly #now: () => number;

  /** `now` tells milliseconds since 1970. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A name that nobody can guess: a frame cannot show a token. */
  add(html: string): string {
    const id = randomBytes(32).toString('base64url');
    this.#kept.set(id, { html, until: this.#now() + SERVER_LIMITS.previewMs });
    for (const [oldest, { until }] of this.#kept) {
      if (this.#kept.size <= SERVER_LIMITS.previews && until > this.#now()) break;
      this.#kept.delete(oldest);
    }
    return id;
  }

  get(id: string): string | undefined {
    const kept = this.#kept.get(id);
    return kept && kept.until > this.#now() ? kept.html : undefined;
  }
}
