/** A server that was just started loads its model: the first message waits for that, as every later one does. */
import { setTimeout as after } from 'node:timers/promises';
import { LOADING, type ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { CLI_LIMITS } from '../limits.ts';

export type Waiting = { signal: AbortSignal; onLoading(message: string): void };

export const whenLoaded = async <Model>(
  open: () => Promise<Outcome<Model, ModelError>>,
  { signal, onLoading }: Waiting,
): Promise<Outcome<Model, ModelError>> => {
  for (;;) {
    const model = await open();
    if (model.ok || model.error.reason !== LOADING || signal.aborted) return model;
    onLoading('The server is loading the model.');
    await after(CLI_LIMITS.modelRetryMs, undefined, { signal }).catch(() => undefined);
  }
};
