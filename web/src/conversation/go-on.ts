import type { ContentPart } from '../../../src/core/message.ts';
import type { Item, NoticeItem, TextItem } from '../state/view.ts';

/** What the model reads after an answer that was cut. The person wrote none of it, so the page shows no message of theirs. */
export const GO_ON = 'Your answer was cut off. Go on exactly where it stopped, without repeating anything.';

export const isGoOn = (content: string | readonly ContentPart[]): boolean => content === GO_ON;

/** What a run gave up to its end, newest first: all since the message that it answers. */
const given = (items: readonly Item[], end: number): Item[] => {
  let begin = end;
  while (begin > 0 && items[begin - 1]?.kind !== 'user') begin -= 1;
  return items.slice(begin, end).reverse();
};

/** The words that an end closes, and the last part of them where nothing else was done after it. */
export const closedAnswer = (items: readonly Item[], end: number): { text: string; last: TextItem | undefined } => {
  const texts: TextItem[] = [];
  for (const item of given(items, end)) {
    if (item.kind === 'call') break;
    if (item.kind === 'text') texts.unshift(item);
  }
  const newest = given(items, end).find((item) => item.kind !== 'notice');
  return { text: texts.map(({ text }) => text).join('\n\n'), last: newest?.kind === 'text' ? newest : undefined };
};

const isStop = (item: Item): boolean => item.kind === 'notice' && item.stopped !== undefined;

/** Nothing was said or done after this end; what notes tell in between changes nothing of it. */
export const isNewest = (items: readonly Item[], end: number): boolean =>
  items.slice(end + 1).every((item) => item.kind === 'notice' && !isStop(item));

/** That the run of these words ended before its time is said below them. */
export const isStopTold = (items: readonly Item[], index: number): boolean => {
  const after = items.slice(index + 1);
  const next = after.findIndex(({ kind }) => kind === 'user');
  return after.slice(0, next === -1 ? undefined : next).some(isStop);
};

/** After these the run would only meet what ended it, unless it goes on from where it is. */
const SPENT: ReadonlySet<NoticeItem['stopped']> = new Set(['limit', 'loop']);

/** Why the answer that this stop ends broke off, the newest one by default. It is told there, so that no warning tells it too. */
export const whyBroken = (items: readonly Item[], end = items.findLastIndex(isStop)): string | undefined => {
  const item = items[end];
  return item !== undefined && isStop(item) ? closedAnswer(items, end).last?.why : undefined;
};

/** What is sent to go on from where a run is. */
const FROM_THERE = 'Go on.';

/**
 * How one goes on after a run that was stopped: by this message, from what was done or where its words broke off, or by
 * answering once more.
 */
export const waysOn = (items: readonly Item[], end: number): { goesOn?: string; again: boolean } => {
  const item = items[end];
  if (item?.kind !== 'notice' || item.stopped === undefined) return { again: false };
  const cut = closedAnswer(items, end).last?.cut;
  const isBegun = given(items, end).some(({ kind }) => kind === 'call' || kind === 'text');
  const isSpent = SPENT.has(item.stopped);
  // What the limit of tokens cut says so itself, and has its own way on.
  const words = cut === undefined ? FROM_THERE : GO_ON;
  return { ...(cut !== 'length' && (isSpent || isBegun) ? { goesOn: words } : {}), again: !isSpent };
};
