/** Sessions that a page left before anything was said in them. Each is given up after a while, unless somebody comes back. */
import { SERVER_LIMITS } from './limits.ts';

type Left = { timer: NodeJS.Timeout; giveUp(): Promise<void> };

export class LeftSessions {
  readonly #left = new Map<string, Left>();

  /** `giveUp` is called once, after the wait or when the server ends. */
  add(id: string, giveUp: () => Promise<void>): void {
    this.comeBack(id);
    const left: Left = {
      giveUp: () => {
        this.#left.delete(id);
        return giveUp();
      },
      timer: setTimeout(() => void left.giveUp().catch(() => {}), SERVER_LIMITS.leftSessionMs),
    };
    left.timer.unref();
    this.#left.set(id, left);
  }

  comeBack(id: string): void {
    clearTimeout(this.#left.get(id)?.timer);
    this.#left.delete(id);
  }

  async close(): Promise<void> {
    const all = [...this.#left.values()];
    for (const { timer } of all) clearTimeout(timer);
    await Promise.allSettled(all.map(({ giveUp }) => giveUp()));
  }
}
