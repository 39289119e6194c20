/** Writes the text of an answer while it comes, so that a process that is killed loses a moment of it and not all. */
import type { EventBody, SessionUpdate } from '../../core/events.ts';
import { AGENT_LIMITS } from '../limits.ts';

/** Fed with everything that a session tells, progress and facts. */
export class StreamedAnswer {
  readonly #keep: (body: EventBody) => Promise<unknown>;
  #text = '';
  #reasoning = '';
  /** Characters of this answer that were written. */
  #written = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(keep: (body: EventBody) => Promise<unknown>) {
    this.#keep = keep;
  }

  follow(update: SessionUpdate): void {
    switch (update.type) {
      case 'model_started':
      case 'assistant_message_added':
      case 'model_failed':
        this.#begin();
        return;
      case 'reasoning_delta':
        // Thoughts alone are no answer: they are written with its first words.
        this.#reasoning = (this.#reasoning + update.delta).slice(0, this.#room);
        return;
      case 'text_delta':
        this.#text = (this.#text + update.delta).slice(0, this.#room);
        if (this.#text !== '') this.#timer ??= setTimeout(() => void this.write(), AGENT_LIMITS.streamedTextMs).unref();
        return;
      default:
    }
  }

  /** What is not written yet. */
  async write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const [text, reasoning] = [this.#text, this.#reasoning];
    if (text === '') return;
    const begins = this.#written === 0;
    this.#written += text.length + reasoning.length;
    this.#text = '';
    this.#reasoning = '';
    await this.#keep({
      type: 'answer_streamed',
      text,
      ...(reasoning === '' ? {} : { reasoning }),
      ...(begins ? { begins } : {}),
    });
  }

  get #room(): number {
    return Math.max(0, AGENT_LIMITS.streamedTextCharacters - this.#written);
  }

  #begin(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#text = '';
    this.#reasoning = '';
    this.#written = 0;
  }
}
