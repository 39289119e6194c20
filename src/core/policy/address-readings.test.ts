import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { rounds } from '../../../tests/support/long.ts';
import { parseRule, ruleMatches } from '../policy.ts';
import type { PolicyTool } from './rules.ts';

const FETCH: PolicyTool = { name: 'web_fetch', risk: 'medium', effects: 'network', main_argument: 'url' };
const matches = (pattern: string, url: string, purpose: 'allow' | 'deny'): boolean => {
  const rule = parseRule(`web_fetch(${pattern})`);
  if (!rule.ok) throw new Error(rule.error.message);
  return ruleMatches(rule.value, FETCH, { url }, purpose);
};

/** What real servers do to a path before they look it up, each step by itself. */
const decoded = (path: string): string =>
  path.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(/%(?:c0|c1|e0%80)/i.test(escaped) ? 'latin1' : 'utf8'),
  );
const STEPS: readonly ((path: string) => string)[] = [
  decoded,
  (path) =>
    path.replaceAll(/%u([0-9a-f]{4})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16))),
  (path) =>
    path.replaceAll(/\u00c0\u00ae|\u00e0\u0080\u00ae/g, '.').replaceAll(/\u00c0\u00af|\u00e0\u0080\u00af/g, '/'),
  (path) => path.replaceAll('\u00c1\u009c', '\\'),
  (path) => path.replaceAll('\\', '/'),
  (path) => path.replaceAll(/;[^/]*/g, ''),
  (path) => path.replaceAll(/\/{2,}/g, '/'),
  (path) => path.normalize('NFKC'),
  (path) => path.replaceAll(/[\u0000-\u001f\u007f]/g, ''),
  (path) => path.replaceAll(/(?<=\/) *\.\. *(?=\/|$)/g, '..'),
];
const resolved = (path: string): string => {
  const parts: string[] = [];
  for (const part of path.split('/').slice(1)) {
    if (part === '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
};

const PIECES = [
  '..',
  '.',
  '%2e',
  '%2E%2e',
  '%2f',
  '%2F',
  '%5c',
  '\\',
  '/',
  '//',
  ';',
  ';v=1',
  '%252e',
  '%252f',
  '%255c',
  '%25252f',
  '%3b',
  '%00',
  '%09',
  '%20',
  '%c0%ae',
  '%c0%af',
  '%c1%9c',
  '%e0%80%af',
  '%u002e',
  '%u2215',
  '%ef%bc%8f',
  '%ef%bc%8e',
  '%e2%80%a5',
  'secret',
  'a',
  'docs',
  '%64ocs',
];

describe('what a rule for an address covers is what the server is asked', () => {
  test('whatever the server makes of the path, it stays where the rule says', () => {
    verifies('Z8', 'S35', 'S47');
    const path = fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }).map((pieces) => `/docs/${pieces.join('')}`);
    const steps = fc.array(fc.constantFrom(...STEPS), { maxLength: 6 });
    let covered = 0;
    fc.assert(
      fc.property(path, steps, (written, server) => {
        const url = `http://h.test${written}`;
        if (!matches('http://h.test/docs/**', url, 'allow')) return;
        covered += 1;
        const asked = new URL(url).pathname;
        const seen = server.reduce((now, step) => step(now), asked);
        expect(`${resolved(seen)}/`).toMatch(/^\/(?:d|%64)ocs\//);
      }),
      { numRuns: rounds(8_000, 400_000) },
    );
    // A rule that covers nothing proves nothing.
    expect(covered).toBeGreaterThan(100);
  });

  test('what is denied of a folder is denied by every way to it', () => {
    verifies('Z8', 'S32', 'S47');
    const ways = [
      '/docs/..%2fsecret/x',
      '/docs/..%2Fsecret/x',
      '/docs/%2e%2e%2fsecret/x',
      '/docs/..%5csecret/x',
      '/docs/..%252fsecret/x',
      '/docs/..;/secret/x',
      '/docs/..;a=b/secret/x',
      '//secret/x',
      '/secret//x',
      '/secret%2fx',
      '/%73ecret/x',
      '/%2573ecret/x',
      '/secret;v=1/x',
      '/docs/..%c0%afsecret/x',
      '/docs/%c0%ae%c0%ae/secret/x',
      '/docs/..%ef%bc%8fsecret/x',
      '/docs/%u002e%u002e/secret/x',
      '/docs/..%00/secret/x',
      '/a/..%2f/secret/x',
      '/docs/.%09./secret/x',
      '/docs/x%5cy/..%2f..%2f..%2fsecret/x',
      '/docs/x%5cy/..%2f..%2fsecret/x',
      '/docs/x//..%2f..%2fsecret/x',
      '/%ef%bd%93ecret/x',
      '/secret%5cx',
      '/secret/%2e/x',
      '/./secret/x',
      '/secret/..%2fsecret/x',
      '/%c0%af%73ecret/x',
    ];
    const missed = ways.filter((way) => !matches('https://h.test/secret/**', `https://h.test${way}`, 'deny'));
    expect(missed).toEqual([]);
  });

  test.each([
    ['https://h.test/docs/**', 'https://h.test/docs/a/b?x=../../y#z', true],
    ['https://h.test/docs/**', 'https://h.test/docs/a%20b/caf%C3%A9', true],
    ['https://h.test/docs/**', 'https://h.test/docs/a/../b', true],
    ['https://h.test/docs/**', 'https://h.test/docs/a;v=1/b', true],
    ['https://h.test/docs/**', 'https://h.test/docs/100%25', true],
    ['https://h.test/docs/**', 'https://h.test/docs/group%2Fname/x', true],
    ['https://h.test/docs/*', 'https://h.test/docs/group%2Fname', false],
    ['https://h.test/**', 'https://h.test/docs/..%2fsecret', true],
    ['https://*.h.test/**', 'https://a.h.test/..%2f', true],
    ['https://h.test/docs/**', 'https://h.test/docs/..%2fsecret', false],
    ['https://h.test/docs/*/public', 'https://h.test/docs/..%2fsecret/public', false],
    ['https://h.test/caf%c3%a9/**', 'https://h.test/café/x', true],
    ['https://h.test/%64ocs/**', 'https://h.test/docs/x', true],
    ['https://h.test/a b/**', 'https://h.test/a%20b/x', true],
    ['https://h.test/{a}/**', 'https://h.test/{a}/x', true],
    ['https://h.test:443/docs/**', 'https://h.test/docs/x', true],
    ['https://h.test/docs/**', 'https://h.test:444/docs/x', false],
    ['https://docs.*/**', 'https://docs.x.test:8443/x', false],
    ['https://docs.*/**', 'https://docs.x@evil.test/x', false],
    ['https://*/**', 'https://docs.x@evil.test/x', false],
    ['https://*.h.test/**', 'https://x@a.h.test/x', false],
    ['https://h.test/docs/**', 'https://h.test./docs/x', true],
    ['https://H.TEST/docs/**', 'https://h.test/docs/x', true],
    ['https://h.test/docs/**', 'https://h.test/DOCS/x', false],
    ['https://*.bücher.test/**', 'https://a.xn--bcher-kva.test/x', true],
    ['https://*.BÜCHER.test/**', 'https://a.bücher.test/x', true],
    ['http://127.0.0.1:*/docs/**', 'http://127.0.0.1:8080/docs/x', true],
    ['http://*/**', 'http://127.0.0.1:8080/docs/x', true],
  ])('%s and %s: %s', (pattern, url, expected) => {
    verifies('Z8', 'S35', 'S47');
    expect(matches(pattern, url, 'allow')).toBe(expected);
  });

  test.each([
    ['*.bücher.test', 'https://a.xn--bcher-kva.test/x'],
    ['https://*.BÜCHER.test/**', 'https://a.bücher.test/x'],
    ['https://h.test/%73ecret/**', 'https://h.test/secret/x'],
    ['https://h.test/caf%c3%a9/**', 'https://h.test/caf%C3%A9/x'],
    ['https://h.test/{a}/**', 'https://h.test/{a}/x'],
    ['https://h.test/a/../secret/**', 'https://h.test/secret/x'],
    ['https://h.test//secret/**', 'https://h.test/secret/x'],
    ['https:\\\\h.test\\secret\\**', 'https://h.test/secret/x'],
    [' https://h.test/secret/** ', 'https://h.test/secret/x'],
    ['https://h.test/x?key=*', 'https://h.test/x?k%65y=1'],
    ["https://h.test/x?q='a'", "https://h.test/x?q='a'"],
    ['https://docs.*/**', 'https://docs.x.test:8443/x'],
    ['https://*.h.test/**', 'https://me:word@a.h.test/x'],
  ])('denied by %s: %s', (pattern, url) => {
    verifies('Z8', 'S32', 'S47');
    expect(matches(pattern, url, 'deny')).toBe(true);
  });

  test('an address denies itself as a pattern, however it is written', () => {
    verifies('Z8', 'S32', 'S47');
    const part = fc.string({ unit: fc.constantFrom(...'aZ9-._~%2fé"<>`{}|^\'!$&()+,;=:@ ') });
    fc.assert(
      fc.property(part, part, part, (one, two, query) => {
        const url = `https://h.test/${one}/${two}x?q${query}`;
        expect(matches(url, url, 'deny')).toBe(true);
      }),
      { numRuns: rounds(2_000, 50_000) },
    );
  });
});
