/**
 * How a page that is open goes on after the server was restarted. The token of the new start is not the old one, so both
 * sides show by turns that they hold the same secret, which neither says: whoever else took the port in between learns
 * nothing that would be of use, and the page learns whether this is the halter it knew.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { SERVER_LIMITS } from './limits.ts';

export type ResumeOptions = {
  /** Kept from one start to the next. */
  key: Uint8Array;
  /** What has to be the same after a restart: the folder, and where this server listens. */
  place: readonly string[];
};

export type Resume = {
  /** For a page that has the token already. */
  secret(): string;
  /** `Authorization: Halter-Resume …`. Comes back where the page has shown what it knows; throws the challenge before. */
  check(authorization: string | null): void;
};

const SCHEME = /^Halter-Resume page="([\w-]{16,64})"(?:, server="([\w-]{16,64})", proof="([\w-]{16,64})")?$/;
const BYTES = 32;

export const createResume = ({ key, place }: ResumeOptions): Resume => {
  const secret = Buffer.from(hkdfSync('sha256', key, '', JSON.stringify(place), BYTES));
  const proof = (side: 'server' | 'page', page: string, server: string): Buffer =>
    createHmac('sha256', secret).update(`${side}\n${page}\n${server}`).digest();
  /** Asked and not answered yet, the oldest first; each counts once. */
  const open = new Set<string>();

  const challenge = (page: string): ApiError => {
    const server = randomBytes(BYTES).toString('base64url');
    open.add(server);
    for (const oldest of open) {
      if (open.size <= SERVER_LIMITS.openChallenges) break;
      open.delete(oldest);
    }
    const shown = proof('server', page, server).toString('base64url');
    return refused({ 'www-authenticate': `Halter-Resume server="${server}", proof="${shown}"` });
  };
  return {
    secret: () => secret.toString('base64url'),
    check(authorization) {
      const [, page, server, given] = SCHEME.exec(authorization ?? '') ?? [];
      if (page === undefined) throw refused();
      if (server === undefined || given === undefined) throw challenge(page);
      const wanted = proof('page', page, server);
      const said = Buffer.from(given, 'base64url');
      if (!open.delete(server) || said.length !== wanted.length || !timingSafeEqual(said, wanted)) throw refused();
    },
  };
};

const refused = (headers: Readonly<Record<string, string>> = { 'www-authenticate': 'Bearer' }): ApiError =>
  new ApiError(401, 'unauthorized', 'A page shows here that it was open before halter was restarted.', headers);
