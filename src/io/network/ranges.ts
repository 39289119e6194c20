/**
 * Which addresses belong to the open internet, and what the others are. A page or a model may name any address in any
 * spelling; what counts is where the bytes would go, so addresses are judged as numbers, and IPv6 forms that carry an
 * IPv4 address are judged by what they carry.
 */

// Loaded when first needed.
const isIP = (text: string): number => process.getBuiltinModule('node:net').isIP(text);

/** `undefined` for an address of the open internet; otherwise what kind of address it is, in a person's words. */
export const nonPublicKind = (address: string): string | undefined => {
  const plain = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  const family = isIP(plain);
  if (family === 4) return kindOf4(bytesOf4(plain));
  if (family === 6) return kindOf6(bytesOf6(plain));
  return 'no address';
};

type Range = { prefix: readonly number[]; bits: number; kind: string };

const range4 = (text: string, kind: string): Range => {
  const [address = '', bits = ''] = text.split('/');
  return { prefix: bytesOf4(address), bits: Number(bits), kind };
};
const range6 = (text: string, kind: string): Range => {
  const [address = '', bits = ''] = text.split('/');
  return { prefix: bytesOf6(address), bits: Number(bits), kind };
};

const bytesOf4 = (address: string): number[] => address.split('.').map(Number);

const bytesOf6 = (address: string): number[] => {
  // A dotted tail stands for the last two groups.
  const text = address.replace(/\d+\.\d+\.\d+\.\d+$/, (tail) => {
    const [a = 0, b = 0, c = 0, d = 0] = bytesOf4(tail);
    return `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
  });
  const [left = '', right] = text.split('::');
  const groups = (part: string | undefined): string[] => (part ? part.split(':') : []);
  const [head, tail] = [groups(left), groups(right)];
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length;
  const all = [...head, ...Array.from({ length: Math.max(0, zeros) }, () => '0'), ...tail];
  return all.flatMap((group) => {
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 0xff];
  });
};

const lies = (bytes: readonly number[], { prefix, bits }: Range): boolean => {
  const whole = bits >> 3;
  for (let index = 0; index < whole; index += 1) if (bytes[index] !== prefix[index]) return false;
  const rest = bits & 7;
  const mask = (0xff << (8 - rest)) & 0xff;
  return rest === 0 || ((bytes[whole] ?? 0) & mask) === ((prefix[whole] ?? 0) & mask);
};

/** IANA's special-purpose registry, and the two addresses by which clouds tell machines their secrets. */
const SPECIAL_4: readonly Range[] = [
  range4('0.0.0.0/8', 'an unspecified address'),
  range4('10.0.0.0/8', 'a private address'),
  range4('100.64.0.0/10', 'an address inside a provider (CGNAT)'),
  range4('127.0.0.0/8', 'this machine'),
  range4('168.63.129.16/32', "a cloud's metadata service"),
  range4('169.254.0.0/16', "a link-local address, where clouds' metadata services are"),
  range4('172.16.0.0/12', 'a private address'),
  range4('192.0.0.0/24', 'a reserved address'),
  range4('192.0.2.0/24', 'an address for examples'),
  range4('192.88.99.0/24', 'a relay of 6to4'),
  range4('192.168.0.0/16', 'a private address'),
  range4('198.18.0.0/15', 'an address for measurements'),
  range4('198.51.100.0/24', 'an address for examples'),
  range4('203.0.113.0/24', 'an address for examples'),
  range4('224.0.0.0/4', 'a multicast address'),
  range4('240.0.0.0/4', 'a reserved address'),
];

const kindOf4 = (bytes: readonly number[]): string | undefined => SPECIAL_4.find((entry) => lies(bytes, entry))?.kind;

/** An IPv4 address within an IPv6 one: where it begins, and whether it reaches the internet if that address does. */
const CARRIERS: readonly (Range & { at: number; mayBePublic: boolean })[] = [
  { ...range6('::ffff:0:0/96', 'IPv4-mapped'), at: 12, mayBePublic: true },
  { ...range6('64:ff9b::/96', 'NAT64'), at: 12, mayBePublic: true },
  { ...range6('2002::/16', '6to4'), at: 2, mayBePublic: true },
  { ...range6('::/96', 'IPv4-compatible'), at: 12, mayBePublic: false },
  { ...range6('::ffff:0:0:0/96', 'IPv4-translated'), at: 12, mayBePublic: false },
];

const SPECIAL_6: readonly Range[] = [
  range6('::/128', 'an unspecified address'),
  range6('::1/128', 'this machine'),
  range6('64:ff9b:1::/48', 'a private address (NAT64)'),
  range6('100::/64', 'an address that leads nowhere'),
  range6('2001::/32', 'a Teredo tunnel'),
  range6('2001::/23', 'a reserved address'),
  range6('2001:db8::/32', 'an address for examples'),
  range6('3fff::/20', 'an address for examples'),
  range6('fc00::/7', 'a private address'),
  range6('fe80::/10', 'a link-local address'),
  range6('fec0::/10', 'a private address'),
  range6('ff00::/8', 'a multicast address'),
];
const GLOBAL_6 = range6('2000::/3', 'the open internet');

const kindOf6 = (bytes: readonly number[]): string | undefined => {
  const special = SPECIAL_6.find((entry) => lies(bytes, entry));
  if (special) return special.kind;
  const carrier = CARRIERS.find((entry) => lies(bytes, entry));
  if (carrier) {
    const inside = kindOf4(bytes.slice(carrier.at, carrier.at + 4));
    if (inside) return `${inside} (${carrier.kind})`;
    return carrier.mayBePublic ? undefined : `a reserved address (${carrier.kind})`;
  }
  if (!lies(bytes, GLOBAL_6)) return 'a reserved address';
  // ISATAP: the last half of an ordinary prefix is 0:5efe:IPv4, with or without the bit for "unique".
  const isatap = (bytes[8] === 0 || bytes[8] === 2) && bytes[9] === 0 && bytes[10] === 0x5e && bytes[11] === 0xfe;
  const inside = isatap ? kindOf4(bytes.slice(12)) : undefined;
  return inside === undefined ? undefined : `${inside} (ISATAP)`;
};
