/** Whether one sentence of the model says what a note says. What it asks, it does not say. */

import { isQuestion } from '../distinctive.ts';
import { isNegative } from '../negative.ts';
import { sentencesOf } from '../sentences.ts';
import { actsIn, mayBeDone, withoutTold } from './acts.ts';
import { claimsPermission } from './permission.ts';
import { sharedWords } from './same-words.ts';
import { toldIn } from './told-words.ts';

export const createToldByModel = (byModel: readonly string[]): ((note: string) => boolean) => {
  let sentences: readonly string[] | undefined;
  return (note) => {
    const told = toldIn(note);
    // What cannot be taken back, and what may be done, is the person's to say.
    if (told.length < FEWEST || isWeighty(note) || claimsPermission(note) || mayBeDone(note)) return false;
    sentences ??= byModel.flatMap((text) => sentencesOf(text)).filter((sentence) => !isQuestion(sentence));
    const longest = told
      .reduce((long, word) => (word.length > long.length ? word : long), '')
      .slice(0, STEM_CHARACTERS);
    return sentences.some(
      (sentence) =>
        sentence.toLowerCase().includes(longest) &&
        isNegative(sentence) === isNegative(note) &&
        sharedWords(told, toldIn(sentence)).length === told.length,
    );
  };
};
const isWeighty = (note: string): boolean => [...actsIn(withoutTold(note))].some((act) => act !== 'change');
/** A subject, and what is said of it. */
const FEWEST = 2;
const STEM_CHARACTERS = 3;
