/** The clients of `halter launch` as they come from npm, each asked for one answer. */
import { NPM_PROGRAMS } from './npm-programs.ts';

export const LAUNCHED_PROGRAMS = [
  { client: 'codex', ...NPM_PROGRAMS.codex, args: ['exec', '--skip-git-repo-check', 'Say it.'] },
  { client: 'claude', ...NPM_PROGRAMS.claude, args: ['-p', 'Say it.'] },
  { client: 'opencode', ...NPM_PROGRAMS.opencode, args: ['run', 'Say it.'] },
  { client: 'qwen', ...NPM_PROGRAMS.qwen, args: ['-p', 'Say it.'] },
  { client: 'pi', ...NPM_PROGRAMS.pi, args: ['-p', 'Say it.'] },
];
