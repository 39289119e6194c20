/** What is asked of a tool about a call that was made. */
import type { ToolCall } from '../../../core/message.ts';
import type { ProjectionOptions } from '../../../core/model-projection.ts';
import { summaryItemsOf } from '../../../core/summarize.ts';
import type { Tool } from '../../../core/tool.ts';
import { shownFile } from '../../../core/window/shown-file.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** The file that a command shows, where it does nothing else. */
export const fileShownBy = (tool: Tool, { arguments: { command } }: ToolCall): string | undefined =>
  tool.effects === 'process' && tool.main_argument === 'command' && typeof command === 'string'
    ? shownFile(command)
    : undefined;

/** The call does nothing but give its result: whoever needs that again may make it again. */
const mayRepeat = (tool: Tool | undefined, call: ToolCall): boolean => {
  switch (tool?.effects) {
    case 'none':
    case 'read':
      return true;
    case 'network':
      return tool.reads_only === true;
    case 'process':
      return fileShownBy(tool, call) !== undefined;
    default:
      return false;
  }
};

/** What a projection asks of the tools. `tell`: what is wrong with one, once. */
export const toolFacts = (
  registry: ToolRegistry,
  tell?: (problem: string) => void,
): Required<Pick<ProjectionOptions, 'summaryItems' | 'mayRepeat'>> => {
  const told = new Set<string>();
  const tellOnce = (problem: string): void => {
    if (told.has(problem)) return;
    told.add(problem);
    tell?.(problem);
  };
  return {
    summaryItems: (name, result, args) => summaryItemsOf(registry.get(name), result, args, tellOnce),
    mayRepeat: (call) => mayRepeat(registry.get(call.name), call),
  };
};
