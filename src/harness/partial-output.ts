/**
 * The value of an answer while it comes, for whoever reads the events. All of the text is read for each part, so of a
 * long one not at every delta: it is read again when it has grown by a share of itself, and all reading together costs a
 * multiple of the text.
 */
import type { SessionUpdate } from '../core/events.ts';
import type { JsonValue } from '../core/json.ts';
import { HARNESS_LIMITS } from './limits.ts';

export class PartialOutput {
  readonly #read: (text: string) => JsonValue | undefined;
  #text = '';
  /** Characters that were read. */
  #seen = 0;
  #told = '';

  constructor(read: (text: string) => JsonValue | undefined) {
    this.#read = read;
  }

  /** As much of the value as there is, where that is more than was told. */
  hear(update: Pick<SessionUpdate, 'type'> & { delta?: string }): JsonValue | undefined {
    switch (update.type) {
      case 'text_delta':
        return this.#add(update.delta ?? '');
      case 'assistant_message_added':
      case 'run_cancelled':
      case 'run_stopped':
        return this.#end();
      default:
        return undefined;
    }
  }

  #add(delta: string): JsonValue | undefined {
    this.#text += delta;
    const { partialOutputCharacters: short, partialOutputGrowth: share } = HARNESS_LIMITS;
    const isDue = this.#seen < short || this.#text.length - this.#seen >= this.#seen * share;
    return isDue ? this.#look() : undefined;
  }

  /** Nothing more of this answer comes. */
  #end(): JsonValue | undefined {
    const last = this.#text.length > this.#seen ? this.#look() : undefined;
    this.#text = '';
    this.#seen = 0;
    return last;
  }

  #look(): JsonValue | undefined {
    this.#seen = this.#text.length;
    const output = this.#read(this.#text);
    if (output === undefined) return undefined;
    const now = JSON.stringify(output);
    if (now === this.#told) return undefined;
    this.#told = now;
    return output;
  }
}
