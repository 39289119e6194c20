/** Whether a line of what calls returned says what a note says. */
import { hasValue, isStanding } from '../distinctive.ts';
import { isNegative } from '../negative.ts';
import { speaksForUser } from '../speaks-for-user.ts';
import { actsIn, withoutTold } from './acts.ts';
import { isSamePlace, placesIn } from './claims.ts';
import { claimsPermission } from './permission.ts';
import { sharedWords } from './same-words.ts';
import { wordsIn } from './told-words.ts';

/** What a call returned, and the call by its name and its arguments. */
export type Result = { call: string; text: string };

export const createFound = (results: readonly Result[]): ((note: string) => boolean) => {
  let read: readonly Read[] | undefined;
  return (note) => {
    const told = wordsIn(note);
    // "src/db.ts was deleted" is in every line that tells what was deleted there.
    const places = placesIn(note);
    if (
      told.length === 0 ||
      told.length + Math.max(0, places.length - 1) < FEWEST ||
      isOrder(note) ||
      claimsPermission(note)
    )
      return false;
    read ??= results.map(readOnce);
    const longest = told
      .reduce((long, word) => (word.length > long.length ? word : long), '')
      .slice(0, STEM_CHARACTERS);
    return read.some(({ lines, named }) => {
      const isOf = (line: string): boolean => {
        const there = [...named, ...placesIn(line)];
        return places.every((place) => there.some((other) => isSamePlace(place, other)));
      };
      return lines.some(
        (line) =>
          line.toLowerCase().includes(longest) &&
          isOf(line) &&
          namesValue(note, line) &&
          isNegative(line) === isNegative(note) &&
          sharedWords(told, wordsIn(line)).length === told.length,
      );
    });
  };
};
const FEWEST = 2;
const STEM_CHARACTERS = 3;

/** What is to be deleted, sent or changed is no finding, whoever wrote it there, and neither is what is always to be done. */
const isOrder = (note: string): boolean =>
  actsIn(withoutTold(note)).size > 0 || isStanding(note.trim().split(/\s/u)[0] ?? '');
/** No list has the words of every language: what names no value may be an order in another one, unless it is a setting. */
const namesValue = (note: string, line: string): boolean => hasValue(note) || SETTING.test(line);
const SETTING = /^[\s"'*-]*[\p{L}\p{N}_.-]+["']?\s*[:=]\s*\S+(?:\s\S+)?\s*$/u;

type Read = { lines: readonly string[]; named: readonly string[] };
const readOnce = ({ call, text }: Result): Read => ({
  named: placesIn(call),
  // What a file says of the user is not what the user says.
  lines: text
    .split('\n')
    .map((line) => line.slice(0, LINE_CHARACTERS))
    .filter((line) => !speaksForUser(line)),
});
const LINE_CHARACTERS = 2_000;
