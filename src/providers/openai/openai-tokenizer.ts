/**
 * A prompt in tokens before it is sent, from servers that have a way to ask: llama.cpp writes the prompt by its template
 * and counts it, vLLM does both in one. A server that has neither is not asked again.
 */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ModelProvider } from '../../core/model-port.ts';
import { countOf, type Fields, listOf, textOf } from '../json-values.ts';
import { type RequestFlavour, toOpenAIFields, toOpenAIMessage } from './openai-messages.ts';

type Ask = (path: string, body: Fields, signal: AbortSignal) => Promise<Fields | undefined>;

export const countTokens = (flavour: RequestFlavour, ask: Ask): NonNullable<ModelProvider['countTokens']> => {
  let way: 'unknown' | 'llama.cpp' | 'vllm' | 'none' = 'unknown';
  // The model is named for a server of several.
  const byLlamaCpp = async (model: string, prompt: JsonObject, signal: AbortSignal): Promise<number | undefined> => {
    const rendered = textOf((await ask('/apply-template', { model, ...prompt }, signal))?.['prompt']);
    if (rendered === undefined) return undefined;
    const body = { model, content: rendered, add_special: true, parse_special: true };
    const tokens = (await ask('/tokenize', body, signal))?.['tokens'];
    return Array.isArray(tokens) ? listOf(tokens).length : undefined;
  };
  const byVllm = async (model: string, prompt: JsonObject, signal: AbortSignal): Promise<number | undefined> =>
    countOf((await ask('/tokenize', { model, ...prompt, add_generation_prompt: true }, signal))?.['count']);

  return async (request, signal) => {
    const { tools } = toOpenAIFields({ ...request, sampling: {} }, flavour);
    const messages = request.messages.map((message) => toOpenAIMessage(message, flavour.sendReasoning));
    const prompt: JsonObject = { messages: messages as JsonValue, ...(tools ? { tools } : {}) };
    for (const candidate of way === 'unknown' ? (['llama.cpp', 'vllm'] as const) : [way]) {
      if (candidate === 'none') return undefined;
      const count = await (candidate === 'llama.cpp' ? byLlamaCpp : byVllm)(request.model, prompt, signal);
      if (signal.aborted) return undefined;
      if (count === undefined) continue;
      way = candidate;
      return count;
    }
    if (way === 'unknown') way = 'none';
    return undefined;
  };
};
