/** The prompt side of every dialect: how tools are offered, how past calls are written, how results go back. */

import { askOwn, ignoreLater } from '../core/own-callback.ts';
import { shown } from '../core/shown-value.ts';
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
  if (typeof dialect !== 'string')
    return dialect.prompt ? ownPrompt(dialect.format.name, dialect.prompt) : HERMES_PROMPT;
  return Object.hasOwn(PROMPTS, dialect) ? (PROMPTS[dialect] as () => PromptWriter)() : HERMES_PROMPT;
};

/** What is no text would stand in the prompt as something else. */
const ownPrompt = (name: string, prompt: PromptWriter): PromptWriter => {
  const text = (part: keyof PromptWriter, write: () => unknown): string => {
    const said = askOwn(`prompt.${part} of the dialect ${name}`, write);
    if (typeof said === 'string') return said;
    ignoreLater(said);
    throw new TypeError(`prompt.${part} of the dialect ${name} must return a text, not ${shown(said)}.`);
  };
  return {
    offer: (tools) => text('offer', () => prompt.offer(tools)),
    calls: (calls) => text('calls', () => prompt.calls(calls)),
    result: (result) => text('result', () => prompt.result(result)),
  };
};

/** What tells a model, in the dialect's own way, which tools there are; it belongs into the system prompt. */
export const offerTools = (dialect: Dialect, tools: readonly ToolSchema[]): string => promptOf(dialect).offer(tools);

/** A past call as the model would have written it. */
export const renderCall = (dialect: Dialect, call: PromptCall): string => renderCalls(dialect, [call]);

/** The calls of one turn. */
export const renderCalls = (dialect: Dialect, calls: readonly PromptCall[]): string => promptOf(dialect).calls(calls);

/** A result as the model expects it. */
export const renderResult = (dialect: Dialect, result: PromptResult): string => promptOf(dialect).result(result);
