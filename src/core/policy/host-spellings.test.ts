import { describe, expect, test } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { parseRule, ruleMatches } from '../policy.ts';
import type { PolicyTool } from './rules.ts';

const FETCH: PolicyTool = { name: 'web_fetch', risk: 'medium', effects: 'network', main_argument: 'url' };
const matches = (pattern: string, url: string, purpose: 'allow' | 'deny'): boolean => {
  const rule = parseRule(`web_fetch(${pattern})`);
  if (!rule.ok) throw new Error(rule.error.message);
  return ruleMatches(rule.value, FETCH, { url }, purpose);
};

/** An address of the old form as addresses of the new one carry it, and as `URL` reads it. */
const CARRIED = [
  'http://[::ffff:93.184.216.34]/x',
  'http://[::ffff:5db8:d822]/x',
  'http://[0:0:0:0:0:ffff:5db8:d822]/x',
  'http://[::FFFF:93.184.216.34]/x',
  'http://[64:ff9b::93.184.216.34]/x',
  'http://[64:ff9b::5db8:d822]/x',
  'http://[::93.184.216.34]/x',
  'http://[::ffff:0:93.184.216.34]/x',
  'http://[2002:5db8:d822::1]/x',
  'http://1572395042/x',
  'http://0x5d.0xb8.0xd8.0x22/x',
  'http://93.184.55330/x',
  'http://93.184.216.34./x',
];
const OF_ADDRESS = [
  '93.184.216.34',
  '93.184.216.*',
  'http://93.184.216.34',
  'http://93.184.216.34/**',
  'http://93.184.216.34/x',
  'http://93.184.*/**',
  '[::ffff:93.184.216.34]',
  'http://[::ffff:5db8:d822]/**',
  '[64:ff9b::93.184.216.34]',
];
const OF_THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0'];
const THIS_MACHINE = [
  'http://localhost/x',
  'http://LOCALHOST./x',
  'http://wiki.localhost/x',
  'http://127.0.0.1/x',
  'http://127.1/x',
  'http://[::1]/x',
  'http://[::ffff:7f00:1]/x',
  'http://127.0.0.2/x',
  'http://[::ffff:127.8.9.10]/x',
  'http://0.0.0.0/x',
  'http://0/x',
  'http://[::]/x',
];
const each = (patterns: readonly string[], urls: readonly string[]): [string, string][] =>
  patterns.flatMap((pattern) => urls.map((url): [string, string] => [pattern, url]));

describe('a rule about a host', () => {
  test.each([...each(OF_ADDRESS, CARRIED), ...each(OF_THIS_MACHINE, THIS_MACHINE)])(
    'that denies %s holds for %s',
    (pattern, url) => {
      verifies('Z8', 'S32');
      expect(matches(pattern, url, 'deny')).toBe(true);
      if (!pattern.startsWith('http:')) expect(matches(pattern, url.replace(/\/x$/, ':8080/x'), 'deny')).toBe(true);
    },
  );

  test.each([
    ['93.184.216.34', 'http://[::ffff:93.184.216.35]/x'],
    ['93.184.216.34', 'http://[2606:2800:21f:cb07:6820:80da:5db8:d822]/x'],
    ['93.184.216.34', 'http://[2001:db8::5db8:d822]/x'],
    ['127.0.0.2', 'http://localhost/x'],
    ['127.0.0.2', 'http://127.0.0.1/x'],
    ['localhost', 'http://localhost.example/x'],
    ['wiki.localhost', 'http://127.0.0.1/x'],
    ['[::2]', 'http://[::1]/x'],
  ])('that denies %s does not hold for %s', (pattern, url) => {
    verifies('S32');
    expect(matches(pattern, url, 'deny')).toBe(false);
  });

  test.each([
    ['http://93.184.216.34/**', 'http://[64:ff9b::93.184.216.34]/x'],
    ['http://93.184.216.34/**', 'http://[2002:5db8:d822::1]/x'],
    ['http://localhost/**', 'http://127.0.0.1/x'],
    ['http://127.0.0.1/**', 'http://localhost/x'],
    ['http://localhost/**', 'http://wiki.localhost/x'],
  ])('that allows %s does not cover %s', (pattern, url) => {
    verifies('S35');
    expect(matches(pattern, url, 'allow')).toBe(false);
  });
});
