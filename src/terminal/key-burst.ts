/**
 * Terminals hand over one unit of text at a time, also of a paste that they do not tell from typing. Nobody types so much
 * in one reading: it is handed on as one paste, all its readings together, and its line ends are part of it.
 */
import { TERMINAL_LIMITS } from './limits.ts';

type BurstPorts = {
  take(data: string): void;
  /** When the reading at hand is over. */
  afterReading(then: () => void): void;
  /** Returns what calls it off. */
  after(ms: number, then: () => void): () => void;
};

const isText = (data: string): boolean => data.length === 1 && (/[\r\n\t]/.test(data) || !/\p{Cc}/u.test(data));

export class KeyBurst {
  readonly #ports: BurstPorts;
  #keys: string[] = [];
  #pasted = '';
  #callOff: (() => void) | undefined;

  constructor(ports: BurstPorts) {
    this.#ports = ports;
  }

  key(data: string): void {
    if (this.#keys.push(data) === 1) this.#ports.afterReading(() => this.#read());
  }

  #read(): void {
    const keys = this.#keys;
    this.#keys = [];
    for (let from = 0; from < keys.length; ) {
      let end = from;
      while (end < keys.length && isText(keys[end]!)) end += 1;
      const isBurst = end > from && (this.#pasted !== '' || end - from >= TERMINAL_LIMITS.burstUnits);
      if (isBurst) this.#pasted += keys.slice(from, end).join('');
      else {
        end = Math.max(end, from + 1);
        this.#handOn();
        for (const key of keys.slice(from, end)) this.#ports.take(key);
      }
      from = end;
    }
    this.#callOff?.();
    this.#callOff = this.#pasted === '' ? undefined : this.#ports.after(TERMINAL_LIMITS.burstMs, () => this.#handOn());
  }

  /** Of one line the last key is Enter: so programs type for a person. */
  #handOn(): void {
    const text = this.#pasted;
    this.#pasted = '';
    if (text === '') return;
    const isSent = /^[^\r\n]+\r$/.test(text);
    this.#ports.take(`\x1b[200~${isSent ? text.slice(0, -1) : text}\x1b[201~`);
    if (isSent) this.#ports.take('\r');
  }
}
