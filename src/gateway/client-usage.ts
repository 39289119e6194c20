/** What each client cost and what was repaired for it, since the server began. */
import { GATEWAY_LIMITS } from './limits.ts';
import { doneWords } from './report.ts';

export type ClientUsage = {
  client: string;
  wire: string;
  requests: number;
  failed: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  repaired_calls: number;
  guards: Record<string, number>;
  /** What was done for it, as a person reads it: `41 calls repaired`, `3 loops ended`. */
  done: string[];
  last_at: number;
};

type Counted = Omit<ClientUsage, 'done'>;

export type ClientUsageEntry = Pick<
  ClientUsage,
  'client' | 'wire' | 'prompt_tokens' | 'cached_tokens' | 'completion_tokens' | 'repaired_calls'
> & {
  failed: boolean;
  guards: readonly string[];
  at: number;
};

export type ClientUsageTable = { add(entry: ClientUsageEntry): void; list(): ClientUsage[] };

export const createClientUsageTable = (): ClientUsageTable => {
  const table = new Map<string, Counted>();
  return {
    add({ client, wire, failed, guards, at, ...counts }) {
      const key = `${client}\n${wire}`;
      const known: Counted = table.get(key) ?? {
        client,
        wire,
        requests: 0,
        failed: 0,
        prompt_tokens: 0,
        cached_tokens: 0,
        completion_tokens: 0,
        repaired_calls: 0,
        guards: {},
        last_at: at,
      };
      known.requests += 1;
      known.failed += failed ? 1 : 0;
      known.last_at = at;
      for (const name of ['prompt_tokens', 'cached_tokens', 'completion_tokens', 'repaired_calls'] as const)
        known[name] += counts[name];
      for (const guard of guards) known.guards[guard] = (known.guards[guard] ?? 0) + 1;
      table.set(key, known);
      const [oldest] = table.keys();
      if (table.size > GATEWAY_LIMITS.clients && oldest !== undefined) table.delete(oldest);
    },
    list: () =>
      [...table.values()]
        .sort((one, other) => other.last_at - one.last_at)
        .map((usage) => ({ ...usage, done: doneWords(usage) })),
  };
};
