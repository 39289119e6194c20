import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import type { Task } from '../../../core/ports.ts';
import { createTasks } from './tasks.ts';

it('names the task that was meant by an id that does not exist', () => {
  verifies('Z4');
  const known: Task[] = [1, 2, 12].map((number) => ({ id: `task_${number}`, content: 'x', status: 'pending' }));
  const tasks = createTasks(
    () => known,
    () => undefined,
  );
  for (const [id, meant] of [
    ['2', 'task_2'],
    ['Task 12', 'task_12'],
    ['#1', 'task_1'],
    ['taks_1', 'task_1'],
    ['task_3', 'task_'],
  ]) {
    const updated = tasks.update(id as string, 'completed');
    expect(updated).toMatchObject({ ok: false, error: { error_type: 'not_found' } });
    if (!updated.ok) expect(updated.error.message).toContain(`Did you mean ${meant}`);
  }
  const none = tasks.update('something else', 'completed');
  if (!none.ok)
    expect(none.error.message).toBe('There is no task "something else". The tasks are: task_1, task_2, task_12.');
});
