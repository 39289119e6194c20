/**
 * An answer that is nothing but the arguments of a call, whose name is lost. It may be data that a person asked for, so it
 * stays an answer: the model is only asked once, and only where the object fits exactly one tool on offer.
 */
import { isObject } from '../../core/json.ts';
import { parseNested } from '../../core/nested-json.ts';
import type { ToolDefinition } from '../types.ts';
import type { UnreadCall } from '../unread-call.ts';
import { NAMELESS } from './call-words.ts';
import { fitsTool } from './understood-call.ts';

const FENCED = /^`{3}\w*[ \t]*\n([\s\S]*?)\n?`{3}$/;

/** What stands in the fence that is the whole answer, or the answer. */
export const withoutFence = (answer: string): string => {
  const text = answer.trim();
  return FENCED.exec(text)?.[1]?.trim() ?? text;
};

export const bareArguments = (answer: string, tools: readonly ToolDefinition[]): UnreadCall | undefined => {
  const text = answer.trim();
  const args = objectOf(withoutFence(text));
  if (args === undefined) return undefined;
  const names = tools.map((tool) => ('function' in tool ? tool.function.name : tool.name));
  const [name, ...more] = names.filter((one) => fitsTool(tools, { name: one, arguments: args }));
  if (name === undefined || more.length > 0) return undefined;
  return { name, arguments: args, problem: NAMELESS, text, isPart: true, isUnclear: true };
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
