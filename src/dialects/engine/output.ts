/**
 * What the parser has understood so far. While it is open whether a stretch of text is a call, what it would mean is
 * held, and the text itself is kept beside it: either the meaning is released, or the text goes back to being text.
 */
import { DIALECT_LIMITS } from '../../core/limits/dialect-limits.ts';
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

export type Output = {
  readonly calls: ParsedCall[];
  readonly broken: BrokenCall[];
  /** Calls that have begun. */
  begun: number;
  content: string;
  reasoning: string;
  /** Nothing but white space stands in the content so far. */
  readonly untouched: boolean;
  /** Something is held, so what is eaten has to be kept. */
  readonly recording: boolean;
  /** Everything that can no longer change. */
  take(): ParserEvent[];
  moveTo(place: Place): void;
  /** Text for the current place. White space at its ends, and beside calls, is left out. */
  text(piece: string): void;
  /** The text is over: an answer that is text and nothing else keeps the white space at its end. */
  closeText(): void;
  emit(event: ParserEvent): void;
  /** Notes a call that must not be executed. */
  breakOff(broken: BrokenCall): void;

  // Holds. They nest, and end in the reverse order of their beginning.

  /** Keeps text that was eaten while something is held. */
  keep(text: string): void;
  /** The last of what was kept is read again. */
  unkeep(length: number): void;
  /** `text` was just eaten and belongs to it. */
  begin(text: string): Hold;
  /** From here on its meaning is known; its text is kept all the same. */
  release(hold: Hold): void;
  /** Its meaning counts, its text is no longer needed. */
  commit(hold: Hold): void;
  /** It meant nothing. Returns its text, which the caller writes or puts back. */
  abandon(hold: Hold): string;
  textOf(hold: Hold): string;
};

export const newOutput = (): Output => {
  const calls: ParsedCall[] = [];
  const broken: BrokenCall[] = [];
  let ready: ParserEvent[] = [];
  const held: ParserEvent[] = [];
  const holds: Hold[] = [];
  /** Holds whose meaning is still open. */
  let open = 0;
  const tape: string[] = [];
  let state: TextState = { place: 'text', space: '', spaceOf: 'text', started: false, reasoned: false };

  /** Where the next event goes, and the last one there if it may still grow. */
  const target = (): ParserEvent[] => (open === 0 ? ready : held);
  const growing = (list: ParserEvent[]): ParserEvent | undefined =>
    list === held && holds.some((hold) => hold.events === list.length) ? undefined : list[list.length - 1];

  const record = (type: Place, text: string): void => {
    if (type === 'text') output.content += text;
    else output.reasoning += text;
  };

  const emitText = (type: Place, text: string): void => {
    const list = target();
    const last = growing(list);
    if (last?.type === type) last.text += text;
    else list.push({ type, text });
    if (list === ready) record(type, text);
  };

  const settle = (hold: Hold): void => {
    if (hold.released) return;
    hold.released = true;
    open--;
  };

  const drop = (hold: Hold): void => {
    const at = holds.indexOf(hold);
    for (const inner of holds.splice(at < 0 ? holds.length : at)) if (inner !== hold) settle(inner);
    if (holds.length === 0) tape.length = 0;
  };

  /** Hands on what is held as soon as no hold is left that it could belong to. */
  const flush = (): void => {
    if (held.length === 0 || open > 0) return;
    for (const event of held) {
      ready.push(event);
      if (event.type === 'text' || event.type === 'reasoning') record(event.type, event.text);
    }
    held.length = 0;
  };

  const output: Output = {
    calls,
    broken,
    begun: 0,
    content: '',
    reasoning: '',
    get untouched() {
      return !state.started;
    },
    get recording() {
      return holds.length > 0;
    },
    take: () => {
      const events = ready;
      ready = [];
      return events;
    },
    moveTo: (place) => {
      state.place = place;
    },
    text: (piece) => {
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
      emitText(place, begun && state.space !== '' ? state.space + shown : shown);
      state.space = end === piece.length ? '' : piece.slice(end);
      if (place === 'text') state.started = true;
      else state.reasoned = true;
    },
    closeText: () => {
      if (output.begun > 0 || !state.started || state.spaceOf !== 'text' || state.space === '') return;
      emitText('text', state.space);
      state.space = '';
    },
    emit: (event) => {
      const list = target();
      if (event.type === 'call_arguments') {
        const last = growing(list);
        if (last?.type === event.type && last.index === event.index) {
          // The event has not been handed out yet, so it can still grow.
          last.delta += event.delta;
          return;
        }
      }
      list.push(event);
      if (event.type === 'call_end' && event.call !== undefined) calls.push(event.call);
    },
    breakOff: (call) => {
      broken.push(call);
    },

    keep: (text) => {
      tape.push(text);
    },
    unkeep: (length) => {
      while (length > 0) {
        const last = tape.pop();
        if (last === undefined) return;
        if (last.length > length) tape.push(last.slice(0, last.length - length));
        length -= last.length;
      }
    },
    begin: (text) => {
      if (holds.length > 0) output.unkeep(text.length);
      const hold: Hold = {
        tape: tape.length,
        events: held.length,
        state: { ...state },
        calls: calls.length,
        broken: broken.length,
        released: false,
      };
      holds.push(hold);
      open++;
      if (text !== '') tape.push(text);
      return hold;
    },
    release: (hold) => {
      settle(hold);
      flush();
    },
    commit: (hold) => {
      drop(hold);
      output.release(hold);
    },
    abandon: (hold) => {
      const text = output.textOf(hold);
      drop(hold);
      if (!hold.released) {
        held.length = Math.min(held.length, hold.events);
        calls.length = hold.calls;
        broken.length = hold.broken;
        state = hold.state;
        settle(hold);
      }
      return text;
    },
    textOf: (hold) => tape.slice(hold.tape).join(''),
  };
  return output;
};

/** A to Z: one bit tells the capital from the small letter. */
export const isLatin = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122;
/** Letters and digits of any script. */
export const isNameLetter = (code: number): boolean => isLatin(code) || (code >= 48 && code <= 57) || code > 127;

/** Names of tools: no white space, no brackets or quotes. */
export const isName = (text: string): boolean => {
  if (text === '' || text.length > DIALECT_LIMITS.headerCharacters) return false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (!isNameLetter(code) && !'_-.:/'.includes(text[i] as string)) return false;
  }
  return true;
};
