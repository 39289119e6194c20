/** A server that was just started loads its model: the first message waits for that, as every later one does. */
import { setTimeout as after } from 'node:timers/promises';
import { LOADING, type ModelError } from '../../core/model-port.ts';
import { counted } from '../../core/number-text.ts';
import type { Outcome } from '../../core/outcome.ts';
import { AGENT_LIMITS } from '../limits.ts';

export type Waiting = {
  signal: AbortSignal;
  onLoading?(message: string): void;
  /** Default: `modelLoadMs`. */
  limitMs?: number;
  /** Default: the clock of this process, in milliseconds. */
  now?(): number;
  /** Default: `modelRetryMs`. */
  pause?(): Promise<unknown>;
};

export const whenLoaded = async <Model>(
  open: () => Promise<Outcome<Model, ModelError>>,
  waiting: Waiting,
): Promise<Outcome<Model, ModelError>> => {
  const { signal, onLoading, limitMs = AGENT_LIMITS.modelLoadMs, now = () => performance.now() } = waiting;
  const { pause = () => after(AGENT_LIMITS.modelRetryMs, undefined, { signal }).catch(() => undefined) } = waiting;
  const end = now() + limitMs;
  for (;;) {
    const model = await open();
    if (model.ok || model.error.reason !== LOADING || signal.aborted) return model;
    if (now() >= end) return { ok: false, error: { ...model.error, message: tooLong(limitMs) } };
    onLoading?.('The server is loading the model.');
    await pause();
  }
};

const tooLong = (limitMs: number): string =>
  `The server has been loading its model for ${counted(limitMs / 60_000, 'minute')}, so it is not waited for any longer. Its own log says what holds it up.`;
