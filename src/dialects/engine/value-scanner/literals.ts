/** Words outside strings: numbers, true and false, keys without quotes. */
import { JSON_NUMBER } from '../../../core/written-numbers.ts';
import { isSpace } from '../scanner.ts';

const WORDS: Readonly<Record<string, string>> = {
  true: 'true',
  false: 'false',
  null: 'null',
  True: 'true',
  False: 'false',
  None: 'null',
  TRUE: 'true',
  FALSE: 'false',
  NULL: 'null',
  undefined: 'null',
  nan: 'null',
  NaN: 'null',
  Infinity: 'null',
  '-Infinity': 'null',
};

/** A literal as JSON writes it, or undefined for a word that is none. */
export const literalOf = (word: string): string | undefined => {
  if (JSON_NUMBER.test(word)) return word;
  return Object.hasOwn(WORDS, word) ? WORDS[word] : numberOf(word);
};

/** The numbers of Python and JavaScript that JSON lacks: 1_000, 0x1f, .5, 5., +3, 007. */
const numberOf = (word: string): string | undefined => {
  const text = word.replaceAll('_', '');
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.replace(/^[+-]/, '');
  if (/^0[xX][0-9a-fA-F]+$/.test(digits)) return sign + BigInt(digits).toString();
  const parts = /^(\d*)(?:\.(\d*))?([eE][+-]?\d+)?$/.exec(digits);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', exponent = ''] = parts;
  if (whole === '' && fraction === '') return undefined;
  const integer = whole.replace(/^0+(?=\d)/, '') || '0';
  return `${sign}${integer}${fraction === '' ? '' : `.${fraction}`}${exponent}`;
};

export const isWordStart = (char: string): boolean => {
  const code = char.charCodeAt(0);
  return (
    (code >= 48 && code <= 57) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code > 127 ||
    '-+._$'.includes(char)
  );
};

const WORD_ENDS = new Set([...',}])'].map((char) => char.charCodeAt(0)));
const MORE_WORD_ENDS = new Set([...':={[("\'`<#;'].map((char) => char.charCodeAt(0)));

/** `isText`: the word is a text without quotes, which may hold blanks and more. */
export const endsWord = (code: number, isText: boolean): boolean =>
  WORD_ENDS.has(code) || (isText ? code === 10 : isSpace(code) || MORE_WORD_ENDS.has(code));
