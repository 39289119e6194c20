/** Whether a model fits the memory of this machine, told by the size of its file. */
import { totalmem } from 'node:os';

export type MemoryFit = 'fits' | 'tight' | 'too_large';

/** What a window and the engine need besides the weights, as a share of them and at least. */
const BESIDES_WEIGHTS = 0.2;
const BESIDES_BYTES = 300_000_000;
/** The rest is for the system and for what else runs. */
const COMFORTABLE_SHARE = 0.7;
const LARGEST_SHARE = 0.92;

/** Main memory, or what a container may use of it. */
export const machineMemory = (): number => {
  const allowed = process.constrainedMemory();
  return allowed > 0 ? Math.min(allowed, totalmem()) : totalmem();
};

export const memoryFit = (sizeBytes: number, memoryBytes: number): MemoryFit => {
  const needed = sizeBytes * (1 + BESIDES_WEIGHTS) + BESIDES_BYTES;
  if (needed <= memoryBytes * COMFORTABLE_SHARE) return 'fits';
  return needed <= memoryBytes * LARGEST_SHARE ? 'tight' : 'too_large';
};
