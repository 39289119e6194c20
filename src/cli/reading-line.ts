/** What a person sees while the sessions of a machine are read for the first time. */
import { counted } from '../core/number-text.ts';
import type { OnReading } from '../core/storage-port.ts';
import type { Io } from './io.ts';
import { progressLine } from './progress-line.ts';

export const readingLine = (io: Io): { show: OnReading; clear(): void } => {
  const line = progressLine(io.stderr);
  return {
    show: (done, total) => line.show(`Reading ${counted(total, 'session')}; the next time is fast`, done / total),
    clear: line.clear,
  };
};
