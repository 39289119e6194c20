/** A model whose notes are of no use again and again is asked for them less and less often, since each asking takes time. */
import type { Event } from '../events.ts';

/** Whether notes are asked for when room is made next, by what came of the last askings of the same model. */
export const asksForNotes = (path: readonly Event[]): boolean => {
  let failed = 0;
  let since = 0;
  let known: string | undefined;
  for (const event of path) {
    if (event.type === 'model_changed') failed = since = 0;
    if (event.type !== 'context_compacted') continue;
    // Notes go on with the session until others take their place.
    const notes = event.notes ? JSON.stringify(event.notes) : known;
    if (event.report?.notes_failed) {
      failed += 1;
      since = 0;
    } else if (notes !== known) failed = since = 0;
    else since += 1;
    known = notes;
  }
  return failed < FAILURES_MAX || since >= Math.min(2 ** (failed - 1), SKIPPED_MAX);
};
const FAILURES_MAX = 2;
const SKIPPED_MAX = 16;
