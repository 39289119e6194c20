/** Notes of a model that were written when room was made before are held against what was said and found since. */
import { type CompactionOptions, lastCompaction } from '../../../core/window/compaction.ts';
import type { SessionHandle } from '../../session/session-handle.ts';

export const carriedNotes = async (session: SessionHandle): Promise<Pick<CompactionOptions, 'carriedNotes'>> => {
  const log = session.path();
  const notes = lastCompaction(log)?.notes;
  if (notes === undefined) return {};
  // Few conversations need it, and every program would load it.
  const [{ checkedNotes }, { noteSources }] = await Promise.all([
    import('../../../core/window/checked-notes.ts'),
    import('../../../core/window/note-sources.ts'),
  ]);
  return { carriedNotes: { kept: checkedNotes(notes, noteSources(log)) } };
};
