/** One turn of a model that is led in steps. */
import type { LedPort } from '../../core/led-port.ts';
import type { ModelPart, ModelRequest } from '../../core/model-port.ts';
import type { Meter } from './meter.ts';

export type Turn = {
  port: LedPort;
  request: ModelRequest;
  emit(part: ModelPart): void;
  signal: AbortSignal;
  meter: Meter;
  /** The model is too small to repeat a result, so the answer quotes it. */
  quotes: boolean;
  /** What a person calls the model, at the beginning of a sentence. */
  called: string;
};
