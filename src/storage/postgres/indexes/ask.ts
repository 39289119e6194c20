/** What a database answered, or why the index cannot be had. */
import { IndexUnavailable } from '../../../core/index-port.ts';
import type { Outcome } from '../../../core/outcome.ts';

export const got = <T>(outcome: Outcome<T>): T => {
  if (!outcome.ok) throw new IndexUnavailable(outcome.error);
  return outcome.value;
};
