/** The frames a stream sent last, by the id of their line, in a bounded memory: what a reader that was cut off missed. */
import { SERVER_LIMITS } from './limits.ts';

export class RecentFrames {
  /** Oldest first. */
  readonly #frames = new Map<string, Uint8Array>();
  #bytes = 0;

  add(id: string, frame: Uint8Array): void {
    this.#frames.set(id, frame);
    this.#bytes += frame.byteLength;
    for (const [oldest, { byteLength }] of this.#frames) {
      if (this.#frames.size <= SERVER_LIMITS.recentFrames && this.#bytes <= SERVER_LIMITS.recentBytes) break;
      this.#frames.delete(oldest);
      this.#bytes -= byteLength;
    }
  }

  /** Everything that was sent after this line; undefined where the line is not remembered. */
  after(id: string): Uint8Array[] | undefined {
    if (!this.#frames.has(id)) return undefined;
    const ids = [...this.#frames.keys()];
    return [...this.#frames.values()].slice(ids.indexOf(id) + 1);
  }
}
