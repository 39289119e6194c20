/** One request in the log of whoever runs the server: an id that the answer carries too, and no query, which may hold a token. */
import { randomUUID } from 'node:crypto';

export type RequestRecord = {
  id: string;
  method: string;
  path: string;
  status: number;
  /** Until the answer begins. */
  duration_ms: number;
  session_id?: string;
};

/** A proxy in front may have given it one. */
const ID = /^[\w.-]{1,64}$/;
const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
const SESSION = /^\/api\/sessions\/([\w.-]{1,128})(?:\/|$)/;

export const recorded = async (
  request: Request,
  answer: () => Promise<Response>,
  tell: (record: RequestRecord) => void,
): Promise<Response> => {
  const began = performance.now();
  const given = request.headers.get('x-request-id') ?? '';
  const id = ID.test(given) ? given : randomUUID();
  const response = await answer();
  const { pathname } = new URL(request.url);
  const [, session] = SESSION.exec(pathname) ?? [];
  response.headers.set('x-request-id', id);
  // Asked every second by whatever balances load.
  if (response.ok && PROBES.has(pathname)) return response;
  tell({
    id,
    method: request.method,
    path: pathname,
    status: response.status,
    duration_ms: Math.round(performance.now() - began),
    ...(session === undefined ? {} : { session_id: session }),
  });
  return response;
};
