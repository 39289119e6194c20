/** The place of one call: the text that may be it, and the call once it is certain. */
import type { Repair } from '../../core/message.ts';
import { type CallWriter, callWriter } from './call-writer.ts';
import type { Core } from './core.ts';
import { noteRepair } from './lenient.ts';
import { type Hold, isName } from './output.ts';
import { withoutPrefix, withoutTicks } from './tools.ts';

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
  /** Told in which form a call is written. */
  onForm?: (form: string) => void;
  /** Told of a call to a tool that was offered. */
  onKnown?: (() => void) | undefined;
  /** Makes the id of a call that brings none. */
  makeId: (number: number) => string;
};

export type Site = {
  readonly core: Core;
  /** The call being read. */
  readonly writer: CallWriter | undefined;
  readonly offeredOnly: boolean;
  /** The name counts: all do, or only those of tools that were offered, or may have been. */
  known(name: string): boolean;
  /** It is a name, or the name of a tool that was offered. */
  mayName(written: string): boolean;
  /** Cut off, the name may still have become one that counts. */
  mayBecome(name: string): boolean;
  ignores(name: string): boolean;
  /** In which form the call is written, for whoever names its dialect. */
  form(form: string | undefined): void;
  /** From here on it is a call, and what is read of it goes out. */
  begin(written: string, id?: string, repairs?: Repair[]): CallWriter | undefined;
  /** `id`: read behind the arguments. */
  finish(id?: string): Reading;
  /** A body ends with what it has read; a call that has begun is ended with it. */
  close(reading: Reading): Reading;
};

export const siteIn = (core: Core, hold: Hold, { offeredOnly, ignores, makeId, onKnown, onForm }: Naming): Site => {
  const { out, offers } = core;
  let writer: CallWriter | undefined;
  const free = (id: string | undefined): string | undefined =>
    out.calls.some((call) => call.id === id) ? undefined : id;
  const site: Site = {
    core,
    offeredOnly,
    get writer() {
      return writer;
    },
    known: (name) => !offeredOnly || offers.unknown || offers.get(offers.resolve(name)) !== undefined,
    mayName: (written) => isName(withoutTicks(written)) || offers.get(offers.resolve(written)) !== undefined,
    mayBecome: (name) => !offeredOnly || offers.begins(name),
    ignores: (name) => ignores?.includes(name) === true && offers.get(name) === undefined,
    form: (form) => {
      if (form !== undefined) onForm?.(form);
    },
    begin: (written, id, repairs = []) => {
      if (!site.known(written)) return undefined;
      const name = offers.resolve(written);
      if (name !== written && name !== withoutPrefix(written)) {
        noteRepair(repairs, 'tool_name', `${written} is taken for ${name}`);
      }
      if (offers.get(name) !== undefined) onKnown?.();
      out.release(hold);
      writer = callWriter(out, { id: free(id) ?? makeId(out.begun + 1), name, offered: offers.get(name), repairs });
      return writer;
    },
    finish: (id) => {
      if (writer?.fault() !== undefined) return 'malformed';
      writer?.finish(free(id));
      writer = undefined;
      return 'call';
    },
    close: (reading) => {
      const begun = writer;
      writer = undefined;
      if (reading === 'call' || (reading !== 'cut' && begun === undefined)) return reading;
      const problem = reading === 'cut' ? 'truncated' : 'malformed';
      const text = out.textOf(hold);
      if (reading === 'cut') core.truncated = true;
      if (begun === undefined) out.breakOff({ text, problem });
      else begun.breakOff(problem, text);
      return reading === 'cut' ? 'cut' : 'malformed';
    },
  };
  return site;
};
