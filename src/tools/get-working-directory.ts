/** H9. */
import { ok } from '../core/tool-result.ts';
import { builtIn } from './support/built-in.ts';

export const getWorkingDirectory = builtIn({
  name: 'get_working_directory',
  description: 'The absolute path of the workspace.',
  risk: 'safe',
  effects: 'none',
  parameters: { type: 'object', properties: {} },
  run: async (_args, context) => ok(context.workspace.root),
});
