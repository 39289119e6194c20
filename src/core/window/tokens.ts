/**
 * How many tokens a text is, about, without anybody's tokenizer. The rules were fitted to o200k: English, code, JSON and
 * Markdown come out within 12 %, other scripts within 20 %; only text without words (base64, columns of blanks) is
 * further off. What a server reports later corrects the figure for its own model (see window.ts).
 */
import type { AssistantMessage, ModelMessage } from '../message.ts';
import { messageText } from '../message.ts';

/** Markers of roles and turns that a chat template puts round every message. */
const MESSAGE_OVERHEAD = 4;
/** The frame of one call: its id, its name's field and the brackets. */
const CALL_OVERHEAD = 10;
/** What vision models commonly make of one picture. */
const IMAGE_TOKENS = 800;

const isUpper = (code: number): boolean => code >= 65 && code <= 90;
const isLower = (code: number): boolean => code >= 97 && code <= 122;
const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isSpace = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

type Kind = 'letters' | 'digits' | 'space' | 'signs' | 'near' | 'far' | 'wide';
const kindOf = (code: number): Kind => {
  if (isUpper(code) || isLower(code)) return 'letters';
  if (isDigit(code)) return 'digits';
  if (isSpace(code)) return 'space';
  if (code < 128) return 'signs';
  // Latin with marks, Greek and Cyrillic; then Hebrew to Georgian; then the scripts of which each sign is a token or so.
  if (code < 0x530) return 'near';
  return code < 0x1100 ? 'far' : 'wide';
};

/** Words are cut where a capital follows a small letter. */
const lettersTokens = (text: string, start: number, end: number): number => {
  let parts = 1;
  for (let index = start + 1; index < end; index += 1) {
    if (isUpper(text.charCodeAt(index)) && isLower(text.charCodeAt(index - 1))) parts += 1;
  }
  const length = end - start;
  // Many capitals in the middle are no words: keys, hashes, base64.
  return length > 8 && parts > length / 5 ? length / 2 : Math.max(parts, length / 6.2);
};

/** One blank belongs to the word behind it; more, and line ends, count. */
const spaceTokens = (text: string, start: number, end: number): number => {
  const length = end - start;
  for (let index = start; index < end; index += 1) {
    if (text.charCodeAt(index) === 10) return 0.6 + (length > 40 ? length / 40 : 0);
  }
  return length > 1 ? 0.9 + length / 80 : 0;
};

const runTokens = (text: string, kind: Kind, start: number, end: number): number => {
  const length = end - start;
  switch (kind) {
    case 'letters':
      return lettersTokens(text, start, end);
    case 'digits':
      return Math.ceil(length / 3) + (start > 0 && text.charCodeAt(start - 1) === 32 ? 0.8 : 0);
    case 'space':
      return spaceTokens(text, start, end);
    case 'signs':
      return Math.max(0.85, length / 3.2);
    case 'near':
      return Math.max(0.5, length / 3.6);
    case 'far':
      return length / 2.8;
    case 'wide':
      return length * 0.78;
    default:
      return kind satisfies never;
  }
};

/** A sign or blank many times over is few tokens: counted, a rule of 82 signs is 2 to 7. */
const REPEATED_LEAST = 8;
const repeatedTokens = (text: string, start: number, end: number): number | undefined => {
  const length = end - start;
  if (length < REPEATED_LEAST) return undefined;
  const code = text.charCodeAt(start);
  if (code >= LINES_DRAWN_END || (code >= 128 && code < LINES_DRAWN)) return undefined;
  return 1 + length / (code < 128 ? 10 : 2.5);
};
const LINES_DRAWN = 0x2500;
const LINES_DRAWN_END = 0x2600;

/** Where the same sign ends. */
const sameUntil = (text: string, start: number): number => {
  const code = text.charCodeAt(start);
  let end = start + 1;
  while (end < text.length && text.charCodeAt(end) === code) end += 1;
  return end;
};
const isRuled = (kind: Kind): boolean => kind === 'signs' || kind === 'wide';

/** Linear, one look at each character or two. */
export const estimateTokens = (text: string): number => {
  let tokens = 0;
  let start = 0;
  while (start < text.length) {
    const kind = kindOf(text.charCodeAt(start));
    let end = isRuled(kind) ? sameUntil(text, start) : start + 1;
    const repeated = isRuled(kind) ? repeatedTokens(text, start, end) : undefined;
    if (repeated === undefined) while (end < text.length && kindOf(text.charCodeAt(end)) === kind) end += 1;
    tokens += repeated ?? runTokens(text, kind, start, end);
    start = end;
  }
  return Math.ceil(tokens);
};

export const callsTokens = (message: AssistantMessage): number =>
  message.tool_calls.reduce(
    (sum, call) => sum + CALL_OVERHEAD + estimateTokens(call.name) + estimateTokens(JSON.stringify(call.arguments)),
    0,
  );

/** Reasoning is not counted: most templates leave that of earlier turns out. */
export const messageTokens = (message: ModelMessage): number => {
  if (message.role === 'assistant') return MESSAGE_OVERHEAD + estimateTokens(message.content) + callsTokens(message);
  if (message.role !== 'user' || typeof message.content === 'string')
    return MESSAGE_OVERHEAD + estimateTokens(messageText(message.content));
  return message.content.reduce(
    (sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : IMAGE_TOKENS),
    MESSAGE_OVERHEAD,
  );
};
