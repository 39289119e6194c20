/** Which part of a long conversation is on the page. Pure. */
export const OPENED_ITEMS = 60;
const MORE_ITEMS = 60;
const KEPT_ITEMS = 180;

/** The first item that is shown of a conversation that was just opened. */
export const openedFrom = (count: number): number => Math.max(0, count - OPENED_ITEMS);

/** The person looks further back. */
export const earlierFrom = (first: number): number => Math.max(0, first - MORE_ITEMS);

/**
 * What is shown of so many items where `before` were there at the last look. A session that is opened shows its end;
 * while the person stays there, what is far above goes; else everything keeps its place.
 */
export const settledFrom = (first: number, count: number, before: number, atEnd: boolean): number => {
  if (before === 0 || first >= count) return openedFrom(count);
  return atEnd && count !== before && count - first > KEPT_ITEMS ? openedFrom(count) : first;
};

/** How much of each text may be drawn with the page: the newest first, since a session is opened at its end. */
export const drawnAtOnce = (lengths: readonly number[], all: number): number[] => {
  let left = all;
  return lengths
    .toReversed()
    .map((length) => {
      const own = left;
      left = Math.max(0, left - length);
      return own;
    })
    .toReversed();
};
