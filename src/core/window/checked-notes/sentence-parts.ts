/** Sentences that were kept together because the first is short or ends in a number: "No cloud! On a USB disk." */
import { isFirstWord } from './first-words.ts';

export const sentenceParts = (sentence: string): string[] =>
  sentence
    .split(END)
    .flatMap((part) => afterNumbers(part))
    .filter((part) => part.trim() !== '');
const END = /(?<=\p{L}{2}[.!…]|\?)\s+(?!$)|(?<=[？。！])\s*(?!$)/u;

/** "Debian 12. Do not restart it" are two, and "12. Juni" is one: what follows is a word that sentences begin with. */
export const afterNumbers = (text: string): string[] => {
  const parts: string[] = [];
  let from = 0;
  for (const { index, 0: found, 1: next = '' } of text.matchAll(NUMBER_END)) {
    if (!isFirstWord(next)) continue;
    parts.push(text.slice(from, index + found.length));
    from = index + found.length;
  }
  return [...parts, text.slice(from)];
};
const NUMBER_END = /\p{N}\.\s+(?=(\p{Lu}[\p{L}\p{M}'’]*))/gu;

/** "Birgit eats no fish and Tomas is allergic": a name behind a small word begins a clause of its own. */
const AND_NAME = /(?<=\p{L} \p{Ll}{1,24}) (?:and|while|und|et|y|e|и|en|i) (?=\p{Lu}\p{Ll}+ \p{Ll}+)/gu;
export const withNamesApart = (text: string): string => text.replaceAll(AND_NAME, ', ');
