/**
 * What git's index says, without what it only remembers of the files on the disk. `git status` writes the index anew to
 * remember more, and says nothing new by that. https://git-scm.com/docs/index-format
 */
import { createHash } from 'node:crypto';

const HEADER = 12;
/** Before the name of the object: times, device, inode, mode, owner, size. */
const MODE_AT = 24;
const OBJECT_AT = 40;
const HAS_MORE_FLAGS = 0x4000;
const NAME_LENGTH = 0x0fff;
/** Extensions that say again what the entries say, or what was found on the disk. A capital means that others may skip it. */
const SKIPPED = /^(?:TREE|REUC|UNTR|FSMN|EOIE|IEOT|sdir)$/;

/** Equal for two indexes that say the same; undefined for what is no index, or is spread over several files. */
export const digestOfIndex = (index: Buffer): string | undefined => readIndex(index, 20) ?? readIndex(index, 32);

const readIndex = (index: Buffer, objectBytes: number): string | undefined => {
  const end = index.length - objectBytes;
  if (end < HEADER || index.toString('latin1', 0, 4) !== 'DIRC') return undefined;
  const version = index.readUInt32BE(4);
  const count = index.readUInt32BE(8);
  if (version < 2 || version > 4) return undefined;
  const hash = createHash('sha256');
  let at = HEADER;
  let name: Buffer = Buffer.alloc(0);
  for (let entry = 0; entry < count; entry += 1) {
    const flagsAt = at + OBJECT_AT + objectBytes;
    if (flagsAt + 4 > end) return undefined;
    const flags = index.readUInt16BE(flagsAt);
    const hasMore = (flags & HAS_MORE_FLAGS) !== 0;
    const nameAt = flagsAt + (hasMore ? 4 : 2);
    const read = version === 4 ? afterCommonPart(index, nameAt, name) : { name: upToZero(index, nameAt), next: 0 };
    if (read?.name === undefined) return undefined;
    name = read.name;
    hash.update(index.subarray(at + MODE_AT, at + MODE_AT + 4));
    hash.update(index.subarray(at + OBJECT_AT, flagsAt));
    hash.update(`${flags & ~NAME_LENGTH} ${hasMore ? index.readUInt16BE(flagsAt + 2) : 0} ${name.length} `);
    hash.update(name);
    // Up to version 3 an entry ends with one to eight zeros, so that the next begins at a multiple of eight.
    const length = nameAt + name.length - at;
    at = version === 4 ? read.next : at + length + 8 - (length % 8);
  }
  return hasKnownExtensions(index, at, end) ? hash.digest('hex') : undefined;
};

const hasKnownExtensions = (index: Buffer, from: number, end: number): boolean => {
  let at = from;
  while (at + 8 <= end) {
    if (!SKIPPED.test(index.toString('latin1', at, at + 4))) return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
};

const upToZero = (index: Buffer, at: number): Buffer | undefined => {
  const end = index.indexOf(0, at);
  return end < 0 ? undefined : index.subarray(at, end);
};

/** Version 4: how many bytes of the end of the last name go, in groups of seven bits, and what comes in their place. */
const afterCommonPart = (index: Buffer, from: number, last: Buffer): { name: Buffer; next: number } | undefined => {
  let at = from;
  let byte = index[at] ?? 0;
  let removed = byte & 0x7f;
  while ((byte & 0x80) !== 0) {
    at += 1;
    byte = index[at] ?? 0;
    removed = ((removed + 1) << 7) | (byte & 0x7f);
  }
  const added = upToZero(index, at + 1);
  if (added === undefined || removed > last.length) return undefined;
  return { name: Buffer.concat([last.subarray(0, last.length - removed), added]), next: at + 2 + added.length };
};
