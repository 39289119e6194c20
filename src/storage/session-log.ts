/** One session's file, open for appending by this process alone. */

import type { FileHandle } from 'node:fs/promises';
import type { Event } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import type { SessionLog } from '../core/storage-port.ts';
import { diskFailure } from '../disk/disk-failure.ts';
import { inTurn } from './in-turn.ts';
import { STORAGE_LIMITS } from './limits.ts';
import { encodeEvent, type FactsFollower, followsFromFacts } from './session-format.ts';

export type SessionLogState = {
  name: string;
  file: FileHandle;
  /** Where the next line goes. */
  size: number;
  facts: FactsFollower;
  /** Runs before the first line of a new file is acknowledged: its folder must know of it. */
  afterFirstWrite?(): Promise<void>;
  /** Written before the first event of a new file. */
  header?: string;
  release(): void;
};

export const createSessionLog = (state: SessionLogState): SessionLog => {
  let { size, header } = state;
  /** Bytes of a failed write may still stand after `size`. */
  let dirty = false;

  const clean = async (): Promise<void> => {
    if (!dirty) return;
    await state.file.truncate(size);
    dirty = false;
  };
  const append = async (event: Event): Promise<Outcome<void>> => {
    const line = encodeEvent(event, state.facts.with(event));
    const bytes = Buffer.from((header ?? '') + line);
    if (bytes.length > STORAGE_LIMITS.sessionLineBytes) {
      return failure('validation_failed', `An event of ${bytes.length} bytes is too large for a session`, 'too_large');
    }
    try {
      await clean();
      dirty = true;
      await writeAll(state.file, bytes, size);
      if (!followsFromFacts(event)) await state.file.datasync();
      if (header !== undefined) await state.afterFirstWrite?.();
    } catch (error) {
      // The line must not come back later as if it had been written.
      await clean().catch(() => {});
      return diskFailure(`The session ${state.name} cannot be written`, error);
    }
    dirty = false;
    size += bytes.length;
    state.facts.add(event);
    header = undefined;
    return succeed(undefined);
  };

  return inTurn(state.name, {
    append,
    async close() {
      try {
        await state.file.datasync();
      } catch {
        // Everything that was promised was flushed before.
      }
      await state.file.close();
      state.release();
    },
  });
};

const writeAll = async (file: FileHandle, bytes: Buffer, position: number): Promise<void> => {
  for (let written = 0; written < bytes.length; ) {
    const { bytesWritten } = await file.write(bytes, written, bytes.length - written, position + written);
    if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
    written += bytesWritten;
  }
};
