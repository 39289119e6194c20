/** Z4. */
import { ok } from '../core/tool-result.ts';
import { builtIn } from './support/built-in.ts';

export const listTasks = builtIn({
  name: 'list_tasks',
  description: 'The task list with ids and status.',
  risk: 'safe',
  effects: 'none',
  parameters: { type: 'object', properties: {} },
  run: async (_args, context) => ok(context.tasks.list().map(({ id, status, content }) => ({ id, status, content }))),
});
