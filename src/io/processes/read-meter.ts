/**
 * What a flood leaves behind for the garbage collector. Node reads a pipe into a new buffer of 64 KB each time, and V8
 * looks after buffers that hold no objects only when there are 64 MB of them.
 */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LIMITS } from '../../core/limits.ts';

type Collect = (options: { type: 'minor' }) => void;

/** The collector is no part of the language: a context that is made while the flag is set has it. */
const findCollector = (): Collect => {
  try {
    setFlagsFromString('--expose-gc');
    const found: unknown = runInNewContext('globalThis.gc');
    setFlagsFromString('--no-expose-gc');
    return typeof found === 'function' ? (found as Collect) : () => {};
  } catch {
    // Another engine than V8 has its own ways.
    return () => {};
  }
};
let collect: Collect | undefined;

/** Counts bytes that were read and not kept, and has their memory given back now and then. Costs a millisecond each time. */
export const createReadMeter = (everyBytes: number = LIMITS.readBetweenCollections): ((bytes: number) => void) => {
  let read = 0;
  return (bytes) => {
    read += bytes;
    if (read < everyBytes) return;
    read = 0;
    collect ??= findCollector();
    collect({ type: 'minor' });
  };
};
