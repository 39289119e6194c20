import type { Task } from '../../core/ports.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { sanitizeTitle } from '../sanitize.ts';
import { cut } from '../text.ts';
import type { Theme } from '../theme.ts';

/** The tasks of the session (Z18), while one is open: what is being done, what comes next, how many are done. */
export const taskLines = (tasks: readonly Task[], width: number, theme: Theme): string[] => {
  const open = tasks.filter((task) => task.status !== 'completed');
  if (open.length === 0) return [];
  const done = tasks.length - open.length;
  const first = Math.max(0, Math.min(tasks.indexOf(open[0]!) - 1, tasks.length - TERMINAL_LIMITS.taskLines));
  const shown = tasks.slice(first, first + TERMINAL_LIMITS.taskLines);
  const left = tasks.length - shown.length;
  return [
    theme.dim(`Tasks ${done} of ${tasks.length} done`),
    ...shown.map((task) => {
      const text = cut(sanitizeTitle(task.content), width - 4);
      if (task.status === 'completed') return `  ${theme.good(theme.marks.done)} ${theme.dim(text)}`;
      if (task.status === 'in_progress') return `  ${theme.accent(theme.marks.current)} ${text}`;
      return `  ${theme.dim(theme.marks.waiting)} ${text}`;
    }),
    ...(left > 0 ? [theme.dim(`  ${theme.marks.ellipsis} ${left} more`)] : []),
  ];
};
