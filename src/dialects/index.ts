/**
 * Tool calls that models write as text: read in every dialect there is, while they stream. Runs in a browser.
 * A new dialect is one file in this folder and its name in `order.ts`; `npm run dialects` makes the rest of it.
 */

export { dialectNames } from './all-dialects.ts';
export { calledBy } from './answer/call-words.ts';
export { EXACT_DIALECT } from './answer/exact-call.ts';
export {
  type AnswerContext,
  type AnswerText,
  type HeldCalls,
  type JudgedAnswer,
  type WrittenCalls,
  withoutEnd,
  writtenOf,
} from './answer/judged.ts';
export type { AnswerPart } from './answer/reading.ts';
export { isGuessed } from './answer/with-calls.ts';
export { dialectsAlike } from './auto.ts';
export { detectDialect, startsInReasoning } from './detect.ts';
export type { Clue, Clues, Grammar, Grammar as Format } from './engine/grammar.ts';
export type { PromptCall, PromptResult, PromptWriter, PromptWriter as PromptForm } from './engine/prompt.ts';
export { withoutFence } from './fence.ts';
export { createFormatParser } from './format-parser.ts';
export { autoParseToolCalls, createParser, createTextParser, parseToolCalls, stripToolCalls } from './parse.ts';
export { type Dialect, type DialectDefinition, offerTools, renderCall, renderCalls, renderResult } from './prompts.ts';
export {
  callMarkAtStart,
  findStrayCall,
  findTrailingCalls,
  findUnreadCall,
  type ReadText,
  readAnswer,
  readBehindThoughts,
} from './read-answer.ts';
export { type LenientJson, parseJsonLeniently } from './repair-json.ts';
export type { StrayCall } from './stray-call.ts';
export { type TemplateInput, type TemplateMessage, toTemplateMessages } from './template-messages.ts';
export { createThoughtsFirstParser, isNamedThinker, type ThoughtsFirstParser } from './thoughts-first.ts';
export type {
  BrokenCall,
  ParsedCall,
  ParseResult,
  Parser,
  ParserEvent,
  ParserOptions,
  ToolDefinition,
} from './types.ts';
export type { UnreadCall } from './unread-call.ts';
