/** The words that stand for what was left out of a window. */
import { beginningOf } from '../cut-text.ts';
import type { JsonObject } from '../json.ts';
import { LIMITS } from '../limits.ts';
import type { ToolCall } from '../message.ts';
import { counted, grouped } from '../number-text.ts';
import { ITEM_CHARACTERS } from './sections.ts';

/** One line, cut at its end. */
export const firstWords = (text: string, characters: number): string => {
  // Of a long text its beginning says it, unless that is mostly space.
  const beginning = inLine(text.slice(0, characters * BEGINNING));
  const line = beginning.length > characters ? beginning : inLine(text);
  return line.length <= characters ? line : `${beginningOf(line, characters - 1)}…`;
};

const inLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();
const BEGINNING = 4;

export const callText = ({ name, arguments: args }: ToolCall): string =>
  firstWords(`${name} ${JSON.stringify(args)}`, ITEM_CHARACTERS);

/** The same with the beginning of each text: a path is not lost behind the whole of a file. */
export const briefCallText = ({ name, arguments: args }: ToolCall): string =>
  firstWords(
    `${name} ${JSON.stringify(args, (_, value) => (typeof value === 'string' ? firstWords(value, BRIEF) : value))}`,
    ITEM_CHARACTERS,
  );
const BRIEF = 80;

/** A result that stands in the prompt in part, or not at all. */
export type ShortenedResult = {
  name: string;
  arguments: JsonObject;
  success: boolean;
  content: string;
  /** What its tool left out of it by itself. */
  leftOut: string | undefined;
  /** The whole is there, as `read_file` takes it. */
  place: string | undefined;
  /** Calling it again does nothing but give the result. */
  mayRepeat: boolean;
};

/** The one line that stands for a result that was dropped. */
export const droppedResultText = (dropped: ShortenedResult): string => {
  const what = firstWords(JSON.stringify(dropped.arguments), LIMITS.compactionItemCharacters);
  const ended = dropped.success ? 'it succeeded' : 'it failed';
  return `[the result of ${dropped.name} ${what} was dropped to save room: ${ended}, ${counted(dropped.content.length, 'character')}. ${whereItIs(dropped, AGAIN)}]`;
};

const AGAIN = 'Call it again if it is needed.';
const LESS = 'Ask for less at a time.';

/** What was done is not done again for what it said. `again`: what is advised where nothing speaks against it. */
const whereItIs = ({ place, mayRepeat }: ShortenedResult, again: string): string => {
  if (place !== undefined) return `The whole is in ${place}, which read_file shows in ranges.`;
  return mayRepeat ? again : 'Do not call it again only to see this: it would be done again.';
};

/** The same where every token counts. */
export const shortDroppedText = (result: ShortenedResult): string => `[${shortPlace(result, 'dropped')}]`;

const shortPlace = ({ place, mayRepeat, success }: ShortenedResult, became: 'dropped' | 'cut'): string => {
  if (place !== undefined) return `${became} to save room: ${place}`;
  if (mayRepeat) return `${became} to save room`;
  return `${success ? 'done' : 'failed'}; ${became} to save room`;
};

/** The same of which the beginning stays. */
const shortCutText = (result: ShortenedResult, characters: number): string => {
  const shown = beginningOf(result.content, characters);
  const text = shown === '' ? shortDroppedText(result) : `${shown}\n[${shortPlace(result, 'cut')}]`;
  return text.length < result.content.length ? text : result.content;
};

/** The beginning of a result that has no room in the window. */
export const cutResultText = (result: ShortenedResult, characters: number): string => {
  if (characters < LIMITS.compactionCutCharactersMin) return shortCutText(result, characters);
  const { content, leftOut } = result;
  const shown = beginningOf(content, characters);
  const also = leftOut === undefined || shown.includes(leftOut) ? '' : `\n[${leftOut}]`;
  return `${shown}\n[cut to fit the window: the first ${grouped(characters)} of ${grouped(content.length)} characters. ${whereItIs(result, LESS)}]${also}`;
};

/** The same of a message of the person that was not sent, since no window had room for it. */
export const cutMessageText = (content: string, characters: number): string =>
  `${beginningOf(content, characters)}\n[the first ${grouped(characters)} of ${grouped(content.length)} characters: it was too long for the window, so it was not answered]`;
