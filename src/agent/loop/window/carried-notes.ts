/** Notes of a model that were written when room was made before stand on only as far as what was said since bears them out. */
import type { ModelMessage } from '../../../core/message.ts';
import { type CompactionOptions, lastCompaction } from '../../../core/window/compaction.ts';
import type { SessionHandle } from '../../session/session-handle.ts';

export const carriedNotes = async (
  session: SessionHandle,
  messages: readonly ModelMessage[],
): Promise<Pick<CompactionOptions, 'carriedNotes'>> => {
  const log = session.path();
  const notes = lastCompaction(log)?.notes;
  if (notes === undefined) return {};
  // Few conversations need it, and every program would load it.
  const [{ checkedNotes }, { noteSources }] = await Promise.all([
    import('../../../core/window/checked-notes.ts'),
    import('../../../core/window/note-sources.ts'),
  ]);
  const sources = noteSources(log, messages, undefined);
  const { said, calls = [], results = [] } = sources;
  // They were written of what is left out by now.
  const read = [...sources.read, ...said, ...calls, ...results];
  return { carriedNotes: { kept: checkedNotes(notes, { ...sources, read }) } };
};
