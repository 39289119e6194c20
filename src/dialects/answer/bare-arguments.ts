/**
 * An answer that is nothing but the arguments of a call, whose name is lost. It may be data that a person asked for, so it
 * stays an answer: the model is only asked once, and only where the object fits exactly one tool on offer.
 */
import { isObject, type JsonObject, type JsonSchema } from '../../core/json.ts';
import { parseNested } from '../../core/nested-json.ts';
import { withoutFence } from '../fence.ts';
import type { ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { NAMELESS } from './call-words.ts';
import { fitsTool } from './understood-call.ts';

export const bareArguments = (answer: string, tools: readonly ToolDefinition[]): UnreadCall | undefined => {
  const text = answer.trim();
  const args = objectOf(withoutFence(text));
  if (args === undefined) return undefined;
  const fitting = tools
    .map((tool) => ('function' in tool ? tool.function : tool))
    .filter(({ name, parameters }) => fitsTool(tools, { name, arguments: args }) && namesAll(parameters, args));
  const [name, ...more] = fitting.map((tool) => tool.name);
  if (name === undefined || more.length > 0) return undefined;
  return { name, arguments: args, problem: NAMELESS, text, isPart: true, isUnclear: true };
};

/** A schema that names no property fits any object, and says nothing of this one. */
const namesAll = (parameters: JsonSchema | undefined, args: JsonObject): boolean => {
  const named = isObject(parameters) && isObject(parameters['properties']) ? parameters['properties'] : {};
  return Object.keys(args).every((key) => Object.hasOwn(named, key));
};

const objectOf = (text: string) => {
  if (!text.startsWith('{') || !text.endsWith('}')) return undefined;
  try {
    const value = parseNested(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
