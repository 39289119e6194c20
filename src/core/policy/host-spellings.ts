/**
 * The hosts that lead to the same machine as the one that is written: an IPv4 address within an IPv6 one, and the names of
 * this machine. A rule that denies one of them means all; a rule that allows means the one that it names.
 */

/** Where an IPv4 address stands in an IPv6 one of each kind, as the first group of its two. */
const CARRIERS: readonly { begins: readonly number[]; at: number }[] = [
  { begins: [0, 0, 0, 0, 0, 0xffff], at: 6 },
  { begins: [0, 0, 0, 0, 0xffff, 0], at: 6 },
  { begins: [0, 0, 0, 0, 0, 0], at: 6 },
  { begins: [0x64, 0xff9b, 0, 0, 0, 0], at: 6 },
  { begins: [0x2002], at: 1 },
];
/** What is bound to all addresses is reached by `0.0.0.0` and `[::]` as well. */
const THIS_MACHINE: readonly string[] = ['localhost', '127.0.0.1', '[::1]', '0.0.0.0', '[::]'];
/** An address of this machine, and not all of it. */
const isPartOfIt = (host: string): boolean => host.endsWith('.localhost') || /^127\.\d+\.\d+\.\d+$/.test(host);

/**
 * For a host as `URL` gives it, with its port. Itself is not among them. `isAsked`: what is asked for at a part of this
 * machine may be denied by the machine's name; a rule that names the part means the part.
 */
export const otherSpellings = (host: string, isAsked: boolean): readonly string[] => {
  const [, name = '', port = ''] = /^(.*?)(:\d+)?$/s.exec(host) ?? [];
  const first = carriedIn(name) ?? name;
  const isMachine = THIS_MACHINE.includes(first) || (isAsked && isPartOfIt(first));
  const same = isMachine ? [first, ...THIS_MACHINE] : [first];
  return [...new Set(same)].filter((each) => each !== name).map((each) => `${each}${port}`);
};

const carriedIn = (name: string): string | undefined => {
  const groups = name.startsWith('[') ? groupsOf(name.slice(1, -1)) : [];
  const carrier = CARRIERS.find(({ begins }) => begins.every((group, index) => groups[index] === group));
  const [high = 0, low = 0] = carrier ? groups.slice(carrier.at, carrier.at + 2) : [];
  // `::1` and `::` are addresses of their own.
  if (high === 0) return undefined;
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
};

/** The eight groups of an address as `URL` writes it, in hex. */
const groupsOf = (address: string): readonly number[] => {
  const [before = '', after] = address.split('::');
  const parsed = (text: string): number[] =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  if (after === undefined) return parsed(before);
  const [head, tail] = [parsed(before), parsed(after)];
  return [...head, ...Array<number>(Math.max(0, 8 - head.length - tail.length)).fill(0), ...tail];
};
