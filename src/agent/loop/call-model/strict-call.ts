/** Dialects that are strict: their calls are JSON as it is. */
import type { ToolSchema } from '../../../core/tool.ts';
import { EXACT_DIALECT } from '../../../dialects/index.ts';

/** Nothing is converted in such a dialect, so its parser is not told what types there are. */
export const readsExactly = (reads: unknown): boolean => reads === EXACT_DIALECT;
export const withoutTypes = ({ function: { name, description } }: ToolSchema): ToolSchema => ({
  type: 'function',
  function: { name, description, parameters: { type: 'object' } },
});
