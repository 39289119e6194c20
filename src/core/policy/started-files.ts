/** Files of the workspace that MCP servers are started from: what changes one runs later, and in no sandbox. */
import { autoExecutedOverride, type PolicyOverride } from '../policy.ts';
import type { Tool } from '../tool.ts';

export type StartedFiles = {
  /** The server that is started from the file at an absolute path. */
  serverOf(path: string): string | undefined;
  /** The same for what commands may not change: installing packages is ordinary work, and changes what is installed. */
  keptFromCommands(path: string): string | undefined;
  /** Of the latter those that are there. */
  paths: readonly string[];
  /** Whether a change of a file leaves what is started as it was. */
  isSameStart(path: string, before: string | undefined, after: string | undefined): boolean;
};

export const NO_STARTED_FILES: StartedFiles = {
  serverOf: () => undefined,
  keptFromCommands: () => undefined,
  paths: [],
  isSameStart: () => true,
};

/** `serverAt`: of a path as the call names it. */
export const startedFileOverrides = (
  tool: Pick<Tool, 'effects' | 'path_arguments'>,
  paths: readonly string[],
  serverAt: (path: string) => string | undefined,
): PolicyOverride[] => {
  const mayWrite = tool.effects === 'write' || (tool.effects === 'network' && tool.path_arguments === undefined);
  if (!mayWrite) return [];
  return paths.flatMap((path): PolicyOverride[] => {
    const server = serverAt(path);
    if (server === undefined) return [];
    const because = `${JSON.stringify(path)} is what the MCP server "${server}" is started from`;
    const spells = (pattern: string | undefined): boolean =>
      pattern !== undefined && !/[*?]/.test(pattern) && serverAt(pattern.replace(/^=/, '')) !== undefined;
    return [autoExecutedOverride(because, (rule) => spells(rule.pattern))];
  });
};
