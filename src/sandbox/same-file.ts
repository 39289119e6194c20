/** Whether two files are the same for a person: kind, content and rights. */
import fs from 'node:fs';
import { SANDBOX_LIMITS } from './limits.ts';
import { statAt } from './place.ts';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = fs.constants;

export const isSameFile = (first: string, second: string): boolean => {
  const [a, b] = [statAt(first), statAt(second)];
  if (a === undefined || b === undefined) return false;
  if (a.isSymbolicLink() && b.isSymbolicLink()) return fs.readlinkSync(first) === fs.readlinkSync(second);
  return a.isFile() && b.isFile() && a.size === b.size && a.mode === b.mode && isSameContent(first, second);
};

const isSameContent = (first: string, second: string): boolean => {
  const opened: number[] = [];
  try {
    for (const file of [first, second]) opened.push(fs.openSync(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK));
    const [a = 0, b = 0] = opened;
    const [left, right] = [Buffer.alloc(SANDBOX_LIMITS.comparedBytes), Buffer.alloc(SANDBOX_LIMITS.comparedBytes)];
    for (;;) {
      const [fromLeft, fromRight] = [readFull(a, left), readFull(b, right)];
      if (fromLeft !== fromRight || left.compare(right, 0, fromRight, 0, fromLeft) !== 0) return false;
      if (fromLeft < left.length) return true;
    }
  } catch {
    return false;
  } finally {
    for (const descriptor of opened) fs.closeSync(descriptor);
  }
};

/** As much as there is, up to the length of the buffer. */
const readFull = (descriptor: number, into: Buffer): number => {
  let read = 0;
  while (read < into.length) {
    const more = fs.readSync(descriptor, into, read, into.length - read, null);
    if (more === 0) break;
    read += more;
  }
  return read;
};
