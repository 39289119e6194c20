/** What a server's gateway remembers between requests: in memory, bounded, and lost with the process. */
import type { AssistantMessage } from '../../core/message.ts';
import { type ClientUsageTable, createClientUsageTable } from '../../gateway/client-usage.ts';
import type { Completion, CompletionOutcome } from '../../gateway/complete.ts';
import { createKeptResponses, type KeptResponses } from '../../gateway/kept-responses.ts';
import type { GatewayRequest } from '../../gateway/request.ts';
import { createSteadyPrefix, type SteadyPrefix } from '../../gateway/steady-prefix.ts';
import type { ReplyHead, Wire } from '../../gateway/wire.ts';
import { responseId } from '../../gateway/wires/responses/wire.ts';

export type GatewayState = {
  responses: KeptResponses;
  prefix: SteadyPrefix;
  clients: ClientUsageTable;
  record(answered: {
    wire: Wire;
    head: ReplyHead;
    request: GatewayRequest;
    outcome: CompletionOutcome;
    notes: readonly string[];
    client: string;
  }): void;
};

export const createGatewayState = (now: () => number): GatewayState => {
  const responses = createKeptResponses(now);
  const clients = createClientUsageTable();
  return {
    responses,
    prefix: createSteadyPrefix(),
    clients,
    record({ wire, head, request, outcome, notes, client }) {
      const value = outcome.ok ? outcome.value : undefined;
      clients.add({
        client,
        wire: wire.name,
        failed: !outcome.ok,
        prompt_tokens: value?.usage.prompt_tokens ?? 0,
        cached_tokens: value?.usage.cached_tokens ?? 0,
        completion_tokens: value?.usage.completion_tokens ?? 0,
        repaired_calls: value?.calls.filter((call) => call.repairs.length > 0).length ?? 0,
        guards: notes,
        at: now(),
      });
      if (wire.name === 'responses' && value !== undefined)
        responses.keep(responseId(head), [...request.messages, answerOf(value)]);
    },
  };
};

const answerOf = ({ text, reasoning, calls, finish }: Completion): AssistantMessage => ({
  role: 'assistant',
  content: text,
  reasoning: reasoning === '' ? undefined : reasoning,
  tool_calls: calls,
  finish,
});
