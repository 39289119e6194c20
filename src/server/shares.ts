/**
 * Links by which others read one session and nothing else. There is none until it is asked for, one for a session at most,
 * and none outlives the server. A token is kept as its digest alone.
 */
import { createHash, randomBytes } from 'node:crypto';
import { SERVER_LIMITS } from './limits.ts';

type Share = { sessionId: string; ending: AbortController };

const TOKEN_BYTES = 32;
const digestOf = (token: string): string => createHash('sha256').update(token).digest('hex');

export class Shares {
  readonly #byDigest = new Map<string, Share>();

  /** The link that was there before ends. Undefined: there are too many. */
  begin(sessionId: string): string | undefined {
    this.end(sessionId);
    if (this.#byDigest.size >= SERVER_LIMITS.shares) return undefined;
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    this.#byDigest.set(digestOf(token), { sessionId, ending: new AbortController() });
    return token;
  }

  /** Whoever reads by it reads no further. */
  end(sessionId: string): void {
    for (const [digest, share] of this.#byDigest) {
      if (share.sessionId !== sessionId) continue;
      this.#byDigest.delete(digest);
      share.ending.abort();
    }
  }

  has(sessionId: string): boolean {
    return [...this.#byDigest.values()].some((share) => share.sessionId === sessionId);
  }

  /** What a token opens, and what says that it is over. */
  opened(token: string): { sessionId: string; signal: AbortSignal } | undefined {
    const share = this.#byDigest.get(digestOf(token));
    return share && { sessionId: share.sessionId, signal: share.ending.signal };
  }
}
