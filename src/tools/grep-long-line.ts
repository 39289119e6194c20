/**
 * A match in a line of many megabytes. ripgrep tells the path, the whole line, its number, and then the match with what
 * stands after it: all but the last is let go by, so a line of any length costs what reading it costs.
 */
import { TOOL_LIMITS } from './limits.ts';

export type LongLine = {
  push(text: string): void;
  /** The line's number and what stands from the match on; undefined where the message told of no match. */
  end(): { line: number; bytes: Buffer } | undefined;
};

/** In a text of JSON a quote is escaped, so that this stands nowhere else. */
const MATCH = '"submatches":[{"match":{"';
const NUMBER = /"line_number":(\d+),"absolute_offset":\d+,$/;
/** Room for what stands between the line and its match. */
const TAIL_CHARACTERS = 200;

export const createLongLine = (): LongLine => {
  let tail = '';
  let line = 0;
  let match: string | undefined;
  // As many characters as a byte of the shown text may take: `\u0000`.
  const enough = TOOL_LIMITS.grepLineCharacters * 6 + TAIL_CHARACTERS;
  return {
    push(text) {
      if (match !== undefined) {
        if (match.length < enough) match += text.slice(0, enough - match.length);
        return;
      }
      const window = tail + text;
      const at = window.indexOf(MATCH);
      if (at === -1) tail = window.slice(-TAIL_CHARACTERS);
      else {
        line = Number(NUMBER.exec(window.slice(Math.max(0, at - TAIL_CHARACTERS), at))?.[1] ?? 0);
        match = window.slice(at + MATCH.length, at + MATCH.length + enough);
      }
    },
    end: () => (match === undefined ? undefined : { line, bytes: matchBytes(match) }),
  };
};

/** `text":"…` or, of what is not UTF-8, `bytes":"…` in base64; cut anywhere. */
const matchBytes = (match: string): Buffer => {
  const bytes = /^bytes":"([A-Za-z0-9+/]*)/.exec(match)?.[1];
  if (bytes !== undefined) return Buffer.from(bytes, 'base64');
  const text = /^text":"((?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)/.exec(match)?.[1] ?? '';
  return Buffer.from(JSON.parse(`"${text}"`) as string);
};
