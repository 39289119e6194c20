/** Z4. */
import type { Tool } from '../core/tool.ts';
import { ok } from '../core/tool-result.ts';

export const listTasks: Tool = {
  name: 'list_tasks',
  description: 'The task list with ids and status.',
  risk: 'safe',
  effects: 'none',
  parameters: { type: 'object', properties: {} },
  run: async (_args, context) => ok(context.tasks.list().map(({ id, status, content }) => ({ id, status, content }))),
};
