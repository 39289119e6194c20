/** Whether a line of what calls returned holds a finding in the same words. */
import { valueKeys } from '../distinctive.ts';
import { isSamePlace, normalized, placesIn, withoutPlaces } from './claims.ts';
import { isTelling, sharedWords } from './same-words.ts';

export const createFound = (results: readonly string[]): ((note: string) => boolean) => {
  let lines: readonly string[] | undefined;
  return (note) => {
    lines ??= results.flatMap((text) => normalized(text).split('\n'));
    const places = placesIn(note);
    const words = valueKeys(withoutPlaces(note)).filter(isTelling);
    if (places.length + words.length < FEWEST) return false;
    const longest = words
      .reduce((long, word) => (word.length > long.length ? word : long), '')
      .slice(0, STEM_CHARACTERS);
    return lines.some((line) => {
      if (!line.includes(longest)) return false;
      const text = line.slice(0, LINE_CHARACTERS);
      const there = placesIn(text);
      if (!places.every((place) => there.some((other) => isSamePlace(place, other)))) return false;
      return sharedWords(words, valueKeys(withoutPlaces(text))).length === words.length;
    });
  };
};
/** "src/db.ts was deleted" is in every line that tells what was deleted there. */
const FEWEST = 3;
const STEM_CHARACTERS = 3;
const LINE_CHARACTERS = 2_000;
