/**
 * What a page needs to read calls in the text of models. In the published package this module is one file that asks for
 * nothing else (`scripts/bundle-dialects.ts`); prompts are built elsewhere.
 */
export { dialectNames } from './all-dialects.ts';
export { detectDialect } from './detect.ts';
export { autoParseToolCalls, createParser, stripToolCalls } from './parse.ts';
export type {
  BrokenCall,
  ParsedCall,
  ParseResult,
  Parser,
  ParserEvent,
  ParserOptions,
  ToolDefinition,
} from './types.ts';
