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

const REPEATED_COUNT = 4;
const REPEATED_LENGTH = 64;
const WORD_LENGTH = 32;
const DIGITS_LENGTH = 5;
const WIDE_LENGTH = 4;
const SIGNS_LENGTH = 16;

/**
 * The kinds of parts: a word of an alphabet with its marks and contractions; digits; what is written without blanks between
 * words; and other signs. Beside them there is one sign again and again, of any kind. Blanks may be no tokens.
 */
type PartKind = 'blank' | 'word' | 'digits' | 'wide' | 'signs';

const QUOTE = 0x27;
const TYPED_QUOTE = 0x2019;
const WORDS_FROM = 0x80;
const WIDE_FROM = 0x1100;

const isLetter = (code: number): boolean => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isBlank = (code: number): boolean =>
  code <= 32 ? code === 32 || (code >= 9 && code <= 13) : code >= WORDS_FROM && /\s/.test(String.fromCharCode(code));

const kindOf = (code: number): PartKind => {
  if (isLetter(code)) return 'word';
  if (code >= WORDS_FROM) return code < WIDE_FROM ? 'word' : 'wide';
  if (isDigit(code)) return 'digits';
  return isBlank(code) ? 'blank' : 'signs';
};

/** Of what begins at that place: a quote before a letter belongs to its word. */
const kindAt = (text: string, at: number): PartKind => {
  const code = text.charCodeAt(at);
  const isQuote = code === QUOTE || code === TYPED_QUOTE;
  return isQuote && isLetter(text.charCodeAt(at + 1)) ? 'word' : kindOf(code);
};

/** The end of the run of one sign that begins there. */
const runEnd = (text: string, from: number): number => {
  const code = text.charCodeAt(from);
  let end = from + 1;
  while (end < text.length && text.charCodeAt(end) === code) end += 1;
  return end;
};
const isRepeated = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  for (let next = at + 1; next < at + REPEATED_COUNT; next += 1) if (text.charCodeAt(next) !== code) return false;
  return !isBlank(code);
};

/** A word and a number go on through a sign that is there again and again. */
const partEnd = (text: string, from: number, kind: PartKind): number => {
  let end = from + 1;
  if (kind === 'word' || kind === 'digits') while (end < text.length && kindAt(text, end) === kind) end += 1;
  else while (end < text.length && kindOf(text.charCodeAt(end)) === kind && !isRepeated(text, end)) end += 1;
  return end;
};

/** It makes no object for a part: every message of every conversation is counted. */
export const leastTokensOf = (text: string): number => {
  let tokens = 0;
  let ruledUntil = -1;
  for (let at = 0, end = 0; at < text.length; at = end) {
    const kind = kindAt(text, at);
    if (isRepeated(text, at)) {
      end = ruledUntil = runEnd(text, at);
      tokens += (end - at) / REPEATED_LENGTH;
      continue;
    }
    end = partEnd(text, at, kind);
    const length = end - at;
    if (kind === 'word') tokens += Math.max(1, length / WORD_LENGTH);
    else if (kind === 'digits') tokens += Math.max(1, length / DIGITS_LENGTH);
    else if (kind === 'wide') tokens += length / WIDE_LENGTH;
    // A sign by itself may belong to the word behind it, or to a rule.
    else if (kind === 'signs' && (length > 1 || (at !== ruledUntil && endsWord(text, end))))
      tokens += Math.max(1, length / SIGNS_LENGTH);
  }
  return Math.floor(tokens);
};

const endsWord = (text: string, at: number): boolean => {
  const code = text.charCodeAt(at);
  return at >= text.length || isDigit(code) || isBlank(code);
};

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
