/** Whether a server wrote the prompt without the tools that it was sent: some drop them, and say nothing but the count. */
import type { ModelMessage } from '../message.ts';
import type { ToolSchema } from '../tool.ts';
import { leastPromptTokens } from './least-tokens.ts';
import { messageTokens } from './tokens.ts';

/** A server that counts only what was new has read less than this share of the words. */
const WORDS_SHARE_LEAST = 0.5;
/** A tokenizer that knows the language little, and what a template writes besides. */
const WORDS_SHARE_MOST = 1.6;
const TEMPLATE_TOKENS = 64;

/** A wrong claim would change how the tools are had, so a count has to be clearly too low. */
const LEAST_SHARE = 0.7;

/** `read`: what the server counted. It is as much as the messages take, and no tokenizer makes so few of both. */
export const leftOutTools = (
  read: number,
  messages: readonly ModelMessage[],
  tools: readonly ToolSchema[],
): boolean => {
  if (tools.length === 0) return false;
  const words = messages.reduce((sum, message) => sum + messageTokens(message), 0);
  return (
    read >= words * WORDS_SHARE_LEAST &&
    read <= words * WORDS_SHARE_MOST + TEMPLATE_TOKENS &&
    read < leastPromptTokens(messages, tools) * LEAST_SHARE
  );
};
