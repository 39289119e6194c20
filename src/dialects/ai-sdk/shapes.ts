/**
 * What the language models of the AI SDK hand over, as far as it is looked at. By shape and without an import: the same
 * holds for the versions 2, 3 and 4 of its model interface (AI SDK 5, 6 and 7).
 */
import type { JsonSchema } from '../../core/json.ts';
import type { FunctionTool, Part } from '../answer-reader.ts';

export type CallOptions = {
  prompt?: readonly { role: string; content: unknown }[];
  tools?: readonly (FunctionTool & { type: string })[];
  responseFormat?: { type: string; schema?: JsonSchema };
};

export type GenerateResult = { content: Part[]; finishReason: unknown };
export type StreamResult = { stream: ReadableStream<Part> };

/** Up to version 2 a reason was a word; since then it is an object with the word in `unified`. */
export const becauseOfCalls = (finishReason: unknown): unknown => {
  if (typeof finishReason !== 'object' || finishReason === null) return 'tool-calls';
  return { ...finishReason, unified: 'tool-calls' };
};

/** A limit or a filter ended the answer. */
export const isCutBy = (finishReason: unknown): boolean => {
  const isObject = typeof finishReason === 'object' && finishReason !== null;
  const reason = isObject && 'unified' in finishReason ? finishReason.unified : finishReason;
  return reason === 'length' || reason === 'content-filter';
};
