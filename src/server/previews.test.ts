import { describe, expect, it } from 'vitest';
import { ORIGIN, testServer } from '../../tests/support/test-server.ts';
import { SERVER_LIMITS } from './limits.ts';
import { Previews } from './previews.ts';

describe('a preview of markup', () => {
  it('is drawn under a policy that lets it do nothing, in a frame of the page alone', async () => {
    const server = await testServer({ text: 'x' });
    const { path } = await server.json<{ path: string }>('POST', '/api/previews', { html: '<p>hello</p>' });
    // A frame shows no token.
    const shown = await server.app(new Request(`${ORIGIN}${path}`, { headers: { host: '127.0.0.1:7411' } }));
    expect(await shown.text()).toBe('<p>hello</p>');
    const policy = shown.headers.get('content-security-policy')?.split('; ') ?? [];
    for (const part of ['sandbox', "default-src 'none'", "form-action 'none'", "frame-ancestors 'self'"])
      expect(policy).toContain(part);
    expect(policy.join(' ')).not.toMatch(/script|connect|https?:|\*|allow-/);
    expect(shown.headers.get('x-frame-options')).toBe('SAMEORIGIN');
    expect(shown.headers.get('cache-control')).toBe('no-store');
  });

  it('is kept for who holds the token, and shown to who holds its address', async () => {
    const server = await testServer({ text: 'x' });
    const bare = (method: string, path: string, headers: Record<string, string> = {}) =>
      server.app(
        new Request(`${ORIGIN}${path}`, {
          method,
          headers: { host: '127.0.0.1:7411', 'content-type': 'application/json', ...headers },
          ...(method === 'POST' ? { body: '{"html":"x"}' } : {}),
        }),
      );
    expect((await bare('POST', '/api/previews')).status).toBe(401);
    expect((await bare('GET', '/previews/guessed')).status).toBe(401);
    const { path } = await server.json<{ path: string }>('POST', '/api/previews', { html: 'x' });
    expect((await bare('GET', path, { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' })).status).toBe(
      403,
    );
    expect((await server.call('POST', '/api/previews', { html: 'x'.repeat(2 ** 20) })).status).toBe(413);
  });

  it('is forgotten after its time, and when there are many', () => {
    let now = 0;
    const previews = new Previews(() => now);
    const first = previews.add('first');
    for (let index = 0; index < SERVER_LIMITS.previews; index += 1) previews.add(`${index}`);
    expect(previews.get(first)).toBeUndefined();
    const last = previews.add('last');
    expect(previews.get(last)).toBe('last');
    now = SERVER_LIMITS.previewMs;
    expect(previews.get(last)).toBeUndefined();
  });
});
