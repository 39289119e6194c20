/** Counts what a session works on at the moment, for those who wait until there is nothing left. */
export class WorkInHand {
  #count = 0;
  readonly #settledWaiters: (() => void)[] = [];
  readonly #idleWaiters: (() => void)[] = [];

  get isNone(): boolean {
    return this.#count === 0;
  }

  begin(): void {
    this.#count += 1;
  }

  end(): void {
    this.#count -= 1;
  }

  /** Resolves when nothing runs here; a run may still wait for an answer. */
  settled(): Promise<void> {
    return this.isNone ? Promise.resolve() : new Promise((resolve) => this.#settledWaiters.push(resolve));
  }

  /** Resolves at the next `releaseIdle`. */
  nextIdle(): Promise<void> {
    return new Promise((resolve) => this.#idleWaiters.push(resolve));
  }

  releaseIdle(): void {
    for (const resolve of this.#idleWaiters.splice(0)) resolve();
  }

  releaseSettled(): void {
    if (this.isNone) for (const resolve of this.#settledWaiters.splice(0)) resolve();
  }
}
