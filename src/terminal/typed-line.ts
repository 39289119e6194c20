/** A line that is typed outside the prompt: a reason, a rule, a field of a form. It is kept as it was typed. */
import { decodePrintableKey, matchesKey } from './pi-tui.ts';

const PASTE = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** A character that a message can hold, or several; no key such as an arrow, Enter or Esc. */
export const isTyped = (data: string): boolean => !/[\p{Cc}]/u.test(data);

/** Some terminals spell out the keys of characters as well, those of the number pad above all: the character itself. */
export const plainKey = (data: string): string => {
  const character = data.startsWith('\x1b[') ? decodePrintableKey(data) : undefined;
  return character !== undefined && /^[^\p{C}]$/u.test(character) ? character : data;
};

/** Enter alone. Ctrl+J is a new line, also where a terminal cannot tell it from an Enter of another make. */
export const isEnter = (data: string): boolean => data !== '\n' && matchesKey(data, 'enter');

/** The text after a key or a paste. Other keys change nothing; of a paste of several lines one line is made. */
export const typedLine = (text: string, data: string, maxCharacters: number): string => {
  if (matchesKey(data, 'backspace')) {
    return [...graphemes.segment(text)]
      .slice(0, -1)
      .map(({ segment }) => segment)
      .join('');
  }
  if (matchesKey(data, 'ctrl+u')) return '';
  const pasted = PASTE.exec(data)?.[1];
  if (pasted === undefined && (data.startsWith('\x1b') || /^[\x00-\x1f\x7f]$/.test(data))) return text;
  return cutWhole(text + (pasted ?? data).replaceAll(/[\r\n\t]+/g, ' '), maxCharacters);
};

/** No character is cut in two. */
const cutWhole = (text: string, maxCharacters: number): string => {
  const cut = text.slice(0, maxCharacters);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
};

/** Terminals hand over one UTF-16 unit at a time: the first half of a character waits for the second. */
export class WholeCharacters {
  #half = '';

  /** Undefined: the rest of the character is still to come. */
  next(data: string): string | undefined {
    const whole = this.#half + data;
    this.#half = '';
    const last = whole.charCodeAt(whole.length - 1);
    if (last < 0xd800 || last > 0xdbff) return whole;
    this.#half = whole.slice(-1);
    return whole.length > 1 ? whole.slice(0, -1) : undefined;
  }
}
