/** A call as other libraries take it: with the tool's own name, and with arguments that are JSON and fit its schema. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { parseStrictly } from '../engine/lenient.ts';
import { readJsonText } from '../unclosed-json.ts';
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

const readArguments = (input: unknown, isCut: boolean): JsonObject | undefined => {
  if (typeof input !== 'string') return isObject(input as JsonValue) ? (input as JsonObject) : undefined;
  if (input.trim() === '') return isCut ? undefined : {};
  const read = readJsonText(input, isCut ? 'refuse' : 'close if sure');
  return read.ok && isObject(read.value) ? read.value : undefined;
};

/**
 * What cannot be read stays as it is, so that the library tells the model what is wrong with it; but what lacks its end
 * comes in words, since some libraries read half a call as a whole one. `isCut`: something ended the answer from outside.
 */
export const repairedCall = (part: Part, tools: readonly FunctionTool[], isCut = false): Part => {
  const tool = toolNamed(tools, String(part['toolName']));
  const args = readArguments(part['input'], isCut);
  const named = tool ? { ...part, toolName: tool.name } : part;
  if (args === undefined) return isHalf(part['input'], isCut) ? halfCall(named, isCut) : named;
  if (tool?.inputSchema === undefined) return { ...part, input: writtenJson(args) };
  const fitting = validateArguments(tool.inputSchema, args, 'model', { asText: true });
  return { ...part, toolName: tool.name, input: fitting.ok ? JSON.stringify(fitting.arguments) : writtenJson(args) };
};

const isHalf = (input: unknown, isCut: boolean): boolean =>
  typeof input === 'string' && (isCut || /^\s*[[{]/.test(input));

const halfCall = (part: Part, isCut: boolean): Part => {
  const problem = isCut ? 'it was cut off before its end' : 'its arguments end before they are complete';
  return { ...part, input: unreadInput(String(part['input']), problem), problem };
};

/** The input of a call that cannot be made. It begins with words, so that no library reads it as JSON, be it in part. */
export const unreadInput = (wrote: string, problem: string): string =>
  `The call was not made: ${problem}. It was written as: ${wrote.trim().slice(0, WRITTEN_CHARACTERS)}`;
const WRITTEN_CHARACTERS = 2_000;
