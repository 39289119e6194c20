/**
 * Models that clients name, for a while: to ask their server about them anew costs several requests, and what was learned
 * of one in an answer has to be there for the next.
 */
import type { Agent, ChosenModel } from '../../agent/create-agent.ts';
import { whenLoaded } from '../../agent/models/when-loaded.ts';
import { LOADING, type ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';
import { afterMoment } from '../open-loaded.ts';

export type KeptModels = {
  /** Waits for a server that still loads its model, as long as the caller does and no client gives up. */
  open(name: string, signal: AbortSignal): Promise<Outcome<ChosenModel, ModelError>>;
};

type Waiting = {
  now(): number;
  /** Default: `modelLoadRetryMs`. */
  pause?(signal: AbortSignal): Promise<unknown>;
};

/** Clients ask again by themselves where they are told when. */
const toAskAgain = (failed: { ok: false; error: ModelError }): { ok: false; error: ModelError } =>
  failed.error.reason === LOADING
    ? { ok: false, error: { ...failed.error, retry_after_seconds: GATEWAY_LIMITS.modelLoadAgainSeconds } }
    : failed;

/** Clients of Ollama say `:latest` where they mean a name without a tag. */
const openTagged = async (open: Agent['models']['open'], name: string): ReturnType<Agent['models']['open']> => {
  const opened = await open(name);
  const plain = /^(.+):latest$/.exec(name)?.[1];
  if (opened.ok || opened.error.code !== 'model_not_found' || plain === undefined) return opened;
  const untagged = await open(plain);
  return untagged.ok ? untagged : opened;
};

export const createKeptModels = (
  { open }: Pick<Agent['models'], 'open'>,
  { now, pause = afterMoment }: Waiting,
): KeptModels => {
  const kept = new Map<string, { opened: Outcome<ChosenModel, ModelError>; at: number }>();
  return {
    async open(name, signal) {
      const known = kept.get(name);
      if (known !== undefined && now() - known.at < GATEWAY_LIMITS.keptModelMs) return known.opened;
      kept.delete(name);
      const opened = await whenLoaded(() => openTagged(open, name), {
        signal,
        now,
        limitMs: GATEWAY_LIMITS.modelLoadMs,
        pause: () => pause(signal),
      });
      if (!opened.ok) return toAskAgain(opened);
      kept.set(name, { opened, at: now() });
      const [oldest] = kept.keys();
      if (kept.size > GATEWAY_LIMITS.keptModels && oldest !== undefined) kept.delete(oldest);
      return opened;
    },
  };
};
