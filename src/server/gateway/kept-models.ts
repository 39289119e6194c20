/**
 * Models that clients name, for a while: to ask their server about them anew costs several requests, and what was learned
 * of one in an answer has to be there for the next.
 */
import type { Agent, ChosenModel } from '../../agent/create-agent.ts';
import type { ModelError } from '../../core/model-port.ts';
import type { Outcome } from '../../core/outcome.ts';
import { GATEWAY_LIMITS } from '../../gateway/limits.ts';

export type KeptModels = { open(name: string): Promise<Outcome<ChosenModel, ModelError>> };

/** Clients of Ollama say `:latest` where they mean a name without a tag. */
const openTagged = async (open: Agent['models']['open'], name: string): ReturnType<Agent['models']['open']> => {
  const opened = await open(name);
  const plain = /^(.+):latest$/.exec(name)?.[1];
  if (opened.ok || opened.error.code !== 'model_not_found' || plain === undefined) return opened;
  const untagged = await open(plain);
  return untagged.ok ? untagged : opened;
};

export const createKeptModels = ({ open }: Pick<Agent['models'], 'open'>, now: () => number): KeptModels => {
  const kept = new Map<string, { opened: Outcome<ChosenModel, ModelError>; at: number }>();
  return {
    async open(name) {
      const known = kept.get(name);
      if (known !== undefined && now() - known.at < GATEWAY_LIMITS.keptModelMs) return known.opened;
      kept.delete(name);
      const opened = await openTagged(open, name);
      if (!opened.ok) return opened;
      kept.set(name, { opened, at: now() });
      const [oldest] = kept.keys();
      if (kept.size > GATEWAY_LIMITS.keptModels && oldest !== undefined) kept.delete(oldest);
      return opened;
    },
  };
};
