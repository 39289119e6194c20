/**
 * Tool calls that models write as text: read in every format of the catalogue, while they stream. Runs in a browser.
 * A new format: one file here, and one line in `FORMATS`.
 */

import type { ToolSchema } from '../core/tool.ts';
import { autoOf } from './auto.ts';
import type { Format } from './engine/format.ts';
import { parserFor } from './engine/parser.ts';
import { HERMES_PROMPT, type PromptCall, type PromptResult } from './engine/prompt.ts';
import { hermes } from './hermes.ts';
import { llama3Function, llama3Json } from './llama3.ts';
import { mistralArgs, mistralJson } from './mistral.ts';
import { native } from './native.ts';
import { edison, plainJson } from './plain-json.ts';
import { qwen3Coder } from './qwen3-coder.ts';
import type { ParseResult, Parser, ParserOptions, ToolDefinition } from './types.ts';

export type { PromptCall, PromptResult } from './engine/prompt.ts';
export { type LenientJson, parseJsonLeniently } from './repair-json.ts';
export type {
  BrokenCall,
  ParsedCall,
  ParseResult,
  Parser,
  ParserEvent,
  ParserOptions,
  ToolDefinition,
} from './types.ts';

const FORMATS: readonly Format[] = [
  native,
  hermes,
  qwen3Coder,
  mistralArgs,
  mistralJson,
  llama3Json,
  llama3Function,
  plainJson,
  edison,
];

const byName = new Map([...FORMATS, autoOf(FORMATS)].map((format) => [format.name, format]));

/** Every dialect there is; `auto` is all of them at once. */
export const dialectNames = (): string[] => [...byName.keys()];

const formatOf = (dialect: string): Format => {
  const format = byName.get(dialect);
  if (format === undefined) throw new RangeError(`There is no dialect "${dialect}".`);
  return format;
};

/** A parser for one answer of a model. Throws for a dialect that does not exist. */
export const createParser = (options: ParserOptions): Parser => parserFor(formatOf(options.dialect), options);

/** A whole text at once. */
export const parseToolCalls = (text: string, options: ParserOptions): ParseResult => {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().result;
};

/** Finds out by itself how the calls are written. */
export const autoParseToolCalls = (text: string, options: { tools?: readonly ToolDefinition[] } = {}): ParseResult =>
  parseToolCalls(text, { ...options, dialect: 'auto' });

/** The text that a person should see: no calls, no markers, no reasoning. */
export const stripToolCalls = (text: string, options: { dialect?: string } = {}): string =>
  parseToolCalls(text, { dialect: options.dialect ?? 'auto' }).content;

/** What tells a model, in the dialect's own way, which tools there are; it belongs into the system prompt. */
export const offerTools = (dialect: string, tools: readonly ToolSchema[]): string =>
  (formatOf(dialect).prompt ?? HERMES_PROMPT).offer(tools);

/** A past call as the model would have written it. */
export const renderCall = (dialect: string, call: PromptCall): string => renderCalls(dialect, [call]);

/** The calls of one turn. */
export const renderCalls = (dialect: string, calls: readonly PromptCall[]): string =>
  (formatOf(dialect).prompt ?? HERMES_PROMPT).calls(calls);

/** A result as the model expects it. */
export const renderResult = (dialect: string, result: PromptResult): string =>
  (formatOf(dialect).prompt ?? HERMES_PROMPT).result(result);
