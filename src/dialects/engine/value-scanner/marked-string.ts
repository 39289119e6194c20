/** A string between quote markers such as `<|"|>`: it holds no escapes, and the host says at which marker it ends. */
import type { State } from '../scanner.ts';
import { escapeJson } from '../value-sink.ts';
import type { StringHost } from './quoted-string.ts';

export type MarkedStringHost = Pick<StringHost, 'enter' | 'put'> & {
  /** The opening marker was there whole. */
  stringOpened(): void;
  /** A marker was read; what follows is the string's again, unless the host says otherwise. */
  markMet(): void;
  /** It was no marker. */
  giveUp(): void;
};

export class MarkedStringReader {
  readonly #host: MarkedStringHost;
  readonly #marker: string;
  /** How much of a marker has been read. */
  #matched = 0;

  constructor(host: MarkedStringHost, marker: string) {
    this.#host = host;
    this.#marker = marker;
  }

  /** At the first character of the opening marker. */
  begin(): void {
    this.#matched = 0;
    this.#host.enter(this.#opening);
  }

  readonly #opening: State = (text, at) => {
    if (text[at] !== this.#marker[this.#matched]) {
      this.#host.giveUp();
      return at;
    }
    this.#matched++;
    if (this.#matched === this.#marker.length) {
      this.#matched = 0;
      this.#host.stringOpened();
      this.#host.enter(this.#inside);
    }
    return at + 1;
  };

  readonly #inside: State = (text, at, end) => {
    const marker = this.#marker;
    let from = at;
    while (at < end) {
      if (text[at] === marker[this.#matched]) {
        if (this.#matched === 0) this.#putText(text, from, at);
        this.#matched++;
        at++;
        from = at;
        if (this.#matched < marker.length) continue;
        this.#matched = 0;
        this.#host.markMet();
        return at;
      }
      if (this.#matched > 0) {
        // The marker's first character occurs in it once, so nothing of what was matched can begin it anew.
        this.#host.put(escapeJson(marker.slice(0, this.#matched)));
        this.#matched = 0;
      } else at++;
    }
    if (this.#matched === 0) this.#putText(text, from, at);
    return at;
  };

  #putText(text: string, from: number, to: number): void {
    if (to > from) this.#host.put(escapeJson(text.slice(from, to)));
  }
}
