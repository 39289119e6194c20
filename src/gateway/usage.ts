/** What all requests of one answer cost together. */
import type { ModelMessage, Usage } from '../core/message.ts';
import type { ToolSchema } from '../core/tool.ts';
import { estimateTokens, messageTokens } from '../core/window/tokens.ts';
import { toolsTokens } from '../core/window.ts';
import type { Said } from './ask-model.ts';

const messagesTokens = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** An estimate of what a request will make a model read. */
export const promptTokens = (messages: readonly ModelMessage[], tools: readonly ToolSchema[]): number =>
  messagesTokens(messages) + toolsTokens(tools);

const NONE: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };

/** As the server counted; estimated where it does not say. */
const usageOf = (messages: readonly ModelMessage[], said: Said): Usage => {
  const counted = said.outcome.ok ? said.outcome.answer.usage : undefined;
  if (counted) return counted;
  const written = `${said.reasoning}${said.text}${said.calls.map((call) => JSON.stringify(call.arguments)).join('')}`;
  return {
    prompt_tokens: messagesTokens(messages),
    completion_tokens: estimateTokens(written),
    seconds: 0,
  };
};

export type UsageSum = {
  add(messages: readonly ModelMessage[], said: Said): void;
  total(): Usage;
  requests(): number;
};

export const sumUsage = (): UsageSum => {
  let total = NONE;
  let requests = 0;
  return {
    add(messages, said) {
      const usage = usageOf(messages, said);
      requests += 1;
      const cached = (total.cached_tokens ?? 0) + (usage.cached_tokens ?? 0);
      total = {
        prompt_tokens: total.prompt_tokens + usage.prompt_tokens,
        completion_tokens: total.completion_tokens + usage.completion_tokens,
        seconds: total.seconds + usage.seconds,
        cached_tokens: total.cached_tokens === undefined && usage.cached_tokens === undefined ? undefined : cached,
      };
    },
    total: () => total,
    requests: () => requests,
  };
};
