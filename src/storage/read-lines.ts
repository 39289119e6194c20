/**
 * Reads a file line by line in bounded memory. A line ends with byte 0x0A and with nothing else: U+2028 and its like are
 * ordinary characters of JSON.
 */

import type { FileHandle } from 'node:fs/promises';
import { STORAGE_LIMITS } from './limits.ts';

export type FileLine = {
  /** Counts from 1. */
  number: number;
  /** Where the line begins in the file. */
  start: number;
  /** Without the newline; undefined where the line is longer than the limit. Valid only during the call. */
  bytes: Buffer | undefined;
  /** False for a last line without its newline. */
  complete: boolean;
};

/** Calls `onLine` for each line; stops early where it returns false. Resolves with the number of bytes read. */
export const readLines = async (
  file: FileHandle,
  onLine: (line: FileLine) => boolean | undefined,
  maxLineBytes: number = STORAGE_LIMITS.sessionLineBytes,
): Promise<number> => {
  const chunk = Buffer.allocUnsafe(STORAGE_LIMITS.sessionReadBytes);
  /** The beginning of a line whose end was not read yet. */
  let pieces: Buffer[] = [];
  let piecesLength = 0;
  let position = 0;
  let lineStart = 0;
  let number = 1;

  const emit = (rest: Buffer, complete: boolean): boolean => {
    const length = piecesLength + rest.length;
    const bytes =
      length > maxLineBytes ? undefined : pieces.length === 0 ? rest : Buffer.concat([...pieces, rest], length);
    const goOn = onLine({ number, start: lineStart, bytes, complete }) !== false;
    lineStart += length + 1;
    number += 1;
    pieces = [];
    piecesLength = 0;
    return goOn;
  };

  for (;;) {
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) break;
    position += bytesRead;
    let from = 0;
    for (;;) {
      const end = chunk.subarray(0, bytesRead).indexOf(0x0a, from);
      if (end === -1) break;
      if (!emit(chunk.subarray(from, end), true)) return position;
      from = end + 1;
    }
    if (from < bytesRead) {
      const rest = chunk.subarray(from, bytesRead);
      piecesLength += rest.length;
      // Of a line that is too long nothing is kept but its length.
      if (piecesLength <= maxLineBytes) pieces.push(Buffer.from(rest));
      else pieces = [];
    }
  }
  if (piecesLength > 0) emit(Buffer.alloc(0), false);
  return position;
};
