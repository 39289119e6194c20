/** What the person is writing at the place of the caret: the name of a command, of a file, or what follows a command. Pure. */

import { mention as named } from '../../../../src/core/mention.ts';

export type Token = {
  kind: 'command' | 'file' | 'argument';
  /** Where it stands in the text, its `/` or `@` included. */
  start: number;
  end: number;
  /** What is written of it. */
  query: string;
  /** `argument`: of which command. */
  command?: string;
};

const COMMAND = /^\/([A-Za-z0-9-]*)$/;
const ARGUMENT = /^\/([A-Za-z][A-Za-z0-9-]*)[ \t]+(\S*)$/;
/** In quotes `\"` is a quote and `\\` a backslash, as the reader of names has it. */
const FILE = /(?:^|\s)@(?:"((?:\\["\\]|[^"\n])*)|([^\s@"]*))$/;

export const tokenAt = (text: string, caret: number): Token | undefined => {
  const before = text.slice(0, caret);
  const [command, name] = COMMAND.exec(before) ?? [];
  if (command !== undefined) return { kind: 'command', start: 0, end: caret, query: name ?? '' };
  const [file, quoted, plain] = FILE.exec(before) ?? [];
  if (file !== undefined) {
    const written = quoted ?? plain ?? '';
    const start = caret - written.length - (quoted === undefined ? 1 : 2);
    const query = quoted === undefined ? written : written.replaceAll(/\\(["\\])/g, '$1');
    return { kind: 'file', start, end: caret, query };
  }
  const [argument, of, word = ''] = ARGUMENT.exec(before) ?? [];
  if (argument === undefined || of === undefined) return undefined;
  return { kind: 'argument', start: caret - word.length, end: caret, query: word, command: of.toLowerCase() };
};

/** The text with this in the place of the token, and where the caret stands then. */
export const withCompletion = (
  text: string,
  { start, end }: Token,
  inserted: string,
): { text: string; caret: number } => {
  // A blank that is there already, or a quote that was written ahead, is not written twice.
  const rest = text.slice(end).replace(inserted.endsWith('" ') ? /^"? ?/ : /^ /, '');
  const before = text.slice(0, start) + inserted;
  return { text: before + rest, caret: before.length };
};

/** The name of a file, ready to be written on. */
export const mention = (path: string): string => `${named(path)} `;
