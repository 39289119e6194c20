/** A model that is asked for by its name. Its server may still load it: it is waited for as long as clients wait. */
import { setTimeout as after } from 'node:timers/promises';
import type { Agent, ChosenModel } from '../agent/create-agent.ts';
import { whenLoaded } from '../agent/models/when-loaded.ts';
import type { ModelError } from '../core/model-port.ts';
import type { Outcome } from '../core/outcome.ts';
import { GATEWAY_LIMITS } from '../gateway/limits.ts';

export const afterMoment = (signal: AbortSignal): Promise<unknown> =>
  after(GATEWAY_LIMITS.modelLoadRetryMs, undefined, { signal }).catch(() => undefined);

export const openLoaded = (
  { open }: Pick<Agent['models'], 'open'>,
  name: string,
  signal: AbortSignal,
): Promise<Outcome<ChosenModel, ModelError>> =>
  whenLoaded(() => open(name), { signal, limitMs: GATEWAY_LIMITS.modelLoadMs, pause: () => afterMoment(signal) });
