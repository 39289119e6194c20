/** Which item of a list a short message chooses. */
import { hasValue, valueKeys } from './distinctive.ts';
import { type List, listsIn } from './list-items.ts';

/** A yes, a no or a choice, which may be said to a proposal that asks nothing. */
export const CHOICE_CHARACTERS = 30;

/** The items whose marks are said, mostly one, with what they are chosen from: the last list that has the mark, or each list where as many marks are said. */
export const choicesIn = (said: string, answer: string): List[] | undefined => {
  if (said.length > CHOICE_CHARACTERS) return undefined;
  const lists = listsIn(answer);
  const ofEach = lists.length > 1 ? chosenOfEach(said, lists) : undefined;
  if (ofEach) return ofEach;
  // Marks are said of marked items: the points of the last list have none.
  const isMarked = lists.at(-1)?.items.some((item) => markOf(item) !== undefined) === true;
  const found = isMarked ? lists.findLast((list) => itemOf(said, list) !== undefined) : undefined;
  const item = found && itemOf(said, found);
  if (found === undefined || item === undefined) return undefined;
  return namesOther({ said, answer: `${answer} ${wordsOf(said).join(' ')}` })
    ? undefined
    : [{ ...found, items: [item] }];
};

/**
 * By its mark alone, as "B", "2." or "die 2", or by a word with a value in it. Who chooses again says other words before it.
 */
export const itemOf = (said: string, { items }: List, { isAgain = false } = {}): string | undefined => {
  const words = wordsOf(said);
  const marked = items.filter((item) => {
    const mark = markOf(item);
    if (mark === undefined) return false;
    if (words.length === 1) return isSameMark(words[0], mark);
    // A word of one small letter may be a word.
    return /^\p{Ll}$/u.test(mark) ? isAgain && words.at(-1) === mark : words.includes(mark);
  });
  return marked.length === 1 ? marked[0] : undefined;
};

/** "1, b", "2a", "1 and 2": the marks in the order of the lists, and hardly another word. */
const chosenOfEach = (said: string, lists: readonly List[]): List[] | undefined => {
  const all = lists.flatMap(({ items }) => items.map(markOf));
  const marks = wordsOf(said)
    .flatMap((word) => /^(\d{1,2})(\p{L})$/u.exec(word)?.slice(1) ?? [word])
    .filter((word) => all.some((mark) => isSameMark(word, mark)));
  if (marks.length !== lists.length) return undefined;
  const chosen = lists.flatMap((list, at) => {
    const item = list.items.find((one) => isSameMark(marks[at], markOf(one)));
    return item === undefined ? [] : [{ ...list, items: [item] }];
  });
  return chosen.length === lists.length ? chosen : undefined;
};

const isSameMark = (word: string | undefined, mark: string | undefined): boolean =>
  mark !== undefined && word?.toLowerCase() === mark.toLowerCase();
const wordsOf = (said: string): string[] =>
  withoutFrames(said)
    .split(/[^\p{L}\p{M}\p{N}]+/u)
    .filter((word) => word !== '');
/** A number on a key or in a circle is a number. */
const withoutFrames = (said: string): string =>
  said
    .replaceAll('№', ' ')
    .normalize('NFKC')
    .replaceAll(/[\uFE0F\u20E3]/gu, '');
const markOf = (item: string): string | undefined => /^[-*+•\s]*\**\(?(\d{1,2}|\p{L})[.):、．）]/u.exec(item)?.[1];

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
