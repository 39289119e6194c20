/** The words that stand for what was left out of a window. */
import type { JsonObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import { counted, grouped } from '../number-text.ts';

/** One line, cut at its end. */
export const firstWords = (text: string, characters: number): string => {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length <= characters ? line : `${line.slice(0, characters - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
};

/** The one line that stands for a result that was dropped. */
export const droppedResultText = (name: string, args: JsonObject, success: boolean, characters: number): string =>
  `[the result of ${name} ${firstWords(JSON.stringify(args), LIMITS.compactionItemCharacters)} was dropped to save room: ${success ? 'it succeeded' : 'it failed'}, ${counted(characters, 'character')}. Call it again if it is needed.]`;

/** The same where every token counts. */
export const DROPPED_RESULT_TEXT = '[dropped to save room]';

/** The beginning of a result that has no room in the window. */
export const cutResultText = (content: string, characters: number): string =>
  `${content.slice(0, characters).toWellFormed()}\n[cut to fit the window: the first ${grouped(characters)} of ${grouped(content.length)} characters. Ask for less at a time.]`;

/** The same of a message of the person that was not sent, since no window had room for it. */
export const cutMessageText = (content: string, characters: number): string =>
  `${content.slice(0, characters).toWellFormed()}\n[the first ${grouped(characters)} of ${grouped(content.length)} characters: it was too long for the window, so it was not answered]`;
