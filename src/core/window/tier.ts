/**
 * Prompts in two sizes: the prompt prefix (instructions and tools) of a small window costs at most 1,200 tokens, that of a larger
 * one 2,500. Where the tools on offer are too many for it, their descriptions give way first; then tools, those that say
 * of themselves that they can be done without before the others, are called through one that stands for them.
 */
import type { JsonObject, JsonValue } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { type PromptSize, SMALL_PROMPT_BELOW_TOKENS, systemPrompt } from '../system-prompt.ts';
import { type OfferedTools, splitTools } from '../tool/tool-shortlist.ts';
import type { Tool, ToolSchema } from '../tool.ts';
import { toolsTokens } from '../window.ts';
import { estimateTokens } from './tokens.ts';

export const promptTier = (contextTokens: number | undefined): PromptSize =>
  contextTokens !== undefined && contextTokens < SMALL_PROMPT_BELOW_TOKENS ? 'small' : 'standard';

export const prefixBudget = (tier: PromptSize): number =>
  tier === 'small' ? LIMITS.prefixTokensSmall : LIMITS.prefixTokensStandard;

/** The tools as the prompt prefix of this size describes them. As they are, wherever that fits; the rest behind `use_tool`. */
export const offeredTools = (
  tier: PromptSize,
  tools: readonly Tool[],
  schemas: readonly ToolSchema[],
): OfferedTools => {
  const budget = prefixBudget(tier) - estimateTokens(systemPrompt(tier));
  if (toolsTokens(schemas) <= budget) return { head: schemas, behind: [] };
  const short = schemas.map(firstSentenceOnly);
  if (toolsTokens(short) <= budget) return { head: short, behind: [] };
  const plain = short.map(withoutNotes);
  return toolsTokens(plain) <= budget
    ? { head: plain, behind: [] }
    : splitTools(plain, tools, budget, tier === 'small');
};

const firstSentenceOnly = (schema: ToolSchema): ToolSchema => {
  const { description } = schema.function;
  const [first] = /^.*?[.!?](?=\s|$)/s.exec(description) ?? [description];
  return { ...schema, function: { ...schema.function, description: first } };
};

/** Bounds are checked when a call comes, and a name says much of what a parameter's description would. */
const NOTES: ReadonlySet<string> = new Set(['minimum', 'maximum', 'description', 'minLength', 'maxLength']);

const withoutNotes = (schema: ToolSchema): ToolSchema => {
  const { properties } = schema.function.parameters;
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) return schema;
  const plain = Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, plainProperty(property)]),
  );
  return {
    ...schema,
    function: { ...schema.function, parameters: { ...schema.function.parameters, properties: plain } },
  };
};

const plainProperty = (property: JsonValue): JsonValue =>
  typeof property !== 'object' || property === null || Array.isArray(property)
    ? property
    : (Object.fromEntries(Object.entries(property).filter(([key]) => !NOTES.has(key))) as JsonObject);
