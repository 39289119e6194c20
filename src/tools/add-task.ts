/** Z4. */
import { LIMITS } from '../core/limits.ts';
import type { Tool } from '../core/tool.ts';
import { fail, ok } from '../core/tool-result.ts';
import { refuse } from './support/refuse.ts';

export const addTask: Tool = {
  name: 'add_task',
  description: 'Note a step of a longer job in the task list. Returns its id.',
  risk: 'safe',
  effects: 'write',
  main_argument: 'content',
  parameters: {
    type: 'object',
    properties: { content: { type: 'string', minLength: 1, maxLength: LIMITS.taskCharacters } },
    required: ['content'],
  },
  async run(args, context) {
    const content = String(args.content).trim();
    if (content === '') return fail('validation_failed', 'content is empty; say what the task is');
    const added = context.tasks.add(content);
    return added.ok ? ok(added.value.id) : refuse(added.error);
  },
};
