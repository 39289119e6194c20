/** Whether a model thinks first, in the words of its family. */
import type { JsonObject } from '../core/json.ts';

/** It thinks always, and is told how much. */
const tellsEffort = (model: string): boolean => /gpt-?oss/i.test(model);
const LEAST_EFFORT = 'low';

/**
 * What chat templates ask for: Qwen, GLM, Nemotron, SmolLM and Gemma `enable_thinking`, Granite, DeepSeek and Kimi
 * `thinking`, Cohere `reasoning`, MiniMax `thinking_mode`, Seed-OSS a budget, gpt-oss an effort. A template does not look
 * at the names of the others.
 */
export const templateThinking = (model: string, think: boolean | undefined): JsonObject => {
  if (think === undefined) return {};
  const switches = { enable_thinking: think, thinking: think, reasoning: think };
  if (think) return { ...switches, thinking_mode: 'enabled' };
  const none: JsonObject = { ...switches, thinking_mode: 'disabled', thinking_budget: 0 };
  return tellsEffort(model) ? { ...none, reasoning_effort: LEAST_EFFORT } : none;
};

/** Ollama's field: gpt-oss hears no yes and no there. */
export const ollamaThinking = (model: string, think: boolean | undefined): JsonObject => {
  if (think === undefined) return {};
  return { think: tellsEffort(model) && !think ? LEAST_EFFORT : think };
};
