/**
 * Keeps the beginning and the end of a stream of bytes in memory of a fixed size. A flood of output costs no more than
 * the limit (what is thrown away never becomes text), and what matters of a long output stands mostly at its two ends.
 */
import { grouped } from '../../core/number-text.ts';

export type KeptOutput = { text: string; totalBytes: number; omittedBytes: number };
export type OutputKeeper = { push(bytes: Uint8Array): void; finish(): KeptOutput };

export const omittedSentence = (omittedBytes: number, totalBytes: number): string =>
  `${grouped(omittedBytes)} of ${grouped(totalBytes)} bytes of output were left out in the middle`;

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;
const lengthOfCharacter = (first: number): number => {
  if (first >= 0xf0) return 4;
  if (first >= 0xe0) return 3;
  return first >= 0xc0 ? 2 : 1;
};
const LONGEST_CHARACTER = 4;

/** How many bytes at the end are the beginning of a character whose rest is still to come. */
export const unfinishedBytes = (bytes: Uint8Array): number => {
  for (let back = 1; back < LONGEST_CHARACTER && back <= bytes.length; back += 1) {
    const byte = bytes[bytes.length - back] as number;
    if (isContinuation(byte)) continue;
    return lengthOfCharacter(byte) > back ? back : 0;
  }
  return 0;
};
/** How many bytes at the start are the end of a character whose beginning was left out. */
const leftoverBytes = (bytes: Uint8Array): number => {
  let count = 0;
  while (count < LONGEST_CHARACTER - 1 && isContinuation(bytes[count])) count += 1;
  return count;
};

/** The last bytes of all that was pushed, in one piece of memory that is written over and over. */
const createRing = (capacity: number) => {
  let memory: Buffer | undefined;
  let next = 0;
  let pushed = 0;
  return {
    push(bytes: Uint8Array): void {
      pushed += bytes.length;
      if (capacity === 0) return;
      memory ??= Buffer.allocUnsafeSlow(capacity);
      const kept = bytes.subarray(Math.max(0, bytes.length - capacity));
      const untilEnd = Math.min(kept.length, capacity - next);
      memory.set(kept.subarray(0, untilEnd), next);
      memory.set(kept.subarray(untilEnd), 0);
      next = (next + kept.length) % capacity;
    },
    dropped: (): number => Math.max(0, pushed - capacity),
    bytes(): Buffer {
      if (memory === undefined) return Buffer.alloc(0);
      return pushed <= capacity
        ? memory.subarray(0, pushed)
        : Buffer.concat([memory.subarray(next), memory.subarray(0, next)]);
    },
  };
};

export const createOutputKeeper = (maxBytes: number): OutputKeeper => {
  const headBytes = Math.floor(maxBytes / 2);
  const tail = createRing(maxBytes - headBytes);
  let head: Buffer | undefined;
  let headLength = 0;
  let total = 0;

  return {
    push(bytes) {
      total += bytes.length;
      const room = Math.min(headBytes - headLength, bytes.length);
      if (room > 0) {
        head ??= Buffer.allocUnsafeSlow(headBytes);
        head.set(bytes.subarray(0, room), headLength);
        headLength += room;
      }
      if (room < bytes.length) tail.push(bytes.subarray(room));
    },
    finish() {
      const begin = head?.subarray(0, headLength) ?? Buffer.alloc(0);
      const end = tail.bytes();
      if (tail.dropped() === 0) {
        return { text: Buffer.concat([begin, end]).toString('utf8'), totalBytes: total, omittedBytes: 0 };
      }
      const first = begin.subarray(0, begin.length - unfinishedBytes(begin));
      const last = end.subarray(leftoverBytes(end));
      const omittedBytes = total - first.length - last.length;
      const note = omittedSentence(omittedBytes, total);
      return {
        text: `${first.toString('utf8')}\n[… ${note} …]\n${last.toString('utf8')}`,
        totalBytes: total,
        omittedBytes,
      };
    },
  };
};

/**
 * Cuts a stream of bytes between characters alone: each piece can be read as text by itself, and pieces of two streams
 * can be put together without breaking one. What is whole is handed on as it is, without a copy.
 */
export type CharacterGate = { push(bytes: Uint8Array): void; end(): void };

export const createCharacterGate = (handOn: (bytes: Uint8Array) => void): CharacterGate => {
  let held: Uint8Array = new Uint8Array();
  return {
    push(bytes) {
      let rest = bytes;
      if (held.length > 0) {
        const needed = lengthOfCharacter(held[0] as number) - held.length;
        const given = Math.min(needed, leftoverBytes(bytes));
        const joined = Buffer.concat([held, bytes.subarray(0, given)]);
        rest = bytes.subarray(given);
        if (rest.length === 0 && given < needed) {
          held = joined;
          return;
        }
        held = new Uint8Array();
        handOn(joined);
      }
      const whole = rest.length - unfinishedBytes(rest);
      if (whole > 0) handOn(rest.subarray(0, whole));
      // Copied: those few must not keep the whole piece in memory.
      held = Uint8Array.from(rest.subarray(whole));
    },
    end() {
      if (held.length > 0) handOn(held);
      held = new Uint8Array();
    },
  };
};
