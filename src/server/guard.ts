/**
 * Who may speak to the server (G7). A page of another origin must not reach it through the person's browser, a name that
 * resolves here must not count as this machine, and without the token nothing happens.
 */
import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { isIP } from 'node:net';
import { ApiError } from './api-error.ts';

export type GuardOptions = {
  token: string;
  /** Names in the Host header that mean this server besides those of the loopback interface. */
  hosts: readonly string[];
  /** Listening on every interface: any address may be meant, a name still may not. */
  anyAddress: boolean;
  /** The connection is encrypted here. */
  tls?: boolean;
  /** X-Forwarded-Proto and X-Forwarded-Host count; `listen` lets those of trusted proxies through alone. */
  trustsProxy?: boolean;
  /** Where it listens: names of the loopback interface count with this port alone. Absent, with any. */
  port?(): number | undefined;
  /** The token of clients that were connected since it began. */
  laterToken?(): Promise<string | undefined>;
};

/**
 * What the caller called this server. On a socket that is the Host header, without which nothing comes this far; a request
 * that a program makes to the app itself has none, and means the host of its address.
 */
const ownHostOf = (request: Request): string => request.headers.get('host') ?? new URL(request.url).host;

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const HOST = /^([a-z0-9.-]+|\[[0-9a-f:.]+\])(?::(\d{1,5}))?$/i;

export type Guard = {
  /** Throws where Host or Origin are not ours. */
  checkOrigin(request: Request): void;
  /** Browsers take the address for one whose pages nobody changed on the way: of this machine, or encrypted. */
  isTrustworthy(request: Request): boolean;
  /** Throws where the bearer is neither the token nor the key of a page of this address. */
  checkToken(request: Request): void;
  isToken(text: string): boolean;
  /** Looks for a token that was made since, where the one that is shown is not known. */
  learnToken(request: Request): Promise<void>;
  /**
   * What a page of this address shows as its bearer. It counts for the host and port of the request alone, and the page
   * keeps it in the storage of its origin. A cookie would be sent to every port of this host.
   */
  pageKeyFor(request: Request): string;
};

export const createGuard = (options: GuardOptions): Guard => {
  const named = new Set(options.hosts.map((host) => host.toLowerCase()));
  const forwarded = (request: Request, name: 'proto' | 'host'): string | undefined =>
    options.trustsProxy ? request.headers.get(`x-forwarded-${name}`)?.split(',')[0]?.trim() : undefined;
  const hostOf = (request: Request): string => forwarded(request, 'host') ?? ownHostOf(request);
  const originOf = (request: Request): string => {
    const scheme = forwarded(request, 'proto') ?? (options.tls ? 'https' : 'http');
    return `${scheme}://${hostOf(request).toLowerCase()}`;
  };
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  const expected = digest(options.token);
  let later: Buffer | undefined;
  let looking: Promise<void> | undefined;
  const isToken = (text: string): boolean =>
    [expected, later].some((known) => known !== undefined && timingSafeEqual(digest(text), known));
  const look = async (): Promise<void> => {
    try {
      const token = await options.laterToken?.();
      later = token === undefined ? undefined : digest(token);
    } finally {
      looking = undefined;
    }
  };
  const pageKeyFor = (request: Request): string =>
    createHmac('sha256', options.token)
      .update(`page ${hostOf(request).toLowerCase()}`)
      .digest('base64url');
  const isPageKey = (text: string, request: Request): boolean =>
    timingSafeEqual(digest(text), digest(pageKeyFor(request)));
  const isKnown = (request: Request): boolean => {
    const shown = shownIn(request);
    return isToken(shown) || isPageKey(shown, request);
  };
  /** A name that was allowed may stand with any port, as a proxy has one of its own; names of this machine with ours alone. */
  const isHost = (name: string, port: string | undefined): boolean => {
    if (named.has(port === undefined ? name : `${name}:${port}`)) return true;
    const own = options.port?.();
    const isOwnPort = own === undefined || Number(port ?? (options.tls ? 443 : 80)) === own;
    const isAddress = isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0;
    if (LOOPBACK.includes(name) || isAddress)
      return isOwnPort && (LOOPBACK.includes(name) || named.has(name) || options.anyAddress);
    return named.has(name);
  };

  return {
    isToken,
    isTrustworthy(request) {
      const { protocol, hostname } = new URL(originOf(request));
      return protocol === 'https:' || hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname);
    },
    checkOrigin(request) {
      const host = hostOf(request);
      const [, name = '', port] = HOST.exec(host) ?? [];
      if (!isHost(name.toLowerCase(), port)) {
        throw new ApiError(
          403,
          'wrong_host',
          `This server does not go by the name ${host.slice(0, 200)}. If it should: halter serve --allowed-host ${host.slice(0, 200)}`,
        );
      }
      const origin = request.headers.get('origin');
      if (origin !== null && origin.toLowerCase() !== originOf(request)) {
        throw new ApiError(403, 'wrong_origin', 'Requests from pages of another origin are refused.');
      }
      const site = request.headers.get('sec-fetch-site');
      // A link from elsewhere may lead to the page, and to nothing that answers for the page.
      const opensPage =
        request.method === 'GET' &&
        request.headers.get('sec-fetch-mode') === 'navigate' &&
        new URL(request.url).pathname === '/';
      if (site !== null && site !== 'same-origin' && site !== 'none' && !opensPage) {
        throw new ApiError(403, 'wrong_origin', 'Requests from pages of another origin are refused.');
      }
    },
    checkToken(request) {
      if (!isKnown(request)) throw unauthorized();
    },
    async learnToken(request) {
      // However many ask, one looks at a time.
      if (options.laterToken === undefined || shownIn(request) === '' || isKnown(request)) return;
      looking ??= look();
      await looking;
    },
    pageKeyFor,
  };
};

/** Anthropic's clients send their key in a header of its own. */
const bearerOf = ({ headers }: Request): string => {
  const key = headers.get('x-api-key');
  return headers.get('authorization') ?? (key === null ? '' : `Bearer ${key}`);
};

const shownIn = (request: Request): string => /^Bearer +(\S+)$/i.exec(bearerOf(request))?.[1] ?? '';

const unauthorized = (): ApiError =>
  new ApiError(
    401,
    'unauthorized',
    'The token is missing or wrong. halter serve printed it when it started, or read it from --token-file or HALTER_TOKEN.',
    {
      'www-authenticate': 'Bearer',
    },
  );

/** Nothing that a model writes loads anything from elsewhere, and nobody frames the page. */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  // Previews of markup, which stand under a stricter policy of their own.
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=(self)',
};
