/** The session's tasks (Z4): reads the fold of the log, writes by adding to the log. */

import { failure, succeed } from '../../../core/outcome.ts';
import type { Task, Tasks } from '../../../core/ports.ts';
import { didYouMean } from '../../../core/tool/nearest-names.ts';
import { AGENT_LIMITS } from '../../limits.ts';

export const createTasks = (current: () => readonly Task[], changed: (task: Task) => void): Tasks => {
  // Changes made within one call are not in the fold yet when the next one is made, so they are kept beside it.
  const pending = new Map<string, Task>();
  const all = (): Task[] => {
    const known = current();
    for (const task of known) if (pending.get(task.id) === task) pending.delete(task.id);
    const merged = known.map((task) => pending.get(task.id) ?? task);
    return [...merged, ...[...pending.values()].filter((task) => !known.some((other) => other.id === task.id))];
  };
  const set = (task: Task): Task => {
    pending.set(task.id, task);
    changed(task);
    return task;
  };
  return {
    list: all,
    add(content) {
      const tasks = all();
      if (tasks.length >= AGENT_LIMITS.tasksPerSession) {
        return failure(
          'validation_failed',
          `There are ${tasks.length} tasks already, which is the limit. Complete some first.`,
        );
      }
      return succeed(set({ id: `task_${tasks.length + 1}`, content, status: 'pending' }));
    },
    update(id, status) {
      const tasks = all();
      const task = tasks.find((known) => known.id === id);
      if (task === undefined) {
        const known = tasks.map((entry) => entry.id).join(', ');
        return failure(
          'not_found',
          `There is no task "${id}".${nearestTask(id, tasks)} ${known ? `The tasks are: ${known}.` : 'There are no tasks yet.'}`,
        );
      }
      return succeed(set({ ...task, status }));
    },
  };
};

/** Models write the bare number, or say `Task 3`. */
const nearestTask = (id: string, tasks: readonly Task[]): string => {
  const number = /^\D*(\d+)\D*$/.exec(id)?.[1];
  const same = tasks.find((task) => task.id === `task_${number}`);
  return same
    ? ` Did you mean ${same.id}?`
    : didYouMean(
        id.toLowerCase(),
        tasks.map((task) => task.id),
      );
};
