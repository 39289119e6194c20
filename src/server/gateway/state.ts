/** What a server's gateway remembers between requests: in memory, bounded, and lost with the process. */
import type { Agent } from '../../agent/create-agent.ts';
import type { JsonObject } from '../../core/json.ts';
import { type ClientUsageTable, createClientUsageTable } from '../../gateway/client-usage.ts';
import type { CompletionOutcome } from '../../gateway/complete.ts';
import { createKeptResponses, type KeptResponses } from '../../gateway/kept-responses.ts';
import { doneWords, type Note, repairCounts } from '../../gateway/report.ts';
import type { GatewayRequest } from '../../gateway/request.ts';
import { createSteadyPrefix, type SteadyPrefix } from '../../gateway/steady-prefix.ts';
import { createToolSights, type ToolSights } from '../../gateway/tool-sight.ts';
import type { UsageSum } from '../../gateway/usage.ts';
import type { ReplyHead, Wire } from '../../gateway/wire.ts';
import { createKeptModels, type KeptModels } from './kept-models.ts';
import { createSideTurns, type SideTurns } from './side-turns.ts';

export type GatewayState = {
  models: KeptModels;
  responses: KeptResponses;
  prefix: SteadyPrefix;
  clients: ClientUsageTable;
  sides: SideTurns;
  sights: ToolSights;
  record(answered: {
    wire: Wire;
    head: ReplyHead;
    body: JsonObject;
    request: GatewayRequest;
    outcome: CompletionOutcome;
    /** Of all requests that were sent for it. */
    usage: UsageSum;
    notes: readonly Note[];
    client: string;
  }): GatewayRecord;
};

/** One answer in the log of whoever runs the server. */
export type GatewayRecord = {
  client: string;
  wire: string;
  model: string;
  failed: boolean;
  /** To the model's server. */
  requests: number;
  prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  /** `text_call=1, trailing_comma=2`. */
  repairs: string;
  guards: string;
  /** `1 call repaired, 1 loop ended`; empty where nothing had to be done. */
  done: string;
};

export const createGatewayState = (models: Agent['models'], now: () => number): GatewayState => {
  const responses = createKeptResponses(now);
  const clients = createClientUsageTable();
  return {
    models: createKeptModels(models, { now }),
    responses,
    prefix: createSteadyPrefix(),
    clients,
    sides: createSideTurns(),
    sights: createToolSights(),
    record({ wire, head, body, request, outcome, usage, notes, client }) {
      const value = outcome.ok ? outcome.value : undefined;
      const { prompt_tokens, cached_tokens = 0, completion_tokens } = usage.total();
      const cost = {
        client,
        wire: wire.name,
        failed: !outcome.ok,
        prompt_tokens,
        cached_tokens,
        completion_tokens,
      };
      const repaired_calls = value?.calls.filter((call) => call.repairs.length > 0).length ?? 0;
      clients.add({ ...cost, repaired_calls, guards: notes, at: now() });
      const kept = value && wire.kept?.(head, value, body, request, responses.earlier);
      if (kept) responses.keep(kept.id, kept.answer);
      const guards = Object.fromEntries(notes.map((note) => [note, notes.filter((other) => other === note).length]));
      return {
        ...cost,
        model: request.model,
        requests: usage.requests(),
        repairs: Object.entries(repairCounts(value?.calls ?? []))
          .map(([kind, count]) => `${kind}=${count}`)
          .join(', '),
        guards: notes.join(', '),
        done: doneWords({ repaired_calls, guards }).join(', '),
      };
    },
  };
};
