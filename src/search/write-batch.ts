/** Changes that are written together after a limited time: others get their turn, and a killed process loses little. */
import type { IndexChange, IndexStore } from '../core/index-port.ts';
import { SEARCH_LIMITS } from './limits.ts';

export class WriteBatch {
  readonly #store: IndexStore;
  #changes: IndexChange[] = [];
  #characters = 0;
  #since = 0;

  constructor(store: IndexStore) {
    this.#store = store;
  }

  /** Resolves at once as long as there is more to gather. */
  add(change: IndexChange): Promise<void> | undefined {
    if (this.#changes.length === 0) this.#since = performance.now();
    this.#changes.push(change);
    if (change.type === 'write') for (const { text } of change.entry.chunks) this.#characters += text.length;
    const isFull = this.#characters > SEARCH_LIMITS.indexTransactionCharacters;
    return isFull || performance.now() - this.#since > SEARCH_LIMITS.indexTransactionMs ? this.commit() : undefined;
  }

  async commit(): Promise<void> {
    const changes = this.#changes;
    this.#changes = [];
    this.#characters = 0;
    if (changes.length > 0) await this.#store.apply(changes);
  }
}
