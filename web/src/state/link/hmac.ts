/**
 * HMAC with SHA-256 for pages on an address that the browser does not trust, such as plain HTTP in a home network: there
 * it has no cryptography of its own. Pure; a few hundred bytes take less than a millisecond.
 */
type Bytes = Uint8Array<ArrayBuffer>;

const BLOCK_BYTES = 64;
const ROUNDS = 64;
const INNER = 0x36;
const OUTER = 0x5c;

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let candidate = 2; found.length < count; candidate += 1)
    if (found.every((prime) => candidate % prime !== 0)) found.push(candidate);
  return found;
};
/** The first 32 bits behind the point, as the standard defines its constants. */
const fraction = (value: number): number => Math.floor((value % 1) * 2 ** 32) | 0;
const CONSTANTS = primes(ROUNDS).map((prime) => fraction(Math.cbrt(prime)));
const START = primes(8).map((prime) => fraction(Math.sqrt(prime)));

const turned = (word: number, bits: number): number => (word >>> bits) | (word << (32 - bits));

const padded = (text: Bytes): DataView => {
  const length = Math.ceil((text.length + 9) / BLOCK_BYTES) * BLOCK_BYTES;
  const bytes = new Uint8Array(length);
  bytes.set(text);
  bytes[text.length] = 0x80;
  const view = new DataView(bytes.buffer);
  view.setUint32(length - 4, text.length * 8);
  return view;
};

const schedule = (view: DataView, at: number): number[] => {
  const words = Array.from({ length: 16 }, (_, index) => view.getInt32(at + 4 * index));
  for (let index = 16; index < ROUNDS; index += 1) {
    const [two, fifteen] = [words[index - 2] as number, words[index - 15] as number];
    const late = turned(two, 17) ^ turned(two, 19) ^ (two >>> 10);
    const early = turned(fifteen, 7) ^ turned(fifteen, 18) ^ (fifteen >>> 3);
    words.push((late + (words[index - 7] as number) + early + (words[index - 16] as number)) | 0);
  }
  return words;
};

const compressed = (state: readonly number[], words: readonly number[]): number[] => {
  let [a, b, c, d, e, f, g, h] = state as [number, number, number, number, number, number, number, number];
  for (let round = 0; round < ROUNDS; round += 1) {
    const chosen = (e & f) ^ (~e & g);
    const most = (a & b) ^ (a & c) ^ (b & c);
    const one =
      h +
      (turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)) +
      chosen +
      (CONSTANTS[round] as number) +
      (words[round] as number);
    const two = (turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + most;
    [a, b, c, d, e, f, g, h] = [(one + two) | 0, a, b, c, (d + one) | 0, e, f, g];
  }
  return [a, b, c, d, e, f, g, h].map((word, index) => (word + (state[index] as number)) | 0);
};

const sha256 = (text: Bytes): Bytes => {
  const view = padded(text);
  let state: readonly number[] = START;
  for (let at = 0; at < view.byteLength; at += BLOCK_BYTES) state = compressed(state, schedule(view, at));
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setInt32(4 * index, word);
  return new Uint8Array(digest.buffer);
};

const joined = (...parts: readonly Bytes[]): Bytes => {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
};

export const hmacSha256 = (secret: Bytes, text: Bytes): Bytes => {
  const key = new Uint8Array(BLOCK_BYTES);
  key.set(secret.length > BLOCK_BYTES ? sha256(secret) : secret);
  const inner = sha256(
    joined(
      key.map((byte) => byte ^ INNER),
      text,
    ),
  );
  return sha256(
    joined(
      key.map((byte) => byte ^ OUTER),
      inner,
    ),
  );
};
