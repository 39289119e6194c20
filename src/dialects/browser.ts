/**
 * What a page needs to read calls in the text of models. In the published package this module is one file that asks for
 * nothing else (`scripts/bundle-dialects.ts`); prompts are built elsewhere.
 */
export { autoParseToolCalls, createParser, detectDialect, dialectNames, stripToolCalls } from './index.ts';
export type {
  BrokenCall,
  ParsedCall,
  ParseResult,
  Parser,
  ParserEvent,
  ParserOptions,
  ToolDefinition,
} from './types.ts';
