/** Whether a model thinks first, in the words of its family. */
import type { JsonObject } from '../core/json.ts';
import type { Sampling } from '../core/model-port.ts';
import { PROVIDER_LIMITS } from './limits.ts';

type Thinking = Pick<Sampling, 'think' | 'think_budget'>;
const wanted = ({ think, think_budget: budget }: Thinking): boolean | undefined =>
  think ?? (budget === undefined ? undefined : true);

/** It thinks always, and is told how much. */
const tellsEffort = (model: string): boolean => /gpt-?oss/i.test(model);
const LEAST_EFFORT = 'low';
/** The word that comes nearest to a number of tokens. */
const effortOf = (budget: number): string => {
  if (budget <= PROVIDER_LIMITS.lowEffortTokens) return LEAST_EFFORT;
  return budget <= PROVIDER_LIMITS.mediumEffortTokens ? 'medium' : 'high';
};

/**
 * What chat templates ask for: Qwen, GLM, Nemotron, SmolLM and Gemma `enable_thinking`, Granite, DeepSeek and Kimi
 * `thinking`, Cohere `reasoning`, MiniMax `thinking_mode`, Seed-OSS a budget, gpt-oss an effort. A template does not look
 * at the names of the others.
 */
export const templateThinking = (model: string, sampling: Thinking): JsonObject => {
  const think = wanted(sampling);
  const { think_budget: budget } = sampling;
  if (think === undefined) return {};
  const switches = { enable_thinking: think, thinking: think, reasoning: think };
  const bounded: JsonObject = budget === undefined ? {} : { thinking_budget: budget };
  const effort: JsonObject = budget === undefined || !tellsEffort(model) ? {} : { reasoning_effort: effortOf(budget) };
  if (think) return { ...switches, thinking_mode: 'enabled', ...bounded, ...effort };
  const none: JsonObject = { ...switches, thinking_mode: 'disabled', thinking_budget: 0 };
  return tellsEffort(model) ? { ...none, reasoning_effort: LEAST_EFFORT } : none;
};

/** Ollama's field: gpt-oss hears no yes and no there. */
export const ollamaThinking = (model: string, sampling: Thinking): JsonObject => {
  const think = wanted(sampling);
  const { think_budget: budget } = sampling;
  if (think === undefined) return {};
  if (think && budget !== undefined && tellsEffort(model)) return { think: effortOf(budget) };
  return { think: tellsEffort(model) && !think ? LEAST_EFFORT : think };
};

/** llama.cpp's server ends the thinking of any model by itself. */
export const serverThinking = (sampling: Thinking): JsonObject =>
  sampling.think_budget === undefined || wanted(sampling) === false
    ? {}
    : { thinking_budget_tokens: sampling.think_budget };
