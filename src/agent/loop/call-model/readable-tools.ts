/** What the calls in a text are told by: the tools of a registry. */
import type { ToolSchema } from '../../../core/tool.ts';
import type { AnswerContext } from '../../../dialects/index.ts';
import type { ToolRegistry } from '../run-tool/tool-registry.ts';
import { readsOnly } from './repair-calls.ts';

/** What a text may call: the tools of the prompt prefix, and those behind `use_tool`. Each name once. */
export const readableTools = ({ schemas, callable }: ToolRegistry): readonly ToolSchema[] => {
  const described = new Set(schemas.map((schema) => schema.function.name));
  return [...schemas, ...callable.filter((schema) => !described.has(schema.function.name))];
};

export const toolsToRead = (registry: ToolRegistry): Pick<AnswerContext, 'tools' | 'isTool' | 'mayGuess'> => {
  const toolOf = (name: string) => registry.get(registry.resolveName(name).name);
  return {
    tools: registry.schemas.length === 0 ? [] : readableTools(registry),
    isTool: (name) => toolOf(name) !== undefined,
    mayGuess: (name) => readsOnly(toolOf(name)),
  };
};
