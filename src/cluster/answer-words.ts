/**
 * The words of an answer on their way to a reader. They come by two ways that do not wait for each other: piece by piece as
 * the worker says them, and in the log as parts that were kept. Together they are told once each and in their order: what
 * one of the ways lost or brought again is taken from the other, and a new try begins again.
 */
import type { Event, Progress, ProgressOf } from '../core/events.ts';

type Words = { text_delta: string; reasoning_delta: string };
const none = (): Words => ({ text_delta: '', reasoning_delta: '' });

const ENDS: ReadonlySet<Event['type']> = new Set([
  'assistant_message_added',
  'model_failed',
  'run_completed',
  'run_stopped',
  'run_cancelled',
]);
const OF_ANSWER: ReadonlySet<Progress['type']> = new Set([
  'model_started',
  'loading',
  'prefill',
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
]);

export class AnswerWords {
  #shown = none();
  #kept = none();
  #started: ProgressOf<'model_started'> | undefined;
  /** Something of an answer came that has not ended. */
  #isUnderWay = false;
  /** `seq` of the event that ended the last answer, and of the first part that was kept of this one. */
  #ended = 0;
  #begun = 0;

  /** `events`: what is known already. Nothing of it was told as words. */
  constructor(events: readonly Event[]) {
    for (const event of events) this.keep(event);
    this.#shown = none();
  }

  /** What of this piece is still to be told. `at`: how many characters of its answer came before it. */
  hear(update: Progress, after: number, at: number | undefined): Progress[] {
    if (OF_ANSWER.has(update.type) && after < this.#ended) return [];
    switch (update.type) {
      case 'model_started':
        // The words of this try overtook it.
        if (after < this.#begun) return [];
        this.#started = update;
        this.#isUnderWay = true;
        this.#shown = none();
        this.#kept = none();
        return [update];
      case 'text_delta':
      case 'reasoning_delta':
        return this.#hearWords(update, at);
      default:
        return [update];
    }
  }

  /** What is to be told before this event, so that all of the answer that it keeps was. `asked`: where no beginning came. */
  keep(event: Event, asked?: ProgressOf<'model_started'>): Progress[] {
    if (event.type === 'answer_streamed') return this.#keepPart(event);
    const missing =
      event.type === 'assistant_message_added' && this.#isUnderWay
        ? this.#upToAnswer(event.message.content, this.#started ?? asked)
        : [];
    if (ENDS.has(event.type)) {
      this.#ended = event.seq;
      this.#isUnderWay = false;
      this.#shown = none();
      this.#kept = none();
    }
    return missing;
  }

  /** For whoever joins in the middle of an answer: what was kept of it. */
  join(started: ProgressOf<'model_started'>): Progress[] {
    return this.#shown.text_delta === '' && this.#kept.text_delta !== '' ? this.#again(started) : [];
  }

  /** A piece behind a gap waits for the part that is kept of it. */
  #hearWords(update: ProgressOf<'text_delta'> | ProgressOf<'reasoning_delta'>, at: number | undefined): Progress[] {
    this.#isUnderWay = true;
    const known = this.#shown[update.type].length;
    const from = at ?? known;
    const delta = update.delta.slice(known - from);
    if (from > known || delta === '') return [];
    this.#shown[update.type] += delta;
    return [{ ...update, delta }];
  }

  #keepPart({ seq, text, reasoning = '', begins }: Extract<Event, { type: 'answer_streamed' }>): Progress[] {
    this.#isUnderWay = true;
    if (begins) {
      this.#kept = none();
      this.#begun = seq;
    }
    this.#kept.reasoning_delta += reasoning;
    this.#kept.text_delta += text;
    const isAnother = (['reasoning_delta', 'text_delta'] as const).some(
      (type) => !this.#shown[type].startsWith(this.#kept[type]) && !this.#kept[type].startsWith(this.#shown[type]),
    );
    return isAnother && this.#started ? this.#again(this.#started) : this.#upToKept();
  }

  /** Of a try that another one has replaced, of which nothing was heard, nothing stays before the answer. */
  #upToAnswer(whole: string, started: ProgressOf<'model_started'> | undefined): Progress[] {
    const [shown, answer] = [this.#shown.text_delta.trim(), whole.trim()];
    if (started === undefined || shown.startsWith(answer) || answer.startsWith(shown))
      return this.#upTo('text_delta', whole);
    this.#shown = none();
    return [started, ...this.#upTo('text_delta', whole)];
  }

  #again(started: ProgressOf<'model_started'>): Progress[] {
    this.#started = started;
    this.#shown = none();
    return [started, ...this.#upToKept()];
  }

  #upToKept(): Progress[] {
    return (['reasoning_delta', 'text_delta'] as const).flatMap((type) => this.#upTo(type, this.#kept[type]));
  }

  #upTo(type: keyof Words, whole: string): Progress[] {
    const shown = this.#shown[type];
    if (!whole.startsWith(shown) || whole === shown) return [];
    this.#shown[type] = whole;
    return [{ type, delta: whole.slice(shown.length) }];
  }
}
