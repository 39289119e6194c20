/** How fast this machine is: by running the starter, by what earlier answers taught, or by its memory alone. */
import { availableParallelism } from 'node:os';
import { type MachinePace, paceOfMachine } from '../../../core/model-pace.ts';
import type { ModelShape } from '../../../core/model-shape.ts';
import type { Clock } from '../../../core/ports.ts';
import type { LoadEngine } from '../../../providers/embedded/engine.ts';
import { factsOf, openLocalFile, readGgufHeader } from '../../../providers/gguf.ts';
import { openModelSpeeds } from '../../../storage/model-speeds.ts';

export type PaceOptions = {
  /** The starter's file, where it is there. */
  starterFile: string | undefined;
  modelsFolder: string;
  cacheFolder: string;
  clock: Clock;
  signal: AbortSignal;
  /** False: nothing is run, only what is known counts. */
  measure: boolean;
  loadEngine?: LoadEngine;
};

const shapeOfFile = async (file: string): Promise<ModelShape | undefined> => {
  const source = await openLocalFile(file);
  if (!source.ok) return undefined;
  const header = await readGgufHeader(source.value);
  await source.value.close();
  return header.ok ? factsOf(header.value)?.shape : undefined;
};

export const paceOfThisMachine = async (options: PaceOptions): Promise<MachinePace> => {
  const { starterFile, clock, signal } = options;
  const shape = starterFile === undefined ? undefined : await shapeOfFile(starterFile);
  if (starterFile !== undefined && shape !== undefined) {
    if (options.measure) {
      const { measureEngine } = await import('../../../providers/embedded/measure.ts');
      const measured = await measureEngine({
        modelFile: starterFile,
        threads: Math.max(1, availableParallelism() - 1),
        signal,
        seconds: () => clock.monotonic() / 1_000,
        loadEngine: options.loadEngine,
      });
      if (measured.ok) return { ...paceOfMachine(shape, measured.value, 'engine'), model: 'the starter' };
    }
    const speeds = await openModelSpeeds(options.cacheFolder, { provider: 'embedded', endpoint: options.modelsFolder });
    const { prefill_tokens_per_second: reads, decode_tokens_per_second: writes } = speeds.of('starter');
    if (writes !== undefined) {
      const learned = { readTokensPerSecond: reads, writeTokensPerSecond: writes };
      return { ...paceOfMachine(shape, learned, 'learned'), model: 'the starter' };
    }
  }
  return { bytesPerSecond: copySpeed(clock) * COPY_SHARE, from: 'memory' };
};

const COPY_BYTES = 64 * 1024 * 1024;
const COPIES = 6;
/** Of the bytes that a processor copies in a second, what it computes with. */
const COPY_SHARE = 0.5;

/** Bytes that one core reads and writes again in a second: the fastest of some copies, since others work here too. */
const copySpeed = (clock: Clock): number => {
  const from = new Uint8Array(COPY_BYTES).fill(1);
  const to = new Uint8Array(COPY_BYTES);
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < COPIES; round += 1) {
    const started = clock.monotonic();
    to.set(from);
    best = Math.min(best, clock.monotonic() - started);
  }
  return (COPY_BYTES / Math.max(best, 0.001)) * 1_000;
};
