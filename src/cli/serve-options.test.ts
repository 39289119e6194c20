import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { FlagValues } from './flags.ts';
import { addressOf, readReach } from './serve-options.ts';

const DAY_MS = 86_400_000;
const made = fs.mkdtempSync(path.join(os.tmpdir(), 'halter-serve-options-'));
afterAll(() => fs.rmSync(made, { recursive: true }));
const file = (name: string, text: string): string => {
  const at = path.join(made, name);
  fs.writeFileSync(at, text);
  return at;
};
/** A certificate for 10 days from now. */
const pair = (name: string): { cert: string; key: string } => {
  const [cert, key] = [path.join(made, `${name}.cert`), path.join(made, `${name}.key`)];
  const subject = ['-subj', '/CN=localhost', '-keyout', key, '-out', cert];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ed25519', '-nodes', '-days', '10', ...subject], {
    stdio: 'ignore',
  });
  return { cert, key };
};
const read = (flags: FlagValues, now = Date.now()) =>
  readReach(flags, { host: '127.0.0.1', io: { env: {} }, configFolder: made, now });

describe('the address that is printed', () => {
  const tls = { cert: '', key: '' };
  const PROXY = ['10.0.0.2'];
  for (const [hosts, trustedProxies, own, shown] of [
    [[], [], undefined, 'http://127.0.0.1:7411'],
    [[], [], tls, 'https://127.0.0.1:7411'],
    [['halter.example'], [], undefined, 'http://halter.example:7411'],
    [['halter.example:80'], [], undefined, 'http://halter.example:80'],
    [['halter.example'], PROXY, undefined, 'https://halter.example'],
    [['halter.example:8443'], PROXY, undefined, 'https://halter.example:8443'],
    [['halter.example'], PROXY, tls, 'https://halter.example'],
    [[], PROXY, undefined, 'http://127.0.0.1:7411'],
  ] as const) {
    test(`is ${shown} for ${hosts.join() || 'no name'}${trustedProxies.length > 0 ? ' behind a proxy' : ''}${own ? ' with a certificate' : ''}`, () => {
      const reach = { hosts: ['127.0.0.1', ...hosts], trustedProxies, tls: own };
      expect(addressOf(reach, '127.0.0.1', 7411)).toBe(shown);
    });
  }
});

describe('files that a server is given', () => {
  const good = pair('good');
  const other = pair('other');
  const absent = path.join(made, 'absent');
  const text = file('text', 'no certificate, and no key\n');

  for (const [what, flags, ...said] of [
    [
      'a token that is not there',
      { 'token-file': absent },
      '--token-file',
      absent,
      'not there',
      'openssl rand -hex 32',
    ],
    ['a token that is too short', { 'token-file': file('short', 'short\n') }, 'at least 32', 'openssl rand -hex 32'],
    [
      'an empty file for a token',
      { 'token-file': file('empty', '') },
      'empty',
      'holds no token',
      'openssl rand -hex 32',
    ],
    ['blanks for a token', { 'token-file': file('blanks', ' \n\t\n') }, 'blanks', 'holds no token', 'openssl rand'],
    ['a folder for a token', { 'token-file': made }, '--token-file', made, 'it is a folder'],
    ['a certificate that is not there', { 'tls-cert': absent, 'tls-key': good.key }, '--tls-cert', absent, 'not there'],
    ['a key that is not there', { 'tls-cert': good.cert, 'tls-key': absent }, '--tls-key', absent, 'not there'],
    ['text for a certificate', { 'tls-cert': text, 'tls-key': good.key }, text, 'holds no certificate', 'PEM'],
    ['text for a key', { 'tls-cert': good.cert, 'tls-key': text }, text, 'holds no private key', 'PEM'],
    ['the certificate twice', { 'tls-cert': good.cert, 'tls-key': good.cert }, good.cert, 'holds no private key'],
    ['the key of another', { 'tls-cert': good.cert, 'tls-key': other.key }, other.key, 'not the key of', good.cert],
  ] as [string, FlagValues, ...string[]][]) {
    test(`are refused with what, where and what to do: ${what}`, async () => {
      const outcome = await read(flags);
      const message = outcome.ok ? 'taken' : outcome.error.message;
      for (const words of said) expect(message).toContain(words);
      expect(message).not.toMatch(/ENOENT: |error:|DECODER/);
    });
  }

  for (const [when, days, warning] of [
    ['is valid', 1, undefined],
    ['is over', 11, 'is no longer valid'],
    ['has not begun', -1, 'is not valid yet'],
  ] as const) {
    test(`are taken, and a certificate whose time ${when} is ${warning ? 'named' : 'not spoken of'}`, async () => {
      const outcome = await read({ 'tls-cert': good.cert, 'tls-key': good.key }, Date.now() + days * DAY_MS);
      if (!outcome.ok) throw new Error(outcome.error.message);
      expect(outcome.value.warnings.join()).toContain(warning ?? '');
      expect(outcome.value.warnings).toHaveLength(warning ? 1 : 0);
      if (warning) expect(outcome.value.warnings[0]).toContain(good.cert);
    });
  }
});
