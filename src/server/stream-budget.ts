/**
 * What streams hold that nobody has taken yet, all of them together. A single one that is too far behind is let go; where
 * many are a little behind, the one that is furthest.
 */
import { SERVER_LIMITS } from './limits.ts';

export type HeldStream = {
  /** So many bytes wait in it. May let it go at once. */
  added(bytes: number): void;
  took(bytes: number): void;
  leave(): void;
};

export type StreamBudget = {
  /** `letGo` is called once at most; the stream holds nothing worth counting then. */
  enter(letGo: () => void): HeldStream;
};

export const createStreamBudget = (bytesEach: number, bytesAll: number): StreamBudget => {
  type Entry = { bytes: number; letGo(): void };
  const held = new Set<Entry>();
  let total = 0;
  const leave = (entry: Entry): void => {
    if (held.delete(entry)) total -= entry.bytes;
  };
  const dismiss = (entry: Entry): void => {
    leave(entry);
    entry.letGo();
  };
  const furthest = (): Entry | undefined => {
    let found: Entry | undefined;
    for (const entry of held) if (entry.bytes > (found?.bytes ?? 0)) found = entry;
    return found;
  };
  return {
    enter(letGo) {
      const entry: Entry = { bytes: 0, letGo };
      held.add(entry);
      const change = (bytes: number): void => {
        if (!held.has(entry)) return;
        entry.bytes += bytes;
        total += bytes;
      };
      return {
        added(bytes) {
          change(bytes);
          if (held.has(entry) && entry.bytes > bytesEach) dismiss(entry);
          while (total > bytesAll) {
            const last = furthest();
            if (last === undefined) return;
            dismiss(last);
          }
        },
        took: (bytes) => change(-bytes),
        leave: () => leave(entry),
      };
    },
  };
};

/** Frames together, up to a size: what a socket holds that nobody reads is one of these. */
export const chunksOf = (frames: readonly Uint8Array[]): Uint8Array[] => {
  const chunks: Uint8Array[] = [];
  let from = 0;
  let bytes = 0;
  frames.forEach((frame, index) => {
    bytes += frame.byteLength;
    if (bytes < SERVER_LIMITS.chunkBytes && index < frames.length - 1) return;
    chunks.push(index === from ? frame : Buffer.concat(frames.slice(from, index + 1)));
    from = index + 1;
    bytes = 0;
  });
  return chunks;
};

/** Made once for all who follow the same: what comes in one turn of the event loop goes to each of them in one piece. */
export type Broadcast<Reader> = {
  readonly readers: Set<Reader>;
  add(frame: Uint8Array): void;
  /** Now: before somebody joins who is told of it otherwise. */
  flush(): void;
};

export const createBroadcast = <Reader extends { send(frame: Uint8Array): void }>(): Broadcast<Reader> => {
  const readers = new Set<Reader>();
  let frames: Uint8Array[] = [];
  let flushing: NodeJS.Immediate | undefined;
  const flush = (): void => {
    clearImmediate(flushing);
    flushing = undefined;
    const chunks = chunksOf(frames);
    frames = [];
    for (const chunk of chunks) for (const reader of readers) reader.send(chunk);
  };
  return {
    readers,
    flush,
    add(frame) {
      if (readers.size === 0) return;
      frames.push(frame);
      flushing ??= setImmediate(flush);
    },
  };
};
