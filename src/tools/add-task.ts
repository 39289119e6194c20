/** Z4. */

import { fail, ok } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { refuse } from './support/refuse.ts';

export const addTask = builtIn({
  name: 'add_task',
  description: 'Note a step of a longer job. Returns the task id.',
  risk: 'safe',
  effects: 'write',
  path_arguments: [],
  sinks: [],
  main_argument: 'content',
  parameters: {
    type: 'object',
    properties: { content: { type: 'string' } },
    required: ['content'],
  },
  async run(args, context) {
    const content = String(args.content).trim();
    if (content === '') return fail('validation_failed', 'content is empty; say what the task is');
    if (content.length > TOOL_LIMITS.taskCharacters) {
      return fail('validation_failed', `content is longer than ${TOOL_LIMITS.taskCharacters} characters`);
    }
    const added = context.tasks.add(content);
    return added.ok ? ok(added.value.id) : refuse(added.error);
  },
});
