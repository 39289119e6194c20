/** Programs that rules deny whatever their words are: `bash(curl *)`, and a name that is no tool's. */
import type { Rule } from '../events.ts';
import { matchesWildcard } from './glob.ts';

export const deniedPrograms = (
  deny: readonly Rule[],
  /** `name`: of the tool that runs commands. */
  { name, isTool }: { name: string; isTool(name: string): boolean },
): string[] => {
  const programs = deny.flatMap(({ tool, pattern }) => {
    if (pattern === undefined) return PROGRAM.test(tool) && !tool.startsWith('mcp__') && !isTool(tool) ? [tool] : [];
    const [program = '', star, ...others] = pattern.trim().split(/\s+/);
    const isWhole = matchesWildcard(tool, name) && star === '*' && others.length === 0;
    return isWhole && PROGRAM.test(program) ? [program] : [];
  });
  return [...new Set(programs)];
};

const PROGRAM = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*$/;
