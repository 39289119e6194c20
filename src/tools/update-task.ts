/** Z4. */
import type { TaskStatus } from '../core/ports.ts';
import { fail, ok } from '../core/tool-result.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

const STATUSES: readonly TaskStatus[] = ['pending', 'in_progress', 'completed'];

export const updateTask = builtIn({
  name: 'update_task',
  description: 'Set the status of a task.',
  risk: 'safe',
  effects: 'write',
  path_arguments: [],
  sinks: [],
  main_argument: 'task_id',
  parameters: {
    type: 'object',
    properties: { task_id: { type: 'string' }, status: { type: 'string', enum: [...STATUSES] } },
    required: ['task_id', 'status'],
  },
  async run(args, context) {
    const status = STATUSES.find((known) => known === args.status);
    if (status === undefined) return fail('validation_failed', `status must be one of ${STATUSES.join(', ')}`);
    const updated = context.tasks.update(String(args.task_id), status);
    return updated.ok ? ok(`${updated.value.id} is now ${updated.value.status}`) : refuse(updated.error);
  },
});
