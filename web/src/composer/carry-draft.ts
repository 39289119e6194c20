/**
 * What stands in the field and is not sent stays in the field when the page under it becomes another: when its session begins,
 * and when its session is gone and the page of a new one comes in its place.
 */
import { moveWritten } from '../parts/use-written.ts';
import { moveKept } from '../state/kept.ts';
import { keptQueue } from '../state/kept-queue.ts';
import type { Attachment } from './attachments.ts';

/** Undefined: of the session that begins with the next message. */
type Place = string | undefined;

export const draftName = (place: Place): string => `message of ${place ?? 'new'}`;
export const picturesName = (place: Place): string => `pictures ${place ?? 'new'}`;

const joinedWords = (there: string, moved: string): string => (there.trim() === '' ? moved : `${there}\n\n${moved}`);
const joinedPictures = (there: readonly Attachment[], moved: readonly Attachment[]): readonly Attachment[] => [
  ...there.filter(({ key }) => !moved.some((each) => each.key === key)),
  ...moved,
];

/** A message that was being edited in a session that is gone; see `useWritten` for its name. */
export const carryEdited = (name: string): void => moveWritten<string>(name, draftName(undefined), joinedWords);

export const carryDraft = (from: Place, to: Place): void => {
  moveWritten<string>(draftName(from), draftName(to), joinedWords);
  moveKept(picturesName(from), picturesName(to), {
    // What went with a message is kept beside it by then, and here no more.
    first: keptQueue().written(),
    joined: (there, moved) => joinedPictures(there as readonly Attachment[], moved as readonly Attachment[]),
  });
};
