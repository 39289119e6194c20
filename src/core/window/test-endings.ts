/** How tests and checks came out, by the lines of what a command printed that count them. */
import { firstWords } from './text.ts';

const LINES = 2;
const ENDING_CHARACTERS = 100;
const LINE_CHARACTERS_MAX = 200;

/** `3 failed`, `fail 1`, `FAILED. 3 passed`, `FAIL example.org/b`: a number beside a word for how it ended. */
const COUNTED = new RegExp(
  [
    /\b\d+ (?:tests? |examples? )?(?:pass(?:ed|ing)?|fail(?:ed|ing|ures?)?|errors?|problems?|warnings?)\b/,
    /\b(?:pass(?:ed)?|fail(?:ed|ures)?|errors)[:=]? *\d+\b/,
    /^\s*(?:FAIL(?:ED)?|ok)\s+\S+\s+\d/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'iu',
);

/** The last lines that count; undefined where there are none. */
export const testEnding = (output: string): string | undefined => {
  const lines = output
    .split(/\r?\n/)
    .filter((line) => line.length <= LINE_CHARACTERS_MAX && COUNTED.test(line))
    .map((line) => line.replaceAll(/={2,}|-{3,}|\s+/g, ' ').trim());
  return lines.length === 0 ? undefined : firstWords(lines.slice(-LINES).join('; '), ENDING_CHARACTERS);
};
