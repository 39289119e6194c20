/** Z3. */
import { ok } from '../core/tool-result.ts';
import { builtIn } from './support/built-in.ts';
import { isoLocal } from './support/format.ts';

export const getCurrentTime = builtIn({
  name: 'get_current_time',
  description: 'The current date and time (ISO 8601).',
  risk: 'safe',
  effects: 'none',
  polling: true,
  parameters: { type: 'object', properties: {} },
  run: async (_args, context) => ok(isoLocal(context.clock.now())),
});
