/**
 * Tool calls that models write as text: read in every dialect there is, while they stream. Runs in a browser.
 * A new dialect is one file in this folder and its name in `order.ts`; `npm run dialects` makes the rest of it.
 */

import { type AnswerContext, type AnswerText, type JudgedAnswer, judgeAnswer } from './answer.ts';
import { autoOf, closesReasoning } from './auto.ts';
import type { Grammar } from './engine/grammar.ts';
import { parserFor } from './engine/parser.ts';
import { splitThoughts, withoutThoughts } from './opened-thoughts.ts';
import { GRAMMARS } from './registry.ts';
import { type StrayCall, type StrayOptions, strayCall } from './stray-call.ts';
import { type TrailingCalls, trailingCalls } from './trailing-calls.ts';
import type { ParseResult, Parser, ParserEvent, ParserOptions, ToolDefinition } from './types.ts';
import { findUnread, type IsTool, type UnreadCall } from './unread-call.ts';

export { calledBy } from './answer/call-words.ts';
export { EXACT_DIALECT } from './answer/exact-call.ts';
export type { AnswerPart } from './answer/reading.ts';
export {
  type AnswerContext,
  type AnswerText,
  type HeldCalls,
  isGuessed,
  type JudgedAnswer,
  type WrittenCalls,
  withoutEnd,
  writtenOf,
} from './answer.ts';
export { detectDialect, startsInReasoning } from './detect.ts';
export type { Clue, Clues, Grammar, Grammar as Format } from './engine/grammar.ts';
export type { PromptCall, PromptResult, PromptWriter, PromptWriter as PromptForm } from './engine/prompt.ts';
export { type Dialect, type DialectDefinition, offerTools, renderCall, renderCalls, renderResult } from './prompts.ts';
export { type LenientJson, parseJsonLeniently } from './repair-json.ts';
export type { StrayCall } from './stray-call.ts';
export { type TemplateInput, type TemplateMessage, toTemplateMessages } from './template-messages.ts';
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

const auto = autoOf(GRAMMARS);
const byName = new Map([...GRAMMARS, auto].map((grammar) => [grammar.name, grammar]));

/** Every dialect there is; `auto` is all of them at once. */
export const dialectNames = (): string[] => [...byName.keys()];

const grammarOf = (dialect: string): Grammar => {
  const grammar = byName.get(dialect);
  if (grammar === undefined) throw new RangeError(`There is no dialect "${dialect}".`);
  return grammar;
};

/** A parser for one answer of a model. Throws for a dialect that does not exist. */
export const createParser = (options: ParserOptions): Parser => parserFor(grammarOf(options.dialect), options);

const text: Grammar = { name: 'text', calls: [], reasoning: auto.reasoning ?? [] };

/** For an answer to a prompt without tools: nothing in it is a call, and reasoning stands apart. Its dialect is `text`. */
export const createTextParser = (options: Omit<ParserOptions, 'dialect' | 'tools'> = {}): Parser =>
  parserFor(text, options);

/** The same for a dialect of somebody's own making. */
export const createFormatParser = (grammar: Grammar, options: Omit<ParserOptions, 'dialect'> = {}): Parser =>
  parserFor(grammar, options);

/** A whole text at once. */
export const parseToolCalls = (text: string, options: ParserOptions): ParseResult => {
  const parser = createParser(options);
  parser.push(text);
  return parser.end().result;
};

/** The call that an answer is meant as and that `dialect` does not read; undefined where it is an answer. */
export const findUnreadCall = (answer: string, dialect: string, isTool?: IsTool): UnreadCall | undefined => {
  const read = (part: string, by: string, tools?: readonly ToolDefinition[]): ParseResult =>
    parseToolCalls(part, { dialect: by, ...(tools ? { tools } : {}) });
  return findUnread(answer, dialect, read, isTool);
};

/**
 * The calls to `tools` that an answer of unknown notation ends in, behind words; undefined where it ends in none.
 * `anywhere`: also in the middle of a sentence.
 */
export const findTrailingCalls = (
  answer: string,
  tools: readonly ToolDefinition[],
  options: { anywhere?: boolean } = {},
): TrailingCalls | undefined =>
  trailingCalls(answer, (part) => parseToolCalls(part, { dialect: auto.name, tools }), options);

/** A call that stands in an answer and that nothing else reads, in any notation, whole or cut off. */
export const findStrayCall = (answer: string, tools: Omit<StrayOptions, 'read'>): StrayCall | undefined =>
  strayCall(answer, { ...tools, read: (part) => parseToolCalls(part, { dialect: auto.name }) });

/** A text and what a parser made of it, all in one. */
export type ReadText = { text: string; events: readonly ParserEvent[]; result: ParseResult };

/**
 * The reading of a whole text that begins in thoughts which its parser did not know of: those before a closing mark that
 * nothing opened, or between marks of another dialect. Its text is what stands behind them. Undefined where there are none.
 */
export const readBehindThoughts = (text: string, result: ParseResult, open: () => Parser): ReadText | undefined => {
  const read = (part: string): Omit<ReadText, 'text'> => {
    const parser = open();
    const events = parser.push(part);
    const { events: last, result } = parser.end();
    return { events: [...events, ...last], result };
  };
  const split = splitThoughts(text, result, auto.reasoning ?? [], (part) => read(part).result);
  if (split === undefined) return undefined;
  const behind = read(split.rest);
  const reasoning = [split.thoughts, behind.result.reasoning].filter((part) => part !== '').join('\n\n');
  return { text: split.rest, events: behind.events, result: { ...behind.result, reasoning } };
};

/** What becomes of every call in an answer: the one reading of all surfaces. Its text was read by `createParser`. */
export const readAnswer = (answer: AnswerText, context: AnswerContext): JudgedAnswer => {
  const { tools, isTool } = context;
  const names = (tools ?? []).map((tool) => ('function' in tool ? tool.function.name : tool.name));
  const whole = answer.result.reasoning === '' ? answer.whole : withoutThoughts(answer.whole, auto.reasoning ?? []);
  return judgeAnswer({ ...answer, whole }, context, {
    readAll: (part) => {
      const parser = createParser({ dialect: auto.name, ...(tools ? { tools } : {}) });
      const events = parser.push(part);
      const { events: last, result } = parser.end();
      return { events: [...events, ...last], result };
    },
    unread: (part, dialect) => findUnreadCall(part, dialect, isTool),
    trailing: (part, anywhere) => findTrailingCalls(part, tools ?? [], { anywhere }),
    stray: (part) => findStrayCall(part, { names, isTool }),
  });
};

/**
 * Finds out by itself how the calls are written, and, where nobody says it, whether the prompt had already opened the
 * reasoning.
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
