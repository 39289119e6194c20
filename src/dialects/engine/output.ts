/**
 * What the parser has understood so far. While it is open whether a stretch of text is a call, what it would mean is
 * held, and the text itself is kept beside it: either the meaning is released, or the text goes back to being text.
 */
import { DIALECT_LIMITS } from '../../core/dialect-limits.ts';
import type { BrokenCall, ParsedCall, ParserEvent } from '../types.ts';
import { isSpace } from './scanner.ts';

export type Place = 'text' | 'reasoning';

/** A stretch of text whose meaning is open. */
export type Hold = {
  /** The first piece of the tape that belongs to it. */
  readonly tape: number;
  readonly events: number;
  readonly state: TextState;
  readonly calls: number;
  readonly broken: number;
  released: boolean;
};

type TextState = {
  place: Place;
  /** White space that is shown only if more text follows in the same place. */
  space: string;
  /** The place whose text came last and the white space belongs to. */
  spaceOf: Place;
  /** Something other than white space has been written to the content. */
  started: boolean;
  /** Something other than white space has been written to the reasoning. */
  reasoned: boolean;
};

export class Output {
  readonly calls: ParsedCall[] = [];
  readonly broken: BrokenCall[] = [];
  /** Calls that have begun. */
  begun = 0;
  #contentText = '';
  #reasoningText = '';
  #ready: ParserEvent[] = [];
  readonly #held: ParserEvent[] = [];
  readonly #holds: Hold[] = [];
  /** Holds whose meaning is still open. */
  #open = 0;
  readonly #tape: string[] = [];
  #state: TextState = { place: 'text', space: '', spaceOf: 'text', started: false, reasoned: false };

  /** Everything that can no longer change. */
  take(): ParserEvent[] {
    const events = this.#ready;
    this.#ready = [];
    return events;
  }

  get content(): string {
    return this.#contentText;
  }

  get reasoning(): string {
    return this.#reasoningText;
  }

  /** Nothing but white space stands in the content so far. */
  get untouched(): boolean {
    return !this.#state.started;
  }

  get place(): Place {
    return this.#state.place;
  }

  moveTo(place: Place): void {
    this.#state.place = place;
  }

  /** Text for the current place. White space at its ends, and beside calls, is left out. */
  text(piece: string): void {
    const state = this.#state;
    const { place } = state;
    if (state.spaceOf !== place) {
      state.space = '';
      state.spaceOf = place;
    }
    let end = piece.length;
    while (end > 0 && isSpace(piece.charCodeAt(end - 1))) end--;
    if (end === 0) {
      state.space += piece;
      return;
    }
    const begun = place === 'text' ? state.started : state.reasoned;
    let start = 0;
    if (!begun) while (isSpace(piece.charCodeAt(start))) start++;
    const shown = start === 0 && end === piece.length ? piece : piece.slice(start, end);
    this.#emitText(place, begun && state.space !== '' ? state.space + shown : shown);
    state.space = end === piece.length ? '' : piece.slice(end);
    if (place === 'text') state.started = true;
    else state.reasoned = true;
  }

  /** The text is over: an answer that is text and nothing else keeps the white space at its end. */
  closeText(): void {
    const state = this.#state;
    if (this.begun > 0 || !state.started || state.spaceOf !== 'text' || state.space === '') return;
    this.#emitText('text', state.space);
    state.space = '';
  }

  #emitText(type: Place, text: string): void {
    const list = this.#target();
    const last = list[list.length - 1];
    if (last?.type === type && !this.#atHoldStart(list)) last.text += text;
    else list.push({ type, text });
    if (list === this.#ready) this.#record(type, text);
  }

  #record(type: Place, text: string): void {
    if (type === 'text') this.#contentText += text;
    else this.#reasoningText += text;
  }

  emit(event: ParserEvent): void {
    const list = this.#target();
    const last = list[list.length - 1];
    if (
      event.type === 'call_arguments' &&
      last?.type === 'call_arguments' &&
      last.index === event.index &&
      !this.#atHoldStart(list)
    ) {
      // The event has not been handed out yet, so it can still grow.
      last.delta += event.delta;
      return;
    }
    list.push(event);
    if (event.type === 'call_end' && event.call !== undefined) this.calls.push(event.call);
  }

  /** Notes a call that must not be executed. */
  breakOff(broken: BrokenCall): void {
    this.broken.push(broken);
  }

  #target(): ParserEvent[] {
    return this.#open === 0 ? this.#ready : this.#held;
  }

  #atHoldStart(list: ParserEvent[]): boolean {
    return list === this.#held && this.#holds.some((hold) => hold.events === list.length);
  }

  // Holds. They nest, and end in the reverse order of their beginning.

  get recording(): boolean {
    return this.#holds.length > 0;
  }

  /** Keeps text that was eaten while something is held. */
  keep(text: string): void {
    this.#tape.push(text);
  }

  /** The last of what was kept is read again. */
  unkeep(length: number): void {
    while (length > 0) {
      const last = this.#tape.pop();
      if (last === undefined) return;
      if (last.length > length) {
        this.#tape.push(last.slice(0, last.length - length));
        return;
      }
      length -= last.length;
    }
  }

  /** `text` was just eaten and belongs to it. */
  begin(text: string): Hold {
    if (this.recording) this.unkeep(text.length);
    const hold: Hold = {
      tape: this.#tape.length,
      events: this.#held.length,
      state: { ...this.#state },
      calls: this.calls.length,
      broken: this.broken.length,
      released: false,
    };
    this.#holds.push(hold);
    this.#open++;
    if (text !== '') this.#tape.push(text);
    return hold;
  }

  /** From here on its meaning is known; its text is kept all the same. */
  release(hold: Hold): void {
    this.#settle(hold);
    this.#flush();
  }

  #settle(hold: Hold): void {
    if (hold.released) return;
    hold.released = true;
    this.#open--;
  }

  /** Its meaning counts, its text is no longer needed. */
  commit(hold: Hold): void {
    this.#drop(hold);
    this.#settle(hold);
    this.#flush();
  }

  /** It meant nothing. Returns its text, which the caller writes or puts back. */
  abandon(hold: Hold): string {
    const text = this.textOf(hold);
    this.#drop(hold);
    if (!hold.released) {
      this.#held.length = Math.min(this.#held.length, hold.events);
      this.calls.length = hold.calls;
      this.broken.length = hold.broken;
      this.#state = hold.state;
      this.#settle(hold);
    }
    return text;
  }

  textOf(hold: Hold): string {
    return this.#tape.slice(hold.tape).join('');
  }

  #drop(hold: Hold): void {
    const at = this.#holds.indexOf(hold);
    for (const inner of this.#holds.splice(at < 0 ? this.#holds.length : at)) if (inner !== hold) this.#settle(inner);
    if (this.#holds.length === 0) this.#tape.length = 0;
  }

  /** Hands on what is held as soon as no hold is left that it could belong to. */
  #flush(): void {
    if (this.#held.length === 0 || this.#open > 0) return;
    for (const event of this.#held) {
      this.#ready.push(event);
      if (event.type === 'text' || event.type === 'reasoning') this.#record(event.type, event.text);
    }
    this.#held.length = 0;
  }
}

/** Names of tools: no white space, no brackets or quotes. */
export const isName = (text: string): boolean => {
  if (text === '' || text.length > DIALECT_LIMITS.headerCharacters) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const letter =
      (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code > 127;
    if (!letter && !'_-.:/'.includes(text[i] as string)) return false;
  }
  return true;
};
