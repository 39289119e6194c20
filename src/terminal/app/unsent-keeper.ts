/** Nothing that was typed is lost when the program is killed: what waits and what is being written is kept meanwhile. */
import type { SessionFace } from '../../core/events.ts';
import type { UnsentStore } from '../app-options.ts';
import { TERMINAL_LIMITS } from '../limits.ts';

export type UnsentPorts = {
  session(): SessionFace;
  /** In the order in which they were typed. */
  texts(): readonly string[];
};

export class UnsentKeeper {
  readonly #store: UnsentStore | undefined;
  readonly #ports: UnsentPorts;
  #kept: { id: string | undefined; text: string } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isOver = false;

  constructor(store: UnsentStore | undefined, ports: UnsentPorts) {
    this.#store = store;
    this.#ports = ports;
  }

  /** What was left of this session. From here on it is kept for this one. */
  open(): string | undefined {
    const id = this.#id();
    const text = this.#store?.read(id);
    this.#kept = { id, text: text ?? '' };
    return text;
  }

  /** A key was pressed: writing with each one would be felt. */
  touch(): void {
    if (this.#store === undefined || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.keep(), TERMINAL_LIMITS.unsentKeepMs);
    this.#timer.unref();
  }

  /** `isOver`: the window is closing. What its session still takes or gives back then changes nothing any more. */
  keep(isOver = false): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#store === undefined || this.#kept === undefined || this.#isOver) return;
    this.#isOver = isOver;
    const id = this.#id();
    const text = this.#ports
      .texts()
      .filter((each) => each !== '')
      .join('\n');
    if (this.#kept.id !== id && this.#kept.text !== '') this.#store.keep(this.#kept.id, '');
    else if (this.#kept.id === id && this.#kept.text === text && !(isOver && text !== '')) return;
    if (text !== '' || this.#kept.id === id) this.#store.keep(id, text, isOver);
    this.#kept = { id, text };
  }

  /** Before the first message there is no session that could be gone on with. */
  #id(): string | undefined {
    const session = this.#ports.session();
    return session.log().some(({ type }) => type === 'user_message_added') ? session.id : undefined;
  }
}
