import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { ORIGIN, testServer } from '../../../tests/support/test-server.ts';
import { Link, type LinkPorts } from './link.ts';

const KEY = randomBytes(32);
const PLACE = ['/a/folder', '127.0.0.1', '7411'];
const nonce = (): string => randomBytes(24).toString('base64url');

type Server = Awaited<ReturnType<typeof testServer>>;
const open = (key: Uint8Array = KEY, place: readonly string[] = PLACE) =>
  testServer({ text: 'x' }, { resume: () => ({ key, place }) });

const BROWSERS = [
  { address: 'an address that the browser trusts', subtle: crypto.subtle },
  { address: 'plain HTTP in a home network', subtle: undefined },
];

describe.each(BROWSERS)('the page that looks for its halter, at $address', ({ subtle }) => {
  const scene = (first: (request: Request) => Promise<Response>) => {
    let answers = first;
    let key = '';
    const seen: string[] = [];
    const send: typeof fetch = async (path, init) => {
      const headers = new Headers(init?.headers);
      headers.set('host', '127.0.0.1:7411');
      if (key !== '' && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
      seen.push(`${headers.get('authorization') ?? ''}`);
      return answers(new Request(`${ORIGIN}${String(path)}`, { ...init, headers }));
    };
    const waits = new Set<() => void>();
    const ports: LinkPorts = {
      fetch: send,
      keepKey: (next) => {
        key = next;
      },
      subtle,
      random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
      wait: () => new Promise((resolve) => waits.add(resolve)),
    };
    const link = new Link(ports);
    return {
      link,
      seen,
      key: () => key,
      holds(next: string) {
        key = next;
      },
      now(next: typeof answers) {
        answers = next;
        for (const go of waits) go();
        waits.clear();
      },
      until: (state: string) =>
        new Promise<void>((resolve) => {
          const look = (): void => {
            if (link.state() === state) resolve();
          };
          link.subscribe(look);
          look();
        }),
    };
  };
  const entered = async (server: Server) => {
    const made = scene(server.app);
    made.holds('a-token-of-the-tests');
    made.link.entered();
    expect(await made.link.check()).toBe('here');
    return made;
  };
  const nobody = async (): Promise<Response> => {
    throw new TypeError('Failed to fetch');
  };

  it('tells nobody there from a stranger, from another halter and from its own, and goes on with its own alone', async () => {
    verifies('B5');
    const { link, now, until, key, holds } = await entered(await open());
    now(nobody);
    expect(await link.check()).toBe('lost');
    now(async () => new Response('<h1>something else</h1>'));
    await until('foreign');
    // What the other one has is its own token, which this page does not hold.
    holds('');
    now((await open(KEY, ['/another/folder', '127.0.0.1', '7411'])).app);
    await until('other');
    now((await open()).app);
    await until('here');
    await link.whenHere();
    // A key of this address, and not the token.
    expect(key()).toMatch(/^[\w-]{43}$/);
    expect(await link.check()).toBe('here');
  });

  it('never says its secret, whoever asks', async () => {
    const server = await open();
    const { secret } = await server.json<{ secret: string }>('GET', '/api/resume');
    const { link, now, until, seen, holds } = await entered(server);
    holds('');
    // It answers like halter, and asks for a proof with one of its own making.
    now(async (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === '/healthz') return new Response('{"status":"ok"}');
      const asked = `Halter-Resume server="${nonce()}", proof="${nonce()}"`;
      return new Response('', { status: 401, headers: { 'www-authenticate': asked } });
    });
    void link.check();
    await until('other');
    expect(seen.filter((header) => header.includes('proof='))).toEqual([]);
    expect(seen.join()).not.toContain(secret);
  });

  it('asks for the new address where it has nothing to show', async () => {
    const link = new Link({
      fetch: async (path) =>
        new Response(path === '/healthz' ? '{"status":"ok"}' : '', { status: path === '/healthz' ? 200 : 401 }),
      keepKey: () => {},
      subtle,
      random: (bytes) => new Uint8Array(bytes),
      wait: () => new Promise(() => {}),
    });
    expect(await link.check()).toBe('here');
    link.entered();
    expect(await link.check()).toBe('restarted');
  });
});
