/**
 * Reads one entry of a zip file, which is what a Python wheel is: the central directory at its end, then the entry's own
 * bytes, stored or deflated. Enough for a wheel; no ZIP64, no encryption.
 */
import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createInflateRaw } from 'node:zlib';
import { EMBEDDED_LIMITS } from '../limits.ts';

export type ZipEntry = { name: string; method: number; compressedSize: number; size: number; offset: number };

const END_SIGNATURE = 0x06_05_4b_50;
const CENTRAL_SIGNATURE = 0x02_01_4b_50;
const LOCAL_SIGNATURE = 0x04_03_4b_50;
const END_BYTES = 22;
const CENTRAL_BYTES = 46;
const LOCAL_BYTES = 30;

export class ZipError extends Error {}

const readAt = async (handle: FileHandle, offset: number, length: number): Promise<Buffer> => {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await handle.read(buffer, 0, length, offset);
  if (bytesRead < length) throw new ZipError('the archive is cut short');
  return buffer;
};

const readDirectory = async (handle: FileHandle): Promise<ZipEntry[]> => {
  const { size } = await handle.stat();
  const tail = await readAt(
    handle,
    Math.max(0, size - EMBEDDED_LIMITS.zipTailBytes),
    Math.min(size, EMBEDDED_LIMITS.zipTailBytes),
  );
  let end = tail.length - END_BYTES;
  while (end >= 0 && tail.readUInt32LE(end) !== END_SIGNATURE) end -= 1;
  if (end < 0) throw new ZipError('it is not a zip archive');
  const length = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (length > EMBEDDED_LIMITS.zipDirectoryBytes || start + length > size)
    throw new ZipError('its directory is damaged');
  const directory = await readAt(handle, start, length);
  const entries: ZipEntry[] = [];
  let at = 0;
  while (at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL_SIGNATURE) {
    const nameLength = directory.readUInt16LE(at + 28);
    entries.push({
      method: directory.readUInt16LE(at + 10),
      compressedSize: directory.readUInt32LE(at + 20),
      size: directory.readUInt32LE(at + 24),
      offset: directory.readUInt32LE(at + 42),
      name: directory.toString('utf8', at + CENTRAL_BYTES, at + CENTRAL_BYTES + nameLength),
    });
    at += CENTRAL_BYTES + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
  }
  return entries;
};

/** The entry's contents as a stream. Throws `ZipError` where the file is not what it should be. */
export const openZipEntry = async (
  file: string,
  matches: (name: string) => boolean,
): Promise<{ entry: ZipEntry; stream: Readable }> => {
  const handle = await open(file, 'r');
  try {
    const entry = (await readDirectory(handle)).find((candidate) => matches(candidate.name));
    if (entry === undefined) throw new ZipError('the file looked for is not in it');
    const local = await readAt(handle, entry.offset, LOCAL_BYTES);
    if (local.readUInt32LE(0) !== LOCAL_SIGNATURE) throw new ZipError('its directory is damaged');
    const start = entry.offset + LOCAL_BYTES + local.readUInt16LE(26) + local.readUInt16LE(28);
    if (entry.compressedSize === 0) return { entry, stream: Readable.from([]) };
    const raw = createReadStream(file, { start, end: start + entry.compressedSize - 1 });
    if (entry.method === 0) return { entry, stream: raw };
    if (entry.method !== 8) throw new ZipError(`it uses compression method ${entry.method}, which is not known here`);
    const inflate = createInflateRaw();
    raw.on('error', (error) => inflate.destroy(error));
    inflate.on('close', () => raw.destroy());
    return { entry, stream: raw.pipe(inflate) };
  } finally {
    await handle.close();
  }
};

/** The whole entry, for small ones. */
export const readZipEntry = async (file: string, matches: (name: string) => boolean): Promise<Buffer> => {
  const { stream } = await openZipEntry(file, matches);
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
};
