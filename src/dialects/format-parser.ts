/** A parser for a dialect of somebody's own making; it needs none of the others. */
import type { Grammar } from './engine/grammar.ts';
import { parserFor } from './engine/parser.ts';
import type { Parser, ParserOptions } from './types.ts';

/** As `createParser`, for a dialect of somebody's own making. */
export const createFormatParser = (grammar: Grammar, options: Omit<ParserOptions, 'dialect'> = {}): Parser =>
  parserFor(grammar, options);
