/** Reading the calls in a text: as it streams, or whole. */
import { auto, grammarOf } from './all-dialects.ts';
import { closesReasoning } from './auto.ts';
import type { Grammar } from './engine/grammar.ts';
import { parserFor } from './engine/parser.ts';
import type { ParseResult, Parser, ParserOptions, ToolDefinition } from './types.ts';

/** A parser for one answer of a model. Throws for a dialect that does not exist. */
export const createParser = (options: ParserOptions): Parser => parserFor(grammarOf(options.dialect), options);

const text: Grammar = { name: 'text', calls: [], reasoning: auto.reasoning ?? [] };

/** For an answer to a prompt without tools: nothing in it is a call, and reasoning stands apart. Its dialect is `text`. */
export const createTextParser = (options: Omit<ParserOptions, 'dialect' | 'tools'> = {}): Parser =>
  parserFor(text, options);

/** A whole text at once. */
export const parseToolCalls = (text: string, options: ParserOptions): ParseResult => {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().result;
};

/**
 * Finds out by itself how the calls are written, and, where nobody says it, whether the prompt had already opened the
 * reasoning. Reads what is written: also a call that the words before it introduce as a sample.
 */
export const autoParseToolCalls = (
  text: string,
  options: { tools?: readonly ToolDefinition[]; startInReasoning?: boolean } = {},
): ParseResult => {
  const result = parseToolCalls(text, { ...options, dialect: auto.name });
  const unsaid = options.startInReasoning === undefined && result.reasoning === '';
  if (!unsaid || !closesReasoning(auto, result.content)) return result;
  return parseToolCalls(text, { ...options, dialect: auto.name, startInReasoning: true });
};

/** The text that a person should see: no calls, no markers, no reasoning. */
export const stripToolCalls = (text: string, { dialect }: { dialect?: string } = {}): string =>
  (dialect === undefined ? autoParseToolCalls(text) : parseToolCalls(text, { dialect })).content;
