import type { BigIntStats, Stats } from 'node:fs';
import type { FileKind, FileStat } from '../../core/ports.ts';

export const kindOf = (stat: Stats | BigIntStats): FileKind =>
  stat.isFile() ? 'file' : stat.isDirectory() ? 'directory' : stat.isSymbolicLink() ? 'link' : 'other';

/** What a thing is, in words for a message. */
export const describeKind = (stat: Stats | BigIntStats): string => {
  if (stat.isDirectory()) return 'a directory';
  if (stat.isFIFO()) return 'a FIFO (named pipe)';
  if (stat.isSocket()) return 'a socket';
  if (stat.isCharacterDevice() || stat.isBlockDevice()) return 'a device';
  return stat.isSymbolicLink() ? 'a link' : 'a regular file';
};

/** The permission bits that may be given again: no rights of an owner or a group. */
export const PERMISSION_BITS = 0o777;
export const modeOf = (stat: Stats | BigIntStats): number => Number(stat.mode) & PERMISSION_BITS;

export const fileStat = (stat: Stats | BigIntStats): FileStat => ({
  kind: kindOf(stat),
  size: Number(stat.size),
  modified_ms: Math.floor(Number(stat.mtimeMs)),
});
