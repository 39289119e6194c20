import { BlockList } from 'node:net';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rounds } from '../../../tests/support/long.ts';
import { nonPublicKind } from './ranges.ts';

/** Node's own matcher, told the same IPv4 ranges, judges the numbers; the forms around them are ours. */
const oracle = new BlockList();
for (const range of [
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24',
  '192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
].flatMap((line) => line.split(' '))) {
  const [address = '', bits] = range.split('/');
  oracle.addSubnet(address, Number(bits), 'ipv4');
}
const hex = (bytes: number[]): string =>
  `${(bytes[0]! * 256 + bytes[1]!).toString(16)}:${(bytes[2]! * 256 + bytes[3]!).toString(16)}`;
const byte = fc.integer({ min: 0, max: 255 });
const edge = fc.constantFrom(
  0,
  1,
  10,
  15,
  16,
  18,
  31,
  32,
  63,
  64,
  88,
  99,
  100,
  127,
  128,
  168,
  169,
  172,
  192,
  198,
  203,
  223,
  224,
  254,
  255,
);
const address = fc.tuple(fc.oneof(edge, byte), fc.oneof(edge, byte), fc.oneof(edge, byte), fc.oneof(edge, byte));

describe('an address', () => {
  it('is judged in IPv4 as the register of special addresses says', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const text = bytes.join('.');
        expect(nonPublicKind(text) !== undefined).toBe(oracle.check(text, 'ipv4'));
      }),
      { numRuns: rounds(333, 10_000) },
    );
  });

  it('is judged by the IPv4 address that it carries, in every form that carries one', () => {
    fc.assert(
      fc.property(address, (bytes) => {
        const inside = nonPublicKind(bytes.join('.')) !== undefined;
        for (const form of [
          `::ffff:${bytes.join('.')}`,
          `::ffff:${hex(bytes)}`,
          `64:ff9b::${hex(bytes)}`,
          `2002:${hex(bytes)}::1`,
        ]) {
          expect(nonPublicKind(form) !== undefined, form).toBe(inside);
        }
        expect(nonPublicKind(`::${hex(bytes)}`), 'IPv4-compatible').toBeDefined();
        if (inside) expect(nonPublicKind(`2a00:1450:4001:80b:0:5efe:${hex(bytes)}`), 'ISATAP').toBeDefined();
      }),
      { numRuns: rounds(83, 2_500) },
    );
  });

  it.each([
    '::',
    '::1',
    'fe80::1',
    'fe80::1%eth0',
    'febf::1',
    'fc00::1',
    'fd00:ec2::254',
    'fec0::1',
    'ff02::1',
    '2001:db8::1',
    '2001::1',
    '2001:10::1',
    '3fff::1',
    '64:ff9b:1::1',
    '100::1',
    '4000::1',
    '::ffff:0:7f00:1',
    '0:0:0:0:0:0:0:1',
    '[::1]',
    'localhost',
    '',
  ])('%s is not of the open internet', (text) => {
    expect(nonPublicKind(text)).toBeDefined();
  });

  it.each([
    '8.8.8.8',
    '172.32.0.1',
    '192.0.1.1',
    '2606:4700::1111',
    '2a00:1450:4001:80b::200e',
    '2001:4860:4860::8888',
  ])('%s is of the open internet', (text) => {
    expect(nonPublicKind(text)).toBeUndefined();
  });
});
