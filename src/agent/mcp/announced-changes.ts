/** A server announces that its tools are other ones. However often it does, they are read at once and then now and then. */
import { AGENT_LIMITS } from '../limits.ts';

export class AnnouncedChanges {
  readonly #read: (server: string) => void;
  /** While one runs, what is announced waits for its end. */
  readonly #pauses = new Map<string, { timer: NodeJS.Timeout; isAnnounced: boolean }>();

  constructor(read: (server: string) => void) {
    this.#read = read;
  }

  announce(server: string): void {
    const pause = this.#pauses.get(server);
    if (pause !== undefined) {
      pause.isAnnounced = true;
      return;
    }
    const timer = setTimeout(() => this.#end(server), AGENT_LIMITS.mcpChangesPauseMs).unref();
    this.#pauses.set(server, { timer, isAnnounced: false });
    this.#read(server);
  }

  close(): void {
    for (const { timer } of this.#pauses.values()) clearTimeout(timer);
    this.#pauses.clear();
  }

  #end(server: string): void {
    const isAnnounced = this.#pauses.get(server)?.isAnnounced === true;
    this.#pauses.delete(server);
    if (isAnnounced) this.announce(server);
  }
}
