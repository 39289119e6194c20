/** The web app's files. They are listed once, so that a path can name a file of the list and nothing else. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { OWN_VERSION, packageCode } from '../disk/own-package.ts';
import { ApiError } from './api-error.ts';
import type { Guard } from './guard.ts';

/** Below the code of the package; in a checkout where the web app is built. What lies beside a bundle is none of it. */
const FOLDERS = ['web/', '../web/dist/', '../dist/web/'];

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};

/** A path of the web app that is a place in it and no file. */
const PLACE = /^\/(?:sessions\/[\w-]+)?$/;

const withoutApp = (why: string): string => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>halter</title></head>
<body><h1>halter</h1><p>The server runs. ${why}</p></body></html>
`;
const NOT_BUILT = withoutApp('The web app is not built here: <code>npm run build</code> builds it.');
/** Anybody may read it, so it names no folder. */
const NOT_BESIDE = withoutApp(
  `A bundle does not hold the web app: <code>npm install halter@${OWN_VERSION}</code> in the folder of the bundle, or in one above it.`,
);

type Listed = { folder: string; names: ReadonlySet<string>; builtAt: number };

const list = (): Listed | undefined => {
  const own = packageCode();
  if (!own.ok) return undefined;
  for (const place of FOLDERS) {
    const folder = fileURLToPath(new URL(place, own.value.code));
    const built = statSync(`${folder}index.html`, { throwIfNoEntry: false });
    if (!built?.isFile()) continue;
    const names = readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => `${entry.parentPath}/${entry.name}`.replaceAll('\\', '/').replaceAll(/\/+/g, '/'))
      .map((path) => path.slice(folder.length));
    return { folder, names: new Set(names), builtAt: built.mtimeMs };
  }
  return undefined;
};

export const createStaticFiles = (): ((request: Request, guard: Guard) => Promise<Response>) => {
  let listed = list();

  return async (request, guard) => {
    const url = new URL(request.url);
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      guard.checkToken(request);
      throw notFound(url);
    }
    const isPlace = PLACE.test(url.pathname);
    if (isPlace) {
      const token = url.searchParams.get('token');
      // Out of the address, so that it is neither copied with it nor sent on. A browser adds the # of the address that it
      // came from to one without any, so a link to a session stays one.
      if (token !== null && guard.isToken(token)) {
        return new Response(null, {
          status: 303,
          headers: { location: `${url.pathname}?key=${guard.pageKeyFor(request)}` },
        });
      }
      const now = listed && statSync(`${listed.folder}index.html`, { throwIfNoEntry: false })?.mtimeMs;
      if (listed === undefined || now !== listed.builtAt) listed = list();
    }
    const name = isPlace ? 'index.html' : url.pathname === '/mermaid.html' ? DIAGRAMS : url.pathname.slice(1);
    if (listed === undefined) {
      if (!isPlace) {
        guard.checkToken(request);
        throw notFound(url);
      }
      return new Response(packageCode().ok ? NOT_BUILT : NOT_BESIDE, {
        headers: { 'content-type': TYPES['.html'] as string },
      });
    }
    if (!listed.names.has(name)) {
      if (!/^\/(?:assets|favicon|mermaid\.html$)/.test(url.pathname)) guard.checkToken(request);
      throw notFound(url);
    }
    if (name === DIAGRAMS) return diagrams(listed.folder + name);
    const content = await readFile(listed.folder + name);
    return new Response(request.method === 'HEAD' ? null : new Uint8Array(content), {
      headers: {
        'content-type': TYPES[extname(name)] ?? 'application/octet-stream',
        // Names of built assets hold a hash of what is in them.
        'cache-control': name.startsWith('assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      },
    });
  };
};

/** Kept compressed, as it goes out. */
const DIAGRAMS = 'mermaid.html.gz';

/**
 * The page that draws diagrams of a model for the page. `sandbox` gives it an origin that is nobody's; its one script is
 * the one that was built, and nothing is loaded or sent.
 */
const diagrams = async (path: string): Promise<Response> => {
  const packed = await readFile(path);
  const page = gunzipSync(packed).toString('utf8');
  const script = page.slice(page.indexOf('<script>') + '<script>'.length, page.lastIndexOf('</script>'));
  const policy = [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'self'",
  ].join('; ');
  return new Response(new Uint8Array(packed), {
    headers: {
      'content-type': TYPES['.html'] as string,
      'content-encoding': 'gzip',
      'cache-control': 'no-cache',
      'content-security-policy': policy,
      'x-frame-options': 'SAMEORIGIN',
      'x-dns-prefetch-control': 'off',
    },
  });
};

const notFound = (url: URL): ApiError =>
  new ApiError(404, 'not_found', `There is nothing at ${url.pathname.slice(0, 200)}.`);
