/**
 * The prefix contract (B4): each request of a session begins with the whole of the one before, so that a server reads
 * only what is new. It is looked at when a request goes out, and where it does not hold, the first place is named.
 */
import type { Event, PromptPrefix } from '../events.ts';
import { digest } from '../loop-guard.ts';
import { type ModelMessage, messageText } from '../message.ts';
import type { ToolSchema } from '../tool.ts';
import { sentText } from './prompt-record.ts';

/** The first place in which a request differs from the one before. */
export type PrefixBreak = { place: string };

export type PrefixWatch = {
  /** Compares with the request before, and remembers this one. Undefined: the request before is a prefix of it. */
  sent(messages: readonly ModelMessage[], tools: readonly ToolSchema[]): PrefixBreak | undefined;
  /** The next request begins anew, as was said already. */
  forget(): void;
};

export const createPrefixWatch = (): PrefixWatch => {
  let before: { messages: readonly ModelMessage[]; tools: readonly ToolSchema[] } | undefined;
  return {
    sent(messages, tools) {
      const known = before;
      before = { messages: messages.slice(), tools };
      if (known === undefined) return undefined;
      const place = firstTool(known.tools, tools) ?? firstMessage(known.messages, messages);
      return place === undefined ? undefined : { place };
    },
    forget() {
      before = undefined;
    },
  };
};

/** What every prompt of a session begins with, to be kept with the session. */
export const promptPrefix = (
  system: string,
  tools: readonly ToolSchema[],
  tier?: PromptPrefix['tier'],
): PromptPrefix => ({
  ...(tier ? { tier } : {}),
  system,
  tools: tools.map((tool) => ({ name: tool.function.name, digest: digest(JSON.stringify(tool)) })),
});

/** What the prompts of a session begin with, as its log tells it. */
export const headOf = (events: readonly Event[]): PromptPrefix | undefined => {
  const [first] = events;
  if (first?.type === 'session_started' && first.head) return first.head;
  const begun = events.find(({ type }) => type === 'prompt_begun');
  return begun?.type === 'prompt_begun' ? begun.head : undefined;
};

/** Where the prompt prefix of a resumed session differs from the one that it began with. */
export const prefixBreak = (before: PromptPrefix, now: PromptPrefix): PrefixBreak | undefined => {
  for (let index = 0; index < Math.max(before.tools.length, now.tools.length); index += 1) {
    const one = before.tools[index];
    const other = now.tools[index];
    if (one?.digest !== other?.digest) return { place: `the list of tools, at ${(other ?? one)?.name}` };
  }
  return before.system === now.system ? undefined : { place: 'the instructions' };
};

const firstTool = (before: readonly ToolSchema[], now: readonly ToolSchema[]): string | undefined => {
  if (before === now) return undefined;
  for (let index = 0; index < Math.max(before.length, now.length); index += 1) {
    const one = before[index];
    const other = now[index];
    if (JSON.stringify(one) === JSON.stringify(other)) continue;
    return `the list of tools, at ${(other ?? one)?.function.name}`;
  }
  return undefined;
};

const firstMessage = (before: readonly ModelMessage[], now: readonly ModelMessage[]): string | undefined => {
  for (let index = 0; index < before.length; index += 1) {
    const message = before[index] as ModelMessage;
    const other = now[index];
    // Nearly always the very same object: a projection only grows.
    if (other === message) continue;
    if (other === undefined) return `message ${index + 1}, which is gone`;
    // The last one was not answered: what the person said next stands behind it.
    if (index === before.length - 1 && hasGrown(message, other)) continue;
    const difference = differenceOf(message, other);
    if (difference !== undefined) return `message ${index + 1} (${nameOf(other)})${difference}`;
  }
  return undefined;
};

const hasGrown = (before: ModelMessage, now: ModelMessage): boolean =>
  before.role === 'user' &&
  now.role === 'user' &&
  messageText(now.content).startsWith(`${messageText(before.content)}\n\n`);

/** Whose words a message holds. */
export const nameOf = (message: ModelMessage): string => {
  if (message.role === 'tool') return `the result of ${message.name}`;
  if (message.role === 'system') return 'the instructions';
  return message.role === 'user' ? "the person's" : "the model's";
};

const differenceOf = (before: ModelMessage, now: ModelMessage): string | undefined => {
  if (before.role !== now.role) return ', which is of another kind';
  const one = sentText(before);
  const other = sentText(now);
  if (one !== other) {
    let index = 0;
    while (index < one.length && one[index] === other[index]) index += 1;
    return `, at character ${index + 1}`;
  }
  if (before.role !== 'assistant' || now.role !== 'assistant') return undefined;
  return JSON.stringify(before.tool_calls) === JSON.stringify(now.tool_calls) ? undefined : ', in its calls';
};
