/**
 * The value of an answer while it comes. All of the text is read for each part, so of a long one not at every delta: it
 * is read again when it has grown by a share of itself, and all reading together costs a multiple of the text.
 */
import type { JsonValue } from '../core/json.ts';
import { HARNESS_LIMITS } from './limits.ts';

export class PartialOutput {
  readonly #read: (text: string) => JsonValue | undefined;
  readonly #tell: (output: JsonValue) => void;
  #text = '';
  /** Characters that were read. */
  #seen = 0;
  #told = '';

  constructor(read: (text: string) => JsonValue | undefined, tell: (output: JsonValue) => void) {
    this.#read = read;
    this.#tell = tell;
  }

  add(delta: string): void {
    this.#text += delta;
    const { partialOutputCharacters: short, partialOutputGrowth: share } = HARNESS_LIMITS;
    if (this.#seen < short || this.#text.length - this.#seen >= this.#seen * share) this.#look();
  }

  /** Nothing more of this answer comes. */
  end(): void {
    if (this.#text.length > this.#seen) this.#look();
    this.#text = '';
    this.#seen = 0;
  }

  #look(): void {
    this.#seen = this.#text.length;
    const output = this.#read(this.#text);
    if (output === undefined) return;
    const now = JSON.stringify(output);
    if (now === this.#told) return;
    this.#told = now;
    this.#tell(output);
  }
}
