/** What a plan of an everyday request is made of. */
import type { JsonObject } from '../../../core/json.ts';

export type PlannedCall = { name: string; arguments: JsonObject };

export type Plan =
  /** A sentence that is true without a tool. */
  | { kind: 'say'; text: string }
  /** Beyond a small model: "The starter cannot …". */
  | { kind: 'decline'; what: string }
  | {
      kind: 'call';
      call: PlannedCall;
      /** What stands before the result. */
      opening: string;
      /** What is said where the result is empty. */
      nothing?: string;
      /** The next step, by what this one found; undefined: the result is the answer. */
      next?(data: string): Plan;
    };

export const shell = (command: string, opening: string, more: { nothing?: string } = {}): Plan => ({
  kind: 'call',
  call: { name: 'bash', arguments: { command } },
  opening,
  ...more,
});

/** One word of a command line, whatever it holds. */
export const quoted = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
