/**
 * Redirects, for requests that want them followed: each new address goes through the port like the first one, and what
 * was meant for one host is not carried to another.
 */
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse } from '../../core/ports.ts';

type Result = Outcome<HttpResponse, HttpFailure>;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** All that another host is told. Keys, cookies and whatever else a header may hold stay behind. */
const CARRIED: ReadonlySet<string> = new Set(['accept', 'accept-encoding', 'accept-language', 'user-agent']);

export const followRedirects = async (
  request: HttpRequest,
  send: (request: HttpRequest) => Promise<Result>,
): Promise<Result> => {
  // The requests of models: nothing is to be followed, and nothing may be added to them.
  if (!request.redirects) return send(request);
  let current = request;
  for (let left = request.redirects; ; left -= 1) {
    const hop = new AbortController();
    const result = await send({ ...current, signal: AbortSignal.any([request.signal, hop.signal]) });
    // Where it failed, and that it did, is what the server before chose.
    if (!result.ok)
      return left < request.redirects ? { ok: false, error: { ...result.error, isRedirected: true } } : result;
    const location = REDIRECTS.has(result.value.status) ? result.value.headers['location'] : undefined;
    if (location === undefined) {
      return { ok: true, value: { ...result.value, url: current.url } };
    }
    // Nobody reads the body of a redirect.
    hop.abort();
    if (left <= 0) {
      const message = `it was redirected more than ${request.redirects} times, at last from ${new URL(current.url).origin}`;
      return { ok: false, error: { kind: 'redirects', message, isRedirected: true } };
    }
    const next = URL.parse(location, current.url);
    if (!next) {
      return {
        ok: false,
        error: {
          kind: 'invalid_url',
          message: `${new URL(current.url).origin} redirects to what is no address`,
          isRedirected: true,
        },
      };
    }
    if ((await request.mayFollow?.(next.href)) === false) {
      const message = `${new URL(current.url).origin} redirects to an address of ${next.origin}, which no rule allows and nobody was asked about`;
      return { ok: false, error: { kind: 'blocked', message, isRedirected: true } };
    }
    current = redirected(current, next, result.value.status);
  }
};

const redirected = (request: HttpRequest, next: URL, status: number): HttpRequest => {
  const from = new URL(request.url);
  // What a server was asked to do by POST is not done again elsewhere, but for 307 and 308, which say so.
  const keepsMethod = status === 307 || status === 308 || request.method === 'GET' || request.method === 'HEAD';
  const { body, personsWord, ...rest } = request;
  const sameOrigin = from.origin === next.origin;
  // A fragment stays with the reader, as in a browser.
  if (next.hash === '' && from.hash !== '') next.hash = from.hash;
  return {
    ...rest,
    url: next.href,
    method: keepsMethod ? request.method : 'GET',
    headers: Object.fromEntries(
      Object.entries(request.headers ?? {}).filter(([name]) => sameOrigin || CARRIED.has(name.toLowerCase())),
    ),
    ...(keepsMethod && sameOrigin && body !== undefined ? { body } : {}),
    // The person named the first address, not where it leads.
    ...(sameOrigin && personsWord ? { personsWord } : {}),
  };
};
