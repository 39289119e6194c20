/** Which of the lines in a message are the person's own words, judged in any script by their form alone. */
import { UNSPACED_SCRIPTS } from '../unspaced-scripts.ts';
import { saysWho } from './speaks-for-user.ts';

/**
 * Rows of a log or a table: several lines of one message begin in the same form, and that form holds a number or a sign. Of
 * a trace or a piece of code: several lines are indented and hold signs. What several speak in, each line with a name; what
 * stands in a block, or is quoted by its sign. A sentence among them is neither, so it stays the person's own.
 */
export const pastedLines = (message: string): ReadonlySet<string> => {
  const lines = message.split('\n');
  const chat = lines.filter((line) => saysWho(line) || SAYS_WHEN.test(line));
  const speakers = new Set(chat.map((line) => line.split(/[:：](?!\p{N})/u)[0]));
  return new Set([
    ...rowsOf(lines),
    ...(speakers.size >= SPEAKERS_LEAST ? chat : []),
    ...fencedLines(lines),
    ...lines.filter((line) => line.trimStart().startsWith('>')),
  ]);
};
const SPEAKERS_LEAST = 2;
/** "[10:01, 1.1.2026] Bo: …" */
const SAYS_WHEN = /^[[(]?\p{N}[\p{N}.:/, T-]{3,30}[\])]?\s[^:：]{1,40}[:：]\s/u;

const fencedLines = (lines: readonly string[]): string[] => {
  const fences = lines.flatMap((line, at) => (/^\s*(?:```|~~~)/.test(line) ? [at] : []));
  return fences.flatMap((from, at) => (at % 2 === 0 ? lines.slice(from, (fences[at + 1] ?? from) + 1) : []));
};

const rowsOf = (lines: readonly string[]): string[] => {
  const rows = new Map<string, string[]>();
  for (const line of lines) {
    const form = beginningOf(line) ?? (isIndentedCode(line) ? 'code' : undefined);
    if (form === undefined) continue;
    const alike = rows.get(form);
    if (alike) alike.push(line);
    else rows.set(form, [line]);
  }
  return [...rows.values()].filter(({ length }) => length >= ROWS_LEAST).flat();
};
/** An item of a list may be indented too. */
const isIndentedCode = (line: string): boolean =>
  /^(?: {2}|\t)/.test(line) && !/^[-*+•\d]/u.test(line.trimStart()) && /[(){}[\]<>=;|_\\/]/.test(line);
/** Fewer may be a list of the person's own. */
const ROWS_LEAST = 5;

/** "2026-01-02 10:00" and "[12:01:07] INFO" as their form; none of words alone. */
const beginningOf = (line: string): string | undefined => {
  const form = line
    .trim()
    .split(/\s+/u)
    .slice(0, BEGINNING_WORDS)
    .join(' ')
    .replaceAll(/\p{N}+/gu, '0')
    .replaceAll(/\p{L}[\p{L}\p{M}]*/gu, 'a');
  return ROW.test(form) ? form : undefined;
};
const BEGINNING_WORDS = 2;
/** A number, or a sign that joins or encloses; the point or bracket behind the number of an item makes no row. */
const ROW = /0[^\s.)、．]|[^\s]0|[[\]{}<>|=;\t]|^a 0\b/u;

/** As short as a yes, a thank you, a go on. */
export const isShort = (text: string): boolean => worthOf(text) < SHORT_CHARACTERS;

/** How much a text can say: a sign of a script without blanks is worth more than a letter. */
export const worthOf = (text: string): number =>
  text.length + (text.match(UNSPACED_SIGN) ?? []).length * (UNSPACED_WORTH - 1);
/** A sign of Korean is a syllable, and says as much. */
const UNSPACED_SIGN = new RegExp(`[${UNSPACED_SCRIPTS}\\p{sc=Hangul}]`, 'gu');
const UNSPACED_WORTH = 2;
const SHORT_CHARACTERS = 14;
