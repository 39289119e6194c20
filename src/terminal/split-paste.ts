/**
 * A slow line brings the mark before a paste in pieces, and whoever reads the terminal gives up waiting for the rest of it:
 * the lines of the paste would be typed and sent one by one. Here the pieces are put together again, however late they come.
 */
import { TERMINAL_LIMITS } from './limits.ts';

const START = '\x1b[200~';
const END = '\x1b[201~';
const ESCAPE = '\x1b';

type SplitPastePorts = {
  take(data: string): void;
  /** Returns what calls it off. */
  after(ms: number, then: () => void): () => void;
};

export class SplitPaste {
  readonly #ports: SplitPastePorts;
  /** The beginning of a mark. */
  #held = '';
  /** The key Esc was handed on, since it acts at once; it may have been the first character of a mark. */
  #isEscaped = false;
  /** In the pieces that came: a long paste comes a character at a time. */
  #pasted: string[] | undefined;
  /** Its last characters, as many as the mark behind it has. */
  #tail = '';
  #callOff: (() => void) | undefined;

  constructor(ports: SplitPastePorts) {
    this.#ports = ports;
  }

  next(data: string): void {
    if (data === '') return;
    this.#callOff?.();
    this.#callOff = undefined;
    if (this.#pasted === undefined) this.#outside(data);
    else this.#inside(this.#pasted, data);
  }

  #inside(pasted: string[], data: string): void {
    pasted.push(data);
    this.#tail = `${this.#tail}${data}`.slice(-END.length);
    if (this.#tail === END) this.#handOn(pasted.join('').slice(0, -END.length));
    else this.#wait(TERMINAL_LIMITS.pasteSilenceMs, () => this.#handOn(pasted.join('')));
  }

  #outside(data: string): void {
    const before = this.#isEscaped ? ESCAPE : '';
    const mark = before + this.#held + data;
    if (mark === START) {
      this.#forget();
      this.#pasted = [];
      this.#wait(TERMINAL_LIMITS.pasteSilenceMs, () => this.#handOn(''));
    } else if (mark.length > ESCAPE.length && START.startsWith(mark)) {
      this.#held += data;
      this.#wait(this.#isEscaped ? TERMINAL_LIMITS.escapedMarkMs : TERMINAL_LIMITS.splitMarkMs, () => this.#giveUp());
    } else {
      this.#giveUp();
      this.#isEscaped = data === ESCAPE;
      this.#ports.take(data);
    }
  }

  #handOn(text: string): void {
    this.#pasted = undefined;
    this.#tail = '';
    this.#ports.take(START + text + END);
  }

  #giveUp(): void {
    const held = this.#held;
    this.#forget();
    if (held !== '') this.#ports.take(held);
  }

  #forget(): void {
    this.#held = '';
    this.#isEscaped = false;
  }

  #wait(ms: number, then: () => void): void {
    this.#callOff = this.#ports.after(ms, then);
  }
}
