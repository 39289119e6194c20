/** Messages on their way: seen at once, and kept in this browser until the server is known to have them. Pure. */
import type { ContentPart } from '../../../src/core/message.ts';
import { wordsOf } from '../conversation/message-words.ts';
import { isSameMessage, type KeptMessage, NEW_PLACE } from './kept-queue.ts';
import type { View } from './view.ts';

export { NEW_PLACE };

export type Sending = KeptMessage & {
  /** The session's id, or `NEW_PLACE`. */
  place: string;
  content: string | ContentPart[];
  /** A run goes on, so it will wait its turn. */
  isBehind: boolean;
};

/** Said with the same words before or by others, it is another message. */
const isSaid = ({ key, text, after }: KeptMessage, items: View['items']): boolean =>
  items.some(
    (item) =>
      item.kind === 'user' &&
      (key === undefined ? item.seq > after && wordsOf(item.content) === text : item.messageKey === key),
  );

/** Neither in the conversation nor in the queue of the server. */
export const lostMessages = <M extends KeptMessage>(kept: readonly M[], view: View): readonly M[] =>
  kept.filter(
    (message) => !view.queue.some(({ content }) => wordsOf(content) === message.text) && !isSaid(message, view.items),
  );

type Known = {
  coming: readonly KeptMessage[];
  isLive: boolean;
  /** This one. */
  tab: string;
  /** The keys of those that some window sends at this moment. */
  underWay?: ReadonlySet<string>;
};

/**
 * What nobody took. While a run goes on, others may be taken any moment: then only where it is known that nobody answered, or
 * where this tab sent it before it was loaded again and heard nothing of it.
 */
export const unsentMessages = <M extends KeptMessage>(
  kept: readonly M[],
  view: View,
  { coming, isLive, tab, underWay }: Known,
): readonly M[] => {
  const isLeft = ({ isTaken, queueId, tab: of }: M): boolean => of === tab && !isTaken && queueId === undefined;
  return lostMessages(kept, view).filter(
    (message) =>
      // It stands in its session.
      message.session === undefined &&
      !(message.key !== undefined && underWay?.has(message.key)) &&
      (message.isUnanswered || isLeft(message) || !(isLive && view.running)) &&
      !coming.some((each) => isSameMessage(each, message)),
  );
};
