/** A line that is typed outside the prompt: a reason, a rule, a field of a form. It is kept as it was typed. */
import { matchesKey } from './pi-tui.ts';

const PASTE = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~)?$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

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
