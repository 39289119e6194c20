/**
 * Words that mix letters of scripts that look alike: `аdmin` with a Cyrillic а. A person reads them as one word of their own
 * script, and the system knows two. Pure and linear.
 */
import { isObject, type JsonObject, type JsonValue } from './json.ts';

/** Scripts whose letters pass for Latin ones, and for each other's. */
const ALIKE = ['Latin', 'Cyrillic', 'Greek', 'Armenian', 'Cherokee', 'Coptic', 'Lisu'] as const;
const SCRIPTS = ALIKE.map((script) => ({ script, letter: new RegExp(`\\p{Script=${script}}`, 'u') }));
const WORD = /[\p{L}\p{M}]+/gu;
const MOST_WORDS = 5;

/** Longer texts are no names; what a file holds is looked at where the change is shown. */
const LONGEST_CHARACTERS = 2_000;

/** For the question about a call: such words in its paths, addresses, commands and names. */
export const mixedScriptLines = (args: JsonObject): string[] =>
  mixedScriptsIn(shortTexts(args).join('\n')).map((note) => `Letters of mixed scripts: ${note}`);

const shortTexts = (value: JsonValue): string[] => {
  if (typeof value === 'string') return value.length <= LONGEST_CHARACTERS ? [value] : [];
  if (Array.isArray(value)) return value.flatMap(shortTexts);
  return isObject(value) ? Object.values(value).flatMap(shortTexts) : [];
};

const scriptOf = (letter: string): string | undefined => SCRIPTS.find(({ letter: fits }) => fits.test(letter))?.script;

/** What a person is told of such words, each once: `аdmin (а is Cyrillic, U+0430)`. */
export const mixedScriptsIn = (text: string): string[] => {
  const found = new Set<string>();
  for (const [word] of text.matchAll(WORD)) {
    // Letters that nothing passes for cost nothing.
    if (/^[A-Za-z]+$/.test(word)) continue;
    const note = noteOf(word);
    if (note !== undefined) found.add(note);
    if (found.size >= MOST_WORDS) break;
  }
  return [...found];
};

const noteOf = (word: string): string | undefined => {
  const letters = [...word].map((letter) => ({ letter, script: scriptOf(letter) }));
  const scripts = new Set(letters.flatMap(({ script }) => (script === undefined ? [] : [script])));
  if (scripts.size < 2) return undefined;
  const usual = scripts.has('Latin') ? 'Latin' : letters[0]?.script;
  const foreign = new Map(
    letters.flatMap(({ letter, script }) => (script === undefined || script === usual ? [] : [[letter, script]])),
  );
  const notes = [...foreign].map(([letter, script]) => `${letter} is ${script}, ${codeOf(letter)}`);
  return `${word} (${notes.join('; ')})`;
};

const codeOf = (letter: string): string =>
  `U+${(letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
