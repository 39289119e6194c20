/** Messages on their way: seen at once, and kept in this browser until the server is known to have them. Pure. */
import type { ContentPart } from '../../../src/core/message.ts';
import { wordsOf } from '../conversation/message-words.ts';
import type { KeptMessage } from './kept-queue.ts';
import type { View } from './view.ts';

/** Where a message of a session that does not exist yet is kept. */
export const NEW_PLACE = 'new';

export type Sending = KeptMessage & {
  /** The session's id, or `NEW_PLACE`. */
  place: string;
  content: string | ContentPart[];
  /** A run goes on, so it will wait its turn. */
  isBehind: boolean;
  /** The server has it; what it says of it is not here yet. */
  isTaken: boolean;
};

/** Neither in the conversation nor in the queue of the server. */
export const lostMessages = <M extends KeptMessage>(kept: readonly M[], view: View): readonly M[] =>
  kept.filter(
    ({ text, after }) =>
      !view.queue.some(({ content }) => wordsOf(content) === text) &&
      !view.items.some((item) => item.kind === 'user' && item.seq > after && wordsOf(item.content) === text),
  );

/** What nobody took: while a run goes on, only where it is known that nobody answered, since others may be taken any moment. */
export const unsentMessages = <M extends KeptMessage>(
  kept: readonly M[],
  view: View,
  { coming, isLive }: { coming: readonly KeptMessage[]; isLive: boolean },
): readonly M[] =>
  lostMessages(kept, view).filter(
    ({ text, isUnanswered = false }) =>
      (isUnanswered || !(isLive && view.running)) && !coming.some((each) => each.text === text),
  );
