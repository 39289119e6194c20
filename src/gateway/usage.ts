/** What all requests of one answer cost together. */
import type { ModelMessage, Usage } from '../core/message.ts';
import type { ModelError, ModelRequest } from '../core/model-port.ts';
import type { ToolSchema } from '../core/tool.ts';
import { estimateTokens, messageTokens } from '../core/window/tokens.ts';
import { toolsTokens } from '../core/window.ts';

const messagesTokens = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

/** An estimate of what a request will make a model read. */
export const promptTokens = (messages: readonly ModelMessage[], tools: readonly ToolSchema[]): number =>
  messagesTokens(messages) + toolsTokens(tools);

/** One request to a model, as it was sent, and what came of it. */
export type Spent = {
  sent: Pick<ModelRequest, 'messages' | 'tools'>;
  outcome: { ok: true; usage: Usage | undefined } | { ok: false; error: ModelError; usage?: Usage };
  /** All that the model wrote, thoughts and calls as well. */
  written(): string;
};

/** Failures of a request that a model may have read. What a server refuses is read by none. */
const READ: ReadonlySet<ModelError['code']> = new Set(['cancelled', 'disconnected', 'timeout', 'protocol']);

const wasRead = ({ outcome, written }: Spent): boolean =>
  outcome.ok || READ.has(outcome.error.code) || written() !== '';

/** As the server counted; estimated where it does not say, and where it says that there was nothing. */
const usageOf = (spent: Spent): Usage => {
  const { sent, outcome, written } = spent;
  const counted = outcome.usage;
  if (counted === undefined && !wasRead(spent)) return NONE;
  // Some servers count what they had in their cache beside the prompt.
  const { prompt_tokens = 0, cached_tokens = 0, completion_tokens = 0 } = counted ?? {};
  const prompt = cached_tokens > prompt_tokens ? prompt_tokens + cached_tokens : prompt_tokens;
  return {
    ...(counted ?? NONE),
    prompt_tokens: prompt || promptTokens(sent.messages, sent.tools),
    completion_tokens: completion_tokens || estimateTokens(written()),
  };
};

const NONE: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };

/** A sum of what not every server says; absent where none does. */
const further = (key: 'cached_tokens' | 'prompt_seconds', one: Usage, other: Usage): Partial<Usage> =>
  one[key] === undefined && other[key] === undefined ? {} : { [key]: (one[key] ?? 0) + (other[key] ?? 0) };

export type UsageSum = {
  add(spent: Spent): void;
  total(): Usage;
  requests(): number;
};

export const sumUsage = (): UsageSum => {
  let total = NONE;
  let requests = 0;
  return {
    add(spent) {
      const usage = usageOf(spent);
      requests += 1;
      total = {
        prompt_tokens: total.prompt_tokens + usage.prompt_tokens,
        completion_tokens: total.completion_tokens + usage.completion_tokens,
        seconds: total.seconds + usage.seconds,
        ...further('cached_tokens', total, usage),
        ...further('prompt_seconds', total, usage),
      };
    },
    total: () => total,
    requests: () => requests,
  };
};
