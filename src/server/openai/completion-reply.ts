/** What was completed, in the words of OpenAI's API: one object, or chunks. */
import type { FinishReason, ToolCall, Usage } from '../../core/message.ts';
import type { Completion } from '../../gateway/complete.ts';

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  cancelled: 'stop',
  disconnected: 'stop',
};

/** Arguments that could not be read stay the text they are: the caller may make something of it. */
const wireCall = (call: ToolCall) => ({
  id: call.id,
  type: 'function' as const,
  function: { name: call.name, arguments: call.malformed?.text ?? JSON.stringify(call.arguments) },
});

const wireUsage = (usage: Usage) => ({
  prompt_tokens: usage.prompt_tokens,
  completion_tokens: usage.completion_tokens,
  total_tokens: usage.prompt_tokens + usage.completion_tokens,
  prompt_tokens_details: { cached_tokens: usage.cached_tokens ?? 0 },
});

export type ReplyHead = { id: string; created: number; model: string };

export const completionObject = (head: ReplyHead, completion: Completion): object => ({
  id: head.id,
  object: 'chat.completion',
  created: head.created,
  model: head.model,
  choices: [
    {
      index: 0,
      message: {
        role: 'assistant',
        content: completion.text === '' && completion.calls.length > 0 ? null : completion.text,
        refusal: null,
        ...(completion.reasoning === '' ? {} : { reasoning_content: completion.reasoning }),
        ...(completion.calls.length === 0 ? {} : { tool_calls: completion.calls.map(wireCall) }),
      },
      logprobs: null,
      finish_reason: FINISH[completion.finish],
    },
  ],
  usage: wireUsage(completion.usage),
});

export const chunk = (head: ReplyHead, delta: object, finish: FinishReason | null = null): object => ({
  id: head.id,
  object: 'chat.completion.chunk',
  created: head.created,
  model: head.model,
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish === null ? null : FINISH[finish] }],
});

/** What follows when all is known: the calls, each whole, the end, and what it cost where the caller wants to know. */
export const lastChunks = (head: ReplyHead, completion: Completion, withUsage: boolean): object[] => [
  ...completion.calls.map((call, index) => chunk(head, { tool_calls: [{ index, ...wireCall(call) }] })),
  chunk(head, {}, completion.finish),
  ...(withUsage ? [{ ...chunk(head, {}), choices: [], usage: wireUsage(completion.usage) }] : []),
];
