/** What of a conversation is being worked with: its results stay where room is made, as long as there is room for them. */
import type { Event } from '../events.ts';
import { messageText } from '../message.ts';
import { withoutEnd } from '../without-end.ts';

/**
 * The event from which on results are worked with: within a turn that turn's own, and where a message has just come those
 * of the turn before, unless the message names other files alone. Undefined: there are none.
 */
export const workedWithFrom = (log: readonly Event[]): number | undefined => {
  const current = log.findLastIndex(({ type }) => type === 'user_message_added');
  const message = log[current];
  if (message?.type !== 'user_message_added') return undefined;
  if (log.slice(current).some(({ type }) => type === 'assistant_message_added')) return message.seq;
  const before = log.findLastIndex(({ type }, index) => index < current && type === 'user_message_added');
  const from = log[before];
  if (from === undefined) return undefined;
  return isAbout(messageText(message.content), log.slice(before, current)) ? from.seq : undefined;
};

/** A word with an ending or a folder, as files are named. One that is none is looked at from its beginning alone. */
const FILES =
  /(?<![\p{L}\p{N}_@~.-])[\p{L}\p{N}_@~.-]*(?:\/[\p{L}\p{N}_@.-]+)+|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.\p{L}[\p{L}\p{N}]{0,7}(?![\p{L}\p{N}])/gu;

const isAbout = (text: string, turn: readonly Event[]): boolean => {
  const files = text.match(FILES) ?? [];
  if (files.length === 0) return true;
  const used = turn
    .flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []))
    .map(({ arguments: args }) => JSON.stringify(args))
    .join('\n');
  return files.some((file) => used.includes(withoutEnd(file.replace(/^\.\//, ''), /[.,]/)));
};
