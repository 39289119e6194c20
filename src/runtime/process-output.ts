/**
 * Keeps the beginning and the end of a stream of text in bounded memory. A flood of output costs no more than the limit,
 * and what matters of a long output stands mostly at its two ends.
 */
import { grouped } from '../core/number-text.ts';

export type KeptOutput = { text: string; totalBytes: number; omittedBytes: number };
export type OutputKeeper = { push(text: string): void; finish(): KeptOutput };

export const omittedSentence = (omittedBytes: number, totalBytes: number): string =>
  `${grouped(omittedBytes)} of ${grouped(totalBytes)} bytes of output were left out in the middle`;

/** The longest start of `text` of at most `maxBytes` bytes of UTF-8; never half a character. */
const headOf = (text: string, maxBytes: number): string => {
  let end = Math.min(text.length, maxBytes);
  while (end > 0 && Buffer.byteLength(text.slice(0, end)) > maxBytes) {
    end = Math.floor((end * maxBytes) / Buffer.byteLength(text.slice(0, end)));
  }
  if (end > 0 && isHighSurrogate(text, end - 1)) end -= 1;
  return text.slice(0, end);
};
const tailOf = (text: string, maxBytes: number): string => {
  let start = Math.max(0, text.length - maxBytes);
  while (start < text.length && Buffer.byteLength(text.slice(start)) > maxBytes) {
    const kept = text.length - start;
    start = text.length - Math.floor((kept * maxBytes) / Buffer.byteLength(text.slice(start)));
  }
  if (start > 0 && start < text.length && isHighSurrogate(text, start - 1)) start += 1;
  return text.slice(start);
};
const isHighSurrogate = (text: string, index: number): boolean => (text.charCodeAt(index) & 0xfc00) === 0xd800;

export const createOutputKeeper = (maxBytes: number): OutputKeeper => {
  const headBytes = Math.floor(maxBytes / 2);
  const tailBytes = maxBytes - headBytes;
  let head = '';
  let headLength = 0;
  let headFull = false;
  let tail = '';
  let total = 0;

  return {
    push: (text) => {
      const bytes = Buffer.byteLength(text);
      total += bytes;
      let rest = text;
      if (!headFull) {
        const piece = headLength + bytes <= headBytes ? text : headOf(text, headBytes - headLength);
        head += piece;
        headLength += Buffer.byteLength(piece);
        rest = text.slice(piece.length);
        headFull = rest !== '';
      }
      if (rest === '') return;
      tail += rest;
      // Cut only when it has grown to twice its size, so that many small pieces do not each copy the whole tail.
      if (tail.length > tailBytes * 2) tail = tailOf(tail, tailBytes);
    },
    finish: () => {
      const omitted = total - headLength - Buffer.byteLength(tail);
      if (omitted <= 0 && headLength + Buffer.byteLength(tail) <= maxBytes) {
        return { text: head + tail, totalBytes: total, omittedBytes: 0 };
      }
      const end = tailOf(tail, tailBytes);
      const left = total - headLength - Buffer.byteLength(end);
      return {
        text: `${head}\n[… ${omittedSentence(left, total)} …]\n${end}`,
        totalBytes: total,
        omittedBytes: left,
      };
    },
  };
};
