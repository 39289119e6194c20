/** What a question shows of a value, and of what a result was about. */
import type { EventOf } from '../events.ts';
import type { JsonObject } from '../json.ts';
import { textIn } from '../tool/model-content.ts';

const SHOWN_CHARACTERS = 200;
const ABOUT_CHARACTERS = 300;
const ABOUT = ['url', 'uri', 'path', 'file_path', 'query', 'command', 'name', 'id'];

export const isShortEnough = (text: string): boolean => text.length <= SHOWN_CHARACTERS;

export const shortened = (text: string): string =>
  isShortEnough(text) ? text : `${text.slice(0, SHOWN_CHARACTERS - 1)}…`;

export const aboutOf = (args: JsonObject): string | undefined => {
  const key =
    ABOUT.find((name) => typeof args[name] === 'string') ??
    Object.keys(args).find((name) => typeof args[name] === 'string');
  return key === undefined ? undefined : String(args[key]).slice(0, ABOUT_CHARACTERS);
};

/** What a call brought, and what the model was shown of it where that is something else. */
export const resultText = (
  { data, error_message }: EventOf<'tool_finished'>['result'],
  shown: EventOf<'tool_finished'>['for_model'],
): string => {
  const more = shown === undefined ? '' : textIn(shown);
  return `${data ?? error_message ?? ''}${more === '' ? '' : `\n${more}`}`;
};
