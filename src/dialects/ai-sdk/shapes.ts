/**
 * What the language models of the AI SDK hand over, as far as it is looked at. By shape and without an import: the same
 * holds for the versions 2, 3 and 4 of its model interface (AI SDK 5, 6 and 7).
 */
import type { JsonSchema } from '../../core/json.ts';
import type { FunctionTool, Part } from '../answer-reader.ts';
import { isCutWord } from '../end-words.ts';
import type { ToolChoice } from '../forced-call.ts';

export type CallOptions = {
  prompt?: readonly { role: string; content: unknown }[];
  tools?: readonly (FunctionTool & { type: string })[];
  toolChoice?: { type: string; toolName?: string };
  responseFormat?: { type: string; schema?: JsonSchema };
};

export const choiceOf = ({ toolChoice: { type, toolName } = { type: 'auto' } }: CallOptions): ToolChoice => {
  if (type === 'tool' && toolName !== undefined) return { name: toolName };
  return type === 'none' || type === 'required' ? type : 'auto';
};

export type GenerateResult = { content: Part[]; finishReason: unknown };
export type StreamResult = { stream: ReadableStream<Part> };

/** Up to version 2 a reason was a word; since then it is an object with the word in `unified`. */
export const becauseOfCalls = (finishReason: unknown): unknown => {
  if (typeof finishReason !== 'object' || finishReason === null) return 'tool-calls';
  return { ...finishReason, unified: 'tool-calls' };
};

/** Words of the AI SDK for an end that it could not tell apart; the server's own is in `raw`. */
const UNTOLD: ReadonlySet<unknown> = new Set(['other', 'unknown']);

/** A limit or a filter ended the answer, or nobody knows what. */
export const isCutBy = (finishReason: unknown): boolean => {
  const { unified, raw } = (
    typeof finishReason === 'object' && finishReason !== null ? finishReason : { unified: finishReason }
  ) as { unified?: unknown; raw?: unknown };
  return isCutWord(UNTOLD.has(unified) ? raw : unified);
};
