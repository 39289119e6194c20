/** The public face of the parser: what goes in, what comes out. */
import type { JsonObject, JsonSchema } from '../core/json.ts';
import type { Repair } from '../core/message.ts';

/** A tool as OpenAI's API defines it, or its inner part alone. */
export type ToolDefinition =
  | { type?: 'function'; function: { name: string; description?: string; parameters?: JsonSchema } }
  | { name: string; description?: string; parameters?: JsonSchema };

/** A call that is whole: its own structure was closed and its arguments could be read. */
export type ParsedCall = {
  /** The model's own id where the dialect carries one, else `call_1`, `call_2` … in the order of the text. */
  id: string;
  name: string;
  arguments: JsonObject;
  /** The arguments as strict JSON text, numbers digit for digit as the model wrote them. */
  argumentsText: string;
  repairs: Repair[];
};

/** A call that began and cannot be executed. Its text is here, so that nothing is lost in silence. */
export type BrokenCall = {
  name?: string;
  text: string;
  /** `truncated`: the text ended inside it. `malformed`: it could not be read; its text is in the content too. */
  problem: 'truncated' | 'malformed';
  /** Why, where more is known than that it could not be read. */
  reason?: string;
};

/**
 * What the parser understood of a piece of text. The deltas of a call, put together, are its `argumentsText`, unless
 * it ends as broken. `index` counts the calls that began. A model may name a call's id behind its arguments, so the id
 * that counts is the one of `call_end`.
 */
export type ParserEvent =
  | { type: 'text'; text: string }
  | { type: 'reasoning'; text: string }
  | { type: 'call_start'; index: number; id: string; name: string }
  | { type: 'call_arguments'; index: number; delta: string }
  | { type: 'call_end'; index: number; call: ParsedCall }
  | { type: 'call_end'; index: number; call: undefined; problem: BrokenCall['problem'] }
  | { type: 'repair'; index: number; kind: string; detail: string };

export type ParseResult = {
  /** The dialect that was asked for, or for `auto` the one that the text was found to be written in. */
  dialect: string;
  /** What a person should read; empty where there is nothing. */
  content: string;
  reasoning: string;
  /** Complete calls only. */
  calls: ParsedCall[];
  /** Calls that began and must not be executed. */
  broken: BrokenCall[];
  /** The text stops inside a call. */
  truncated: boolean;
};

export type ParserOptions = {
  /** A name out of `dialectNames()`, or `auto`. */
  dialect: string;
  /**
   * What was offered. Types of raw values and unmarked calls depend on it: an empty list says that no call can be
   * meant, an absent one that nothing is known.
   */
  tools?: readonly ToolDefinition[];
  /** The prompt already opened the reasoning block, so the text begins inside it. */
  startInReasoning?: boolean;
  /** Makes the id of a call that brings none; `number` counts from 1. */
  makeId?: (number: number) => string;
};

export type EndOptions = { isCut?: boolean };

export type Parser = {
  /** Feeds a piece of text. Any split of a text gives the same calls, content and reasoning. Never throws. */
  push(text: string): ParserEvent[];
  /**
   * The text is over: the last events, and everything in one. `isCut`: a limit ended it, so a call whose end nothing marks
   * is cut. Default: false.
   */
  end(options?: EndOptions): { events: ParserEvent[]; result: ParseResult };
};
