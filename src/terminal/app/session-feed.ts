/** One session at a time: what its log holds, then what it says, each event once. */
import type { Event, SessionFace, SessionUpdate } from '../../core/events.ts';
import { activePath } from '../../core/session-tree.ts';

export type FeedListener = {
  /** `isPast`: it stood in the log when the session was opened. */
  take(update: SessionUpdate, isPast: boolean): void;
  changed(): void;
};

export class SessionFeed {
  readonly #listener: FeedListener;
  #session: SessionFace;
  #unsubscribe: () => void = () => {};
  #lastSeq = 0;

  constructor(session: SessionFace, listener: FeedListener) {
    this.#session = session;
    this.#listener = listener;
  }

  get session(): SessionFace {
    return this.#session;
  }

  /** Answers with what is past. */
  follow(session: SessionFace): readonly Event[] {
    this.stop();
    this.#session = session;
    this.#lastSeq = 0;
    const past = activePath(session.log());
    for (const event of past) this.#take(event, true);
    this.#unsubscribe = session.subscribe((update) => {
      this.#take(update, false);
      this.#listener.changed();
    });
    return past;
  }

  stop(): void {
    this.#unsubscribe();
  }

  #take(update: SessionUpdate, isPast: boolean): void {
    if (update.seq !== undefined) {
      if (update.seq <= this.#lastSeq) return;
      this.#lastSeq = update.seq;
    }
    this.#listener.take(update, isPast);
  }
}
