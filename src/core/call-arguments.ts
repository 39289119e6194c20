/**
 * The arguments of a call with their numbers as the model wrote them, wherever the call has been. Values lose digits
 * once they are JSON in a log or on a wire, so a call whose numbers do not tell them bears its text.
 */
import { copyOf, isObject, type JsonObject } from './json.ts';
import type { ToolCall } from './message.ts';
import { keepAllWritten, parseWritten, writtenJson } from './written-numbers.ts';

type Given = Pick<ToolCall, 'arguments' | 'written' | 'malformed'>;

/** Where the values alone tell all digits, the call as it is. */
export const withDigits = <T extends Pick<ToolCall, 'arguments'>>(call: T): T & Pick<ToolCall, 'written'> => {
  const text = writtenJson(call.arguments);
  return text === JSON.stringify(call.arguments) ? call : { ...call, written: text };
};

/** For what tells of a call beside its values. */
export const writtenOf = ({ written }: Pick<ToolCall, 'written'>): Pick<ToolCall, 'written'> =>
  written === undefined ? {} : { written };

/** Arguments that are shown in place of those of the call, with its digits where a number of it is still there. */
export const asWritten = ({ written }: Pick<ToolCall, 'written'>, shown: JsonObject): JsonObject => {
  const value = written === undefined ? undefined : read(written);
  return isObject(value) ? keepAllWritten(value as JsonObject, copyOf(shown)) : shown;
};

/** For what asks about a call beside the arguments that it shows. */
export const writtenBeside = (call: Pick<ToolCall, 'written'>, shown: JsonObject): Pick<ToolCall, 'written'> =>
  writtenOf(withDigits({ arguments: asWritten(call, shown) }));

/** As they are to be checked and rendered. */
export const callArguments = ({ arguments: args, written }: Pick<Given, 'arguments' | 'written'>): JsonObject => {
  if (written === undefined) return args;
  const value = read(written);
  // A text that says something else is nobody's.
  return isObject(value) && JSON.stringify(value) === JSON.stringify(args) ? (value as JsonObject) : args;
};

/** For a person, and for servers that take them as text. */
export const argumentsText = (call: Given): string => writtenJson(callArguments(call));

const read = (text: string): unknown => {
  try {
    return parseWritten(text);
  } catch {
    return undefined;
  }
};
