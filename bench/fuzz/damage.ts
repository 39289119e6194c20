/** What disks, crashes and editors do to a file. */
export type Damage = { bytes: Buffer /** What was touched of the old file: from, to. */; from: number; to: number };

export const damage = (bytes: Buffer, random: () => number): Damage => {
  const below = (limit: number): number => Math.floor(random() * limit);
  const from = below(bytes.length + 1);
  const to = Math.min(bytes.length, from + (random() < 0.5 ? 1 : below(200)));
  const noise = Buffer.from(Array.from({ length: below(40) }, () => below(256)));
  const between = (middle: Buffer): Damage => ({
    bytes: Buffer.concat([bytes.subarray(0, from), middle, bytes.subarray(to)]),
    from,
    to,
  });
  switch (below(7)) {
    case 0: {
      // One bit.
      const flipped = Buffer.from(bytes.subarray(from, to));
      if (flipped.length > 0) flipped[0] = (flipped[0] as number) ^ (1 << below(8));
      return between(flipped);
    }
    case 1:
      return between(noise);
    case 2:
      return between(Buffer.alloc(0));
    case 3:
      // Blocks that were never written after a loss of power.
      return between(Buffer.alloc(to - from));
    case 4:
      return { bytes: bytes.subarray(0, from), from, to: bytes.length };
    case 5: {
      const digits = Buffer.from(
        bytes
          .subarray(from, to)
          .toString('latin1')
          .replace(/\d/, () => String(below(10))),
        'latin1',
      );
      return between(digits);
    }
    default: {
      // A part of the file a second time.
      const copied = bytes.subarray(from, to);
      return { bytes: Buffer.concat([bytes.subarray(0, to), copied, bytes.subarray(to)]), from: to, to };
    }
  }
};
