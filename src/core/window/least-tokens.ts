/**
 * How many tokens a text has at least, whatever the tokenizer. No tokenizer in use makes one token of two words, but all
 * make few of a rule, of blanks and of one sign many times. A server that counted fewer has not read the whole prompt.
 */
import type { ModelMessage } from '../message.ts';
import { messageText } from '../message.ts';
import type { ToolSchema } from '../tool.ts';

/** Templates write calls and tools in forms of their own, some much shorter than JSON. */
const CALLS_SHARE = 0.7;
const TOOLS_SHARE = 0.5;

/**
 * One sign again and again; a word of an alphabet with its marks and contractions; digits; what is written without blanks
 * between words; and other signs. Blanks may be no tokens.
 */
const PARTS =
  /(?<repeated>(\S)\2{3,})|(?<word>(?:[A-Za-z\u0080-\u10ff]|['’](?=[A-Za-z]))+)|(?<digits>\d+)|(?<wide>(?:(?!(?<w>\S)\k<w>{3})[\u1100-\uffff])+)|(?:(?!(?<s>\S)\k<s>{3})[^\sA-Za-z\d\u0080-\uffff])+/g;

const REPEATED_LENGTH = 64;
const WORD_LENGTH = 32;
const DIGITS_LENGTH = 5;
const WIDE_LENGTH = 4;
const SIGNS_LENGTH = 16;

export const leastTokensOf = (text: string): number => {
  let tokens = 0;
  let ruledUntil = -1;
  for (const { groups = {}, index, 0: part } of text.matchAll(PARTS)) {
    const { length } = part;
    const end = index + length;
    if (groups['repeated'] !== undefined) {
      tokens += length / REPEATED_LENGTH;
      ruledUntil = end;
    } else if (groups['word'] !== undefined) tokens += Math.max(1, length / WORD_LENGTH);
    else if (groups['digits'] !== undefined) tokens += Math.max(1, length / DIGITS_LENGTH);
    else if (groups['wide'] !== undefined) tokens += length / WIDE_LENGTH;
    // A sign by itself may belong to the word behind it, or to a rule.
    else if (length > 1 || (index !== ruledUntil && END_OR_DIGIT.test(text[end] ?? '')))
      tokens += Math.max(1, length / SIGNS_LENGTH);
  }
  return Math.floor(tokens);
};
const END_OR_DIGIT = /^[\s\d]?$/;

export const leastMessageTokens = (message: ModelMessage): number => {
  const text = leastTokensOf(messageText(message.content));
  if (message.role !== 'assistant') return text;
  return message.tool_calls.reduce(
    (sum, call) => sum + leastTokensOf(`${call.name} ${JSON.stringify(call.arguments)}`) * CALLS_SHARE,
    text,
  );
};

export const leastToolsTokens = (tools: readonly ToolSchema[]): number =>
  tools.length === 0 ? 0 : leastTokensOf(JSON.stringify(tools)) * TOOLS_SHARE;

export const leastPromptTokens = (messages: readonly ModelMessage[], tools: readonly ToolSchema[]): number =>
  messages.reduce((sum, message) => sum + leastMessageTokens(message), leastToolsTokens(tools));
