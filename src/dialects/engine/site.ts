/** The place of one call: the text that may be it, and the call once it is certain. */
import type { Repair } from '../../core/message.ts';
import { type CallWriter, callWriter } from './call-writer.ts';
import type { Core } from './core.ts';
import { noteRepair } from './lenient.ts';
import type { Hold } from './output.ts';
import { withoutPrefix } from './tools.ts';

/**
 * `call`: read to its end. `none`: no call; all but the marker is read again as text. `garbage`: no call, and so far
 * into it that its text is not looked through again. `malformed`: a call that cannot be read. `cut`: the text is over.
 */
export type Reading = 'call' | 'none' | 'garbage' | 'malformed' | 'cut';

export type Naming = {
  /** Only calls to tools that were offered count. */
  offeredOnly: boolean;
  /** Calls of these names are none, unless there is such a tool. */
  ignores?: readonly string[];
  /** Makes the id of a call that brings none. */
  makeId: (number: number) => string;
};

export class Site {
  readonly core: Core;
  /** The call being read. */
  writer: CallWriter | undefined;
  readonly #naming: Naming;
  readonly #hold: Hold;

  constructor(core: Core, hold: Hold, naming: Naming) {
    this.core = core;
    this.#hold = hold;
    this.#naming = naming;
  }

  /** A tool of this name was offered, or may have been. */
  isOffered(name: string): boolean {
    const { offers } = this.core;
    return offers.unknown || offers.get(offers.resolve(name)) !== undefined;
  }

  /** The name counts: all do, or only those of offered tools. */
  known(name: string): boolean {
    return !this.#naming.offeredOnly || this.isOffered(name);
  }

  get offeredOnly(): boolean {
    return this.#naming.offeredOnly;
  }

  /** Cut off, the name may still have become one that counts. */
  mayBecome(name: string): boolean {
    return !this.#naming.offeredOnly || this.core.offers.begins(name);
  }

  ignores(name: string): boolean {
    return this.#naming.ignores?.includes(name) === true && this.core.offers.get(name) === undefined;
  }

  /** From here on it is a call, and what is read of it goes out. */
  begin(written: string, id?: string, repairs: Repair[] = []): CallWriter | undefined {
    if (!this.known(written)) return undefined;
    const { out, offers } = this.core;
    const name = offers.resolve(written);
    if (name !== written && name !== withoutPrefix(written)) {
      noteRepair(repairs, 'tool_name', `${written} is taken for ${name}`);
    }
    this.core.out.release(this.#hold);
    this.writer = callWriter(out, {
      id: id !== undefined && this.#isFree(id) ? id : this.#naming.makeId(out.begun + 1),
      name,
      offered: offers.get(name),
      repairs,
    });
    return this.writer;
  }

  #isFree(id: string): boolean {
    return !this.core.out.calls.some((call) => call.id === id);
  }

  /** `id`: read behind the arguments. */
  finish(id?: string): Reading {
    this.writer?.finish(id !== undefined && this.#isFree(id) ? id : undefined);
    this.writer = undefined;
    return 'call';
  }

  /** A body ends with what it has read; a call that has begun is ended with it. */
  close(reading: Reading): Reading {
    const { writer, core } = this;
    const hold = this.#hold;
    if (reading === 'cut') {
      core.truncated = true;
      const text = core.out.textOf(hold);
      if (writer === undefined) core.out.breakOff({ text, problem: 'truncated' });
      else writer.breakOff('truncated', text);
    } else if (writer !== undefined && reading !== 'call') {
      writer.breakOff('malformed', core.out.textOf(hold));
      this.writer = undefined;
      return 'malformed';
    }
    this.writer = undefined;
    return reading;
  }
}
