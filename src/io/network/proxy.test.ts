import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { chooseProxy } from './proxy.ts';

const way = (environment: Record<string, string>, url: string): string | undefined => {
  const chosen = chooseProxy(environment, process.versions).proxyFor(new URL(url));
  if (!chosen.ok) throw new Error(chosen.error.message);
  return chosen.value;
};
const PROXY = 'http://proxy.test:3128';

it('goes through the proxy of its scheme, lower case first', () => {
  verifies('U1');
  expect(way({ http_proxy: PROXY, HTTP_PROXY: 'http://other.test' }, 'http://a.test/')).toBe(PROXY);
  expect(way({ HTTPS_PROXY: PROXY }, 'https://a.test/')).toBe(PROXY);
  expect(way({ HTTP_PROXY: PROXY }, 'https://a.test/')).toBeUndefined();
  expect(way({ HTTP_PROXY: '' }, 'http://a.test/')).toBeUndefined();
});

it('goes to this machine directly', () => {
  for (const host of ['localhost', '127.0.0.1', '[::1]', 'a.localhost']) {
    expect(way({ http_proxy: PROXY }, `http://${host}:11434/`), host).toBeUndefined();
  }
});

it.each([
  ['a.test', 'http://a.test/', true],
  ['a.test', 'http://x.a.test/', true],
  ['a.test', 'http://xa.test/', false],
  ['a.test', 'http://a.test.evil.test/', false],
  ['.a.test', 'http://x.a.test/', true],
  ['*.a.test', 'http://x.a.test/', true],
  ['b.test, a.test', 'http://a.test./', true],
  ['a.test:8080', 'http://a.test:8080/', true],
  ['a.test:8080', 'http://a.test/', false],
  ['a.test:80', 'http://a.test/', true],
  ['10.0.0.7', 'http://10.0.0.7/', true],
  ['fd00::1', 'http://[fd00::1]/', true],
  ['[fd00::1]:80', 'http://[fd00::1]/', true],
  ['*', 'http://anything.test/', true],
  ['', 'http://a.test/', false],
  ['.', 'http://a.test/', false],
])('with NO_PROXY=%j goes to %s directly: %s', (exceptions, url, direct) => {
  expect(way({ http_proxy: PROXY, NO_PROXY: exceptions }, url) === undefined).toBe(direct);
});

it('does not pass over a proxy that is no address', () => {
  const { proxyFor } = chooseProxy({ https_proxy: 'nonsense' }, process.versions);
  expect(proxyFor(new URL('https://a.test/'))).toMatchObject({ ok: false, error: { kind: 'invalid_url' } });
});

it.each([
  [{ node: '24.21.0' }, true],
  [{ node: '24.4.1' }, false],
  [{ node: '26.0.0' }, true],
  [{ node: '22.21.0' }, true],
  [{ node: '23.9.0' }, false],
  [{ node: '20.20.2' }, false],
  [{ node: '20.1.0', bun: '1.4.5' }, true],
])('under %j a proxy is gone through or refused, and never passed by', (versions, isUsed) => {
  const { proxyFor } = chooseProxy({ https_proxy: 'http://proxy.test:3128' }, versions);
  expect(proxyFor(new URL('https://a.test/')).ok).toBe(isUsed);
  expect(proxyFor(new URL('https://localhost/'))).toEqual({ ok: true, value: undefined });
});
