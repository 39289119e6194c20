/** A call as other libraries take it: with the tool's own name, and with arguments that are JSON and fit its schema. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { parseStrictly } from '../engine/lenient.ts';
import { isClosed, readJsonText } from '../unclosed-json.ts';
import type { FunctionTool, Part } from './shapes.ts';

/** Letters and digits alone: `Read_File` and `functions.readFile` mean `read_file`. */
const bare = (name: string): string =>
  name
    .replace(/^functions?[.:/]/, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');

export const toolNamed = (tools: readonly FunctionTool[], name: string): FunctionTool | undefined => {
  const exact = tools.find((tool) => tool.name === name);
  if (exact) return exact;
  const alike = tools.filter((tool) => bare(tool.name) === bare(name));
  return alike.length === 1 ? alike[0] : undefined;
};

/** JSON as it has to be, which the end of an answer does not change. */
export const isWholeInput = (input: unknown): boolean =>
  typeof input !== 'string' || parseStrictly(input) !== undefined;

/** The arguments, or what is wrong with what was written; undefined where that is JSON, though no object. */
const readArguments = (input: unknown, isCut: boolean): JsonObject | string | undefined => {
  if (typeof input !== 'string') return isObject(input as JsonValue) ? (input as JsonObject) : undefined;
  if (input.trim() === '') return isCut ? CUT : {};
  const read = readJsonText(input, isCut ? 'refuse' : 'close if sure');
  if (read.ok && isObject(read.value)) return read.value;
  const isBracketed = /^\s*[[{]/.test(input);
  if (isCut && !(isBracketed ? isClosed(input) : /"\s*$/.test(input))) return CUT;
  if (read.ok || !isBracketed) return undefined;
  return isClosed(input) ? 'its arguments are not JSON' : 'its arguments end before they are complete';
};
const CUT = 'it was cut off before its end';

/**
 * What cannot be read stays as it is, so that the library tells the model what is wrong with it; but what lacks its end
 * comes in words, since some libraries read half a call as a whole one. `isCut`: something ended the answer from outside.
 */
export const repairedCall = (part: Part, tools: readonly FunctionTool[], isCut = false): Part => {
  const tool = toolNamed(tools, String(part['toolName']));
  const args = readArguments(part['input'], isCut);
  const named = tool ? { ...part, toolName: tool.name } : part;
  if (args === undefined) return named;
  if (typeof args === 'string') return { ...named, input: unreadInput(String(part['input']), args), problem: args };
  if (tool?.inputSchema === undefined) return { ...part, input: writtenJson(args) };
  const fitting = validateArguments(tool.inputSchema, args, 'model', { asText: true });
  return { ...part, toolName: tool.name, input: fitting.ok ? JSON.stringify(fitting.arguments) : writtenJson(args) };
};

/** The input of a call that cannot be made. It begins with words, so that no library reads it as JSON, be it in part. */
export const unreadInput = (wrote: string, problem: string): string =>
  `The call was not made: ${problem}. It was written as: ${wrote.trim().slice(0, WRITTEN_CHARACTERS)}`;
const WRITTEN_CHARACTERS = 2_000;
