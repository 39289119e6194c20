/** The prompt side of every dialect: how tools are offered, how past calls are written, how results go back. */
import type { ToolSchema } from '../core/tool.ts';
import type { Grammar } from './engine/grammar.ts';
import { HERMES_PROMPT, type PromptCall, type PromptResult, type PromptWriter } from './engine/prompt.ts';
import { PROMPTS } from './registry.ts';

/** A dialect's name, or one of somebody's own making. */
export type Dialect = string | DialectDefinition;
/** How calls are written, and how tools and results are told; without the latter as Hermes models are told. */
export type DialectDefinition = { format: Grammar; prompt?: PromptWriter };

/** A dialect without a prompt of its own is spoken to as Hermes models are. */
const promptOf = (dialect: Dialect): PromptWriter => {
  if (typeof dialect !== 'string') return dialect.prompt ?? HERMES_PROMPT;
  return Object.hasOwn(PROMPTS, dialect) ? (PROMPTS[dialect] as () => PromptWriter)() : HERMES_PROMPT;
};

/** What tells a model, in the dialect's own way, which tools there are; it belongs into the system prompt. */
export const offerTools = (dialect: Dialect, tools: readonly ToolSchema[]): string => promptOf(dialect).offer(tools);

/** A past call as the model would have written it. */
export const renderCall = (dialect: Dialect, call: PromptCall): string => renderCalls(dialect, [call]);

/** The calls of one turn. */
export const renderCalls = (dialect: Dialect, calls: readonly PromptCall[]): string => promptOf(dialect).calls(calls);

/** A result as the model expects it. */
export const renderResult = (dialect: Dialect, result: PromptResult): string => promptOf(dialect).result(result);
