/**
 * The value of an answer while it comes, for whoever reads the events. All of the text is read for each part, so of a
 * long one not at every delta: it is read again when it has grown by a share of itself, and all reading together costs a
 * multiple of the text.
 */
import type { SessionUpdate } from '../core/events.ts';
import type { JsonValue } from '../core/json.ts';
import type { AssistantMessage } from '../core/message.ts';
import { HARNESS_LIMITS } from './limits.ts';

type Heard = Pick<SessionUpdate, 'type'> & { delta?: string; message?: unknown };

/** What a model says beside its calls is no value, nor is what was cut. */
const isAnswer = ({ message }: Heard): boolean => {
  const { tool_calls: calls, finish } = message as AssistantMessage;
  return calls.length === 0 && finish === 'stop';
};

export class PartialOutput {
  readonly #read: (text: string) => JsonValue | undefined;
  readonly #readWhole: (text: string) => JsonValue | undefined;
  #text = '';
  /** Characters that were read. */
  #seen = 0;
  #told = '';
  /** Something of this answer was told. */
  #isTold = false;

  /** `readWhole`: of an answer that is over, what nothing could be told of before. */
  constructor(
    read: (text: string) => JsonValue | undefined,
    readWhole: (text: string) => JsonValue | undefined = () => undefined,
  ) {
    this.#read = read;
    this.#readWhole = readWhole;
  }

  /** As much of the value as there is, where that is more than was told. */
  hear(update: Heard): JsonValue | undefined {
    switch (update.type) {
      case 'text_delta':
        return this.#add(update.delta ?? '');
      case 'assistant_message_added':
        return this.#end(isAnswer(update));
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
  #end(isWhole = false): JsonValue | undefined {
    const last = this.#text.length > this.#seen ? this.#look() : undefined;
    const whole = isWhole && !this.#isTold ? this.#tell(this.#readWhole(this.#text)) : undefined;
    this.#text = '';
    this.#seen = 0;
    this.#isTold = false;
    return last ?? whole;
  }

  #look(): JsonValue | undefined {
    this.#seen = this.#text.length;
    return this.#tell(this.#read(this.#text));
  }

  #tell(output: JsonValue | undefined): JsonValue | undefined {
    if (output === undefined) return undefined;
    this.#isTold = true;
    const now = JSON.stringify(output);
    if (now === this.#told) return undefined;
    this.#told = now;
    return output;
  }
}
