/** A transaction that is kept open for a limited time: other processes get their turn, and a killed one loses little. */
import { SEARCH_LIMITS } from './limits.ts';
import type { Store } from './store.ts';

export class WriteBatch {
  readonly #store: Store;
  #since: number | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  open(): void {
    if (this.#since !== undefined) return;
    this.#store.begin();
    this.#since = performance.now();
  }

  /** Commits where the transaction was open long enough. */
  rest(): void {
    if (this.#since !== undefined && performance.now() - this.#since > SEARCH_LIMITS.indexTransactionMs) this.commit();
  }

  commit(): void {
    if (this.#since === undefined) return;
    this.#since = undefined;
    this.#store.commit();
  }

  rollback(): void {
    if (this.#since === undefined) return;
    this.#since = undefined;
    this.#store.rollback();
  }
}
