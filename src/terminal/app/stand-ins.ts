/**
 * What is typed or pasted reaches the model as it is, and only what is shown is made safe. The editor shows what it holds,
 * so it holds one private character in the place of each that must not reach the terminal, and gives the original back.
 */
import { UNSEEN_CLASS } from '../../core/invisible.ts';

const FIRST = 0x10_0000;
const COUNT = 0xffff;
/** Plane 16 is private: what comes from there gets a stand-in as well, so that none can be taken for another. */
const REPLACED = new RegExp(`[[${UNSEEN_CLASS}\\u{100000}-\\u{10FFFF}]--[\\n\\u200C\\u200D\\uFE0E\\uFE0F]]`, 'gv');
const STAND_IN = /[\u{100000}-\u{10ffff}]/gu;
/** More marks on one letter than any script needs would paint over the lines round it. */
const MARKS = /(\p{M}{6})\p{M}+/gu;

export class StandIns {
  readonly #originals: string[] = [];
  readonly #places = new Map<string, string>();

  /** Text for the editor. */
  put(text: string): string {
    return text.toWellFormed().replaceAll(REPLACED, (character) => this.#placeOf(character));
  }

  /** The text that was typed. */
  original(text: string): string {
    return text.replaceAll(STAND_IN, (character) => this.#originalOf(character) ?? '');
  }

  /** A line of the editor for the screen: control characters as their pictures, all else as a replacement mark. */
  shown(line: string): string {
    return line
      .replaceAll(STAND_IN, (character) => pictureOf(this.#originalOf(character) ?? ''))
      .replaceAll(MARKS, '$1');
  }

  #placeOf(character: string): string {
    const known = this.#places.get(character);
    if (known !== undefined) return known;
    // There are fewer characters to replace than places.
    const place = String.fromCodePoint(FIRST + (this.#originals.length % COUNT));
    this.#originals.push(character);
    this.#places.set(character, place);
    return place;
  }

  #originalOf(place: string): string | undefined {
    return this.#originals[(place.codePointAt(0) ?? 0) - FIRST];
  }
}

const CONTROL_PICTURES = 0x2400;
const pictureOf = (character: string): string => {
  const code = character.codePointAt(0) ?? 0;
  if (character === '\t') return '→';
  if (code < 0x20) return String.fromCodePoint(CONTROL_PICTURES + code);
  return code === 0x7f ? '␡' : '\ufffd';
};
