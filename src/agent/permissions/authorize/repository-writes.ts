/**
 * A file that a tool writes may make a folder a repository of git, under any name, or change one, or be what settings of git
 * name. The person's own `git status` there then runs what the file says. Each such write is asked about, as it is for files
 * that other programs execute automatically.
 */
import path from 'node:path';
import { mayWrite, pathsOf } from '../../../core/policy/overrides.ts';
import { autoExecutedOverride, type PolicyOverride } from '../../../core/policy.ts';
import type { Tool } from '../../../core/tool.ts';
import type { RepositoryWrites } from '../../../sandbox/repository-writes.ts';
import { AGENT_LIMITS } from '../../limits.ts';
import { whereTo } from '../shell-rules/where-to.ts';

type WritingTool = Pick<Tool, 'name' | 'effects' | 'path_arguments'>;

export const repositoryWriteOverrides = (
  tool: WritingTool,
  args: Parameters<typeof pathsOf>[1],
  { root, openWrites }: { root: string; openWrites: () => RepositoryWrites },
): PolicyOverride[] => {
  if (!mayWrite(tool)) return [];
  const paths = pathsOf(tool, args);
  if (paths.length > AGENT_LIMITS.pathsJudged)
    return [autoExecutedOverride(`${tool.name} names too many paths to be looked at`, () => false)];
  // Settings are read for it, which would be work for nothing at each call that names no file.
  if (paths.length === 0) return [];
  const writes = openWrites();
  const reasonOf = (text: string): string | undefined => {
    if (!IS_NAME.test(text)) return undefined;
    const named = path.resolve(root, text.replace(/^file:\/\//i, ''));
    const real = whereTo('/', named);
    if (real === undefined) return 'leads nowhere that is known';
    return writes(named) ?? (real === named ? undefined : writes(real));
  };
  return paths.flatMap((text): PolicyOverride[] => {
    const reason = reasonOf(text);
    if (reason === undefined) return [];
    const spells = (pattern = '*'): boolean =>
      !/[*?]/.test(pattern) && reasonOf(pattern.replace(/^=/, '')) !== undefined;
    return [autoExecutedOverride(`${JSON.stringify(text)} ${reason}`, (rule) => spells(rule.pattern))];
  });
};

/** Other texts name no file on any system. */
const IS_NAME = /^(?:[^/\0]{0,255}(?:\/|$))+$/;
