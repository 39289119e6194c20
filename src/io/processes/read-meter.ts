/**
 * What a flood leaves behind for the garbage collector. Node reads a pipe into a new buffer of 64 KB each time, and V8
 * looks after buffers that hold no objects only when there are 64 MB of them.
 */
import { IO_LIMITS } from '../limits.ts';

/**
 * Counts bytes that were read and not kept, and asks for a minor collection after each `everyBytes`. Takes a millisecond
 * each time. Does nothing where the process exposes no collector (`globalThis.gc`); the program `halter` does.
 */
export const createReadMeter = (everyBytes: number = IO_LIMITS.readBetweenCollections): ((bytes: number) => void) => {
  let read = 0;
  return (bytes) => {
    read += bytes;
    if (read < everyBytes) return;
    read = 0;
    void globalThis.gc?.({ type: 'minor' });
  };
};
