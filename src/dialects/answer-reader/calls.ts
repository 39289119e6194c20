/** A call as other libraries take it: with the tool's own name, and with arguments that are JSON and fit its schema. */
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { validateArguments } from '../../core/validate-arguments.ts';
import { writtenJson } from '../../core/written-numbers.ts';
import { parseJsonLeniently } from '../repair-json.ts';
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

const readArguments = (input: unknown): JsonObject | undefined => {
  if (typeof input !== 'string') return isObject(input as JsonValue) ? (input as JsonObject) : undefined;
  if (input.trim() === '') return {};
  const read = parseJsonLeniently(input);
  return read.ok && isObject(read.value) ? read.value : undefined;
};

/** What cannot be read stays as it is, so that the library tells the model what is wrong with it. */
export const repairedCall = (part: Part, tools: readonly FunctionTool[]): Part => {
  const tool = toolNamed(tools, String(part['toolName']));
  const args = readArguments(part['input']);
  if (args === undefined) return tool ? { ...part, toolName: tool.name } : part;
  if (tool?.inputSchema === undefined) return { ...part, input: writtenJson(args) };
  const fitting = validateArguments(tool.inputSchema, args, 'model', { asText: true });
  return { ...part, toolName: tool.name, input: fitting.ok ? JSON.stringify(fitting.arguments) : writtenJson(args) };
};

/** The input of a call that cannot be made. It begins with words, so that no library reads it as JSON, be it in part. */
export const unreadInput = (wrote: string, problem: string): string =>
  `The call was not made: ${problem}. It was written as: ${wrote.trim().slice(0, WRITTEN_CHARACTERS)}`;
const WRITTEN_CHARACTERS = 2_000;
