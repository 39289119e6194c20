import { hash } from 'node:crypto';
import { grouped } from '../../core/number-text.ts';
import { type Failure, failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { FileBytes } from '../../core/ports.ts';
import { IO_LIMITS } from '../limits.ts';
import { systemFailure } from './faults.ts';
import { describeKind, fileStat, modeOf } from './kinds.ts';
import type { Opener } from './opener.ts';
import type { OpenFile } from './system-calls.ts';

export const hashOf = (bytes: Uint8Array): string => hash('sha256', bytes, 'hex');

export const CANCELLED: Failure = { error_type: 'io_error', message: 'Cancelled', reason: 'cancelled' };

const bytesWithUnit = (bytes: number): string =>
  bytes >= 1024 * 1024 && bytes % (1024 * 1024) === 0 ? `${bytes / (1024 * 1024)} MB` : `${grouped(bytes)} bytes`;

const tooLarge = (name: string, size: number, maxBytes: number): Outcome<never> =>
  failure(
    'validation_failed',
    `${name} is ${grouped(size)} bytes; the limit is ${bytesWithUnit(maxBytes)}`,
    'too_large',
  );

/** Reads what was there when the file was opened: a file that grows meanwhile does not keep the reader busy. */
const readUpTo = async (handle: OpenFile, size: number, signal?: AbortSignal): Promise<Buffer | undefined> => {
  const buffer = Buffer.allocUnsafe(size);
  let filled = 0;
  while (filled < size) {
    if (signal?.aborted) return undefined;
    const { bytesRead } = await handle.read(buffer, filled, Math.min(IO_LIMITS.readChunkBytes, size - filled), filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return buffer.subarray(0, filled);
};

export const readRegularFile = async (
  opener: Opener,
  absolute: string,
  name: string,
  options: { maxBytes: number; signal?: AbortSignal },
): Promise<Outcome<{ file: Omit<FileBytes, 'path'>; realPath: string }>> => {
  if (options.signal?.aborted) return { ok: false, error: CANCELLED };
  const located = await opener.locate(absolute, name);
  if (!located.ok) return located;
  const { stat, realPath } = located.value;
  try {
    if (!stat.isFile()) {
      const hint = stat.isDirectory() ? '; use ls to see what is in it' : '';
      return failure('validation_failed', `${name} is ${describeKind(stat)}, not a regular file${hint}`);
    }
    if (stat.size > BigInt(options.maxBytes)) return tooLarge(name, Number(stat.size), options.maxBytes);
    const handle = await located.value.openForReading();
    const bytes = await readUpTo(handle, Number(stat.size), options.signal);
    if (bytes === undefined) return { ok: false, error: CANCELLED };
    return succeed({ file: { bytes, hash: hashOf(bytes), stat: fileStat(stat), mode: modeOf(stat) }, realPath });
  } catch (error) {
    return { ok: false, error: systemFailure(error, 'read', name) };
  } finally {
    await located.value.close();
  }
};
