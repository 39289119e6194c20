/** Which item of a list a short message chooses. */
import { hasValue, valueKeys } from './distinctive.ts';
import { listItems } from './list-items.ts';

/** A yes, a no or a choice, which may be said to a proposal that asks nothing. */
export const CHOICE_CHARACTERS = 30;

/**
 * The one item whose mark is said, as "B", "2." or "die 2": by its mark alone, or by a word with a value in it. Who chooses
 * again says other words before it.
 */
export const itemNamed = (said: string, answer: string, { isAgain = false } = {}): string | undefined => {
  const items = listItems(answer);
  if (items.length < 2 || said.length > CHOICE_CHARACTERS) return undefined;
  const words = withoutFrames(said)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
  const marked = items.filter((item) => {
    const mark = markOf(item);
    if (mark === undefined) return false;
    if (words.length === 1) return words[0]?.toLowerCase() === mark.toLowerCase();
    // A word of one small letter may be a word.
    return /^\p{Ll}$/u.test(mark) ? isAgain && words.at(-1) === mark : words.includes(mark);
  });
  return marked.length === 1 && !namesOther({ said, answer: `${answer} ${words.join(' ')}` }) ? marked[0] : undefined;
};
/** A number on a key or in a circle is a number. */
const withoutFrames = (said: string): string =>
  said
    .replaceAll('№', ' ')
    .normalize('NFKC')
    .replaceAll(/[\uFE0F\u20E3]/gu, '');
const markOf = (item: string): string | undefined => /^[-*+•\s]*\**\(?(\d{1,2}|\p{L})[.):、．]/u.exec(item)?.[1];

/** It names something that the answer does not speak of: in quotes, or by a word with a value in it. */
export const namesOther = ({ said, answer }: { said: string; answer: string }): boolean => {
  const answered = new Set(valueKeys(answer));
  return namesIn(said).some((name) => !valueKeys(name).every((key) => answered.has(key)));
};

/** The first word begins with a capital anyway. */
const namesIn = (said: string): string[] => [
  ...(said.match(/(["'`])[^"'`]{2,}\1|[«‹„“”‚‘「『»›][^«»‹›„“”‚‘’「」『』]{2,}[»›“”‘’」』«‹]/gu) ?? []),
  ...said
    .split(/\s+/u)
    .slice(1)
    .filter((word) => hasValue(`a ${word}`)),
];
