import type { Failure } from '../../core/outcome.ts';
import { fail, type ToolOutput } from '../../core/tool-result.ts';

/** A port's failure as a tool's output. */
export const refuse = (failure: Failure): ToolOutput => {
  if (failure.error_type === 'none') throw new Error('a failure has an error type');
  return fail(
    failure.error_type,
    failure.message,
    failure.reason === undefined ? undefined : { reason: failure.reason },
  );
};
