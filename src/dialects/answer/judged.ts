/** What the reading of an answer knows of it, and what it says of it. */
import type { JsonObject } from '../../core/json.ts';
import type { Dialect } from '../prompts.ts';
import type { StrayCall } from '../stray-call.ts';
import type { TrailingCalls } from '../trailing-calls.ts';
import type { ParsedCall, ParseResult, ParserEvent, ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import type { AnswerPart, AnswerReading, ReadEvents } from './reading.ts';

/** The calls that stand in a text, in its order, and the dialect that they are written in. */
export type WrittenCalls = { parts: readonly AnswerPart[]; dialect: string };

export type AnswerText = {
  events: readonly ParserEvent[];
  result: ParseResult;
  /** As the person saw it. */
  text: string;
  /** As it came, calls in it included. */
  whole: string;
};

export type AnswerContext = {
  /** What a call can be made to; undefined: nothing is known, and JSON among words may be anything. */
  tools: readonly ToolDefinition[] | undefined;
  /** There is such a tool, on offer or not. */
  isTool(name: string): boolean;
  /** The name of a call without one may be guessed to be this. */
  mayGuess(name: string): boolean;
  /** That the prompt is written in; `auto`: nobody named one. */
  dialect: Dialect;
  /** By which the text was read. */
  reads: Dialect;
  /** Calls in the server's own field. */
  native?: readonly { name: string; arguments: JsonObject }[];
  /** The answer is to have a shape, so JSON among its words is meant as it is. */
  isShaped?: boolean;
  /** A limit ended the answer. */
  isCut?: boolean;
  /** The text is thoughts: what stands in code there is not meant. */
  isThoughts?: boolean;
};

/** How the rest of the text is looked through. */
export type AnswerReaders = {
  readAll: ReadEvents;
  unread(text: string, dialect: string): UnreadCall | undefined;
  trailing(text: string, anywhere: boolean): TrailingCalls | undefined;
  stray(text: string): StrayCall | undefined;
  /** Where a call begins that the text ends in, and of which nothing is there but its marks. */
  emptyStart(text: string): number | undefined;
};

/** A call to a tool on offer among words: the model is asked about it once, and the person told if that was in vain. */
export type HeldCalls = {
  code: 'unread_call' | 'call_in_text';
  message: string;
  calls: readonly UnreadCall[];
  /** In the notation that was named, and nothing shows it to be a sample: what the model says when it is asked is its answer. */
  isMeant?: true;
  /** They stand in thoughts that led to no answer. */
  isThought?: true;
};

export type JudgedAnswer = {
  text: string;
  written: WrittenCalls;
  /** Nothing of the text was meant for the person. */
  isReturned?: true;
  held?: HeldCalls;
  /** Of what nobody can make the person is told. */
  warning?: HeldCalls;
  /** What to say of a result that the model made up for its call; it is left out. */
  invented?: string;
};

export type Judging = {
  answer: AnswerText;
  /** The same without the descriptions of tools in it, for whoever looks for calls. */
  looked: AnswerText;
  context: AnswerContext;
  readers: AnswerReaders;
  reading: AnswerReading;
};

/** As its parser found them. */
export const writtenOf = ({ calls, broken, dialect }: ParseResult): WrittenCalls => ({
  dialect,
  parts: [
    ...calls.map((call): AnswerPart => ({ kind: 'call', call })),
    ...broken.map((one): AnswerPart => ({ kind: 'broken', broken: one })),
  ],
});

export const kept = ({ text, result }: AnswerText): JudgedAnswer => ({ text, written: writtenOf(result) });

/** Nothing is made. What was taken for a call and is a sample stands in the text again. */
export const left = ({ answer, reading }: Judging): JudgedAnswer => ({
  text: reading.content === answer.result.content ? answer.text : reading.content,
  written: { dialect: reading.dialect, parts: reading.parts },
});

export const returned = (calls: readonly UnreadCall[], dialect: string): JudgedAnswer => ({
  text: '',
  written: { dialect, parts: calls.map((unread) => ({ kind: 'unread', unread })) },
  isReturned: true,
});

/** Parts that were read by themselves each counted from 1. */
export const withIds = ({ parts, dialect }: WrittenCalls): WrittenCalls => {
  const ids = parts.flatMap((part) => (part.kind === 'call' ? [part.call.id] : []));
  if (new Set(ids).size === ids.length) return { parts, dialect };
  let number = 0;
  const numbered = parts.map((part): AnswerPart => {
    if (part.kind !== 'call') return part;
    number += 1;
    return /^call_\d+$/.test(part.call.id) ? { kind: 'call', call: { ...part.call, id: `call_${number}` } } : part;
  });
  return { parts: numbered, dialect };
};

export const onlyCall = (call: ParsedCall, dialect: string): JudgedAnswer => ({
  text: '',
  written: { dialect, parts: [{ kind: 'call', call }] },
});

export const withoutEnd = (text: string, { text: end }: { text: string }): string =>
  text.trimEnd().endsWith(end.trimEnd()) ? text.trimEnd().slice(0, -end.trimEnd().length).trimEnd() : text;
