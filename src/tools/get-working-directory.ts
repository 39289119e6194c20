/** H9. */
import type { Tool } from '../core/tool.ts';
import { ok } from '../core/tool-result.ts';

export const getWorkingDirectory: Tool = {
  name: 'get_working_directory',
  description: 'The absolute path of the workspace.',
  risk: 'safe',
  effects: 'none',
  parameters: { type: 'object', properties: {} },
  run: async (_args, context) => ok(context.workspace.root),
};
