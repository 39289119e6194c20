/** Those who hear a session. A defect in one of them reaches neither the session nor the others. */
import type { SessionUpdate } from '../../core/events.ts';
import { defectText } from '../close-all.ts';

type Listener = (update: SessionUpdate) => unknown;

export class Listeners {
  readonly #listeners = new Set<Listener>();
  /** Told of once each. */
  readonly #failed = new WeakSet<Listener>();

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  publish(update: SessionUpdate): void {
    for (const listener of this.#listeners) this.#tell(listener, update);
  }

  #tell(listener: Listener, update: SessionUpdate): void {
    try {
      const heard = listener(update);
      if (heard instanceof Promise) heard.catch((error) => this.#noteDefect(listener, error));
    } catch (error) {
      this.#noteDefect(listener, error);
    }
  }

  #noteDefect(listener: Listener, error: unknown): void {
    if (this.#failed.has(listener)) return;
    this.#failed.add(listener);
    this.publish({
      type: 'warning',
      code: 'listener_failed',
      message: `A listener of this session failed and may miss updates: ${defectText(error)}`,
    });
  }
}
