/** What a plan of an everyday request is made of. */

import type { JsonObject } from '../../../core/json.ts';
import { asWritten } from '../as-written.ts';

export type PlannedCall = { name: string; arguments: JsonObject };

export type Plan =
  /** A sentence that is true without a tool. */
  | { kind: 'say'; text: string }
  /** Beyond a small model: "The starter cannot …". */
  | { kind: 'decline'; what: string }
  /** A sentence about the model that answers, which a person calls so. */
  | { kind: 'about'; text(called: string): string }
  | {
      kind: 'call';
      call: PlannedCall;
      /** What stands before the result. */
      opening: string;
      /** What is said where the result is empty. */
      nothing?: string;
      /** What is said in place of the result, where it means something else than an answer. */
      explain?(output: string, success: boolean): string | undefined;
      /** The next step, by what this one found; undefined: the result is the answer. */
      next?(data: string): Plan;
    };

export type CallPlan = Extract<Plan, { kind: 'call' }>;

export const shell = (
  command: string,
  opening: string,
  more: Pick<CallPlan, 'nothing' | 'explain' | 'next'> = {},
): Plan => ({
  kind: 'call',
  call: { name: 'bash', arguments: { command } },
  opening,
  nothing: `\`${command}\` printed nothing.`,
  explain: failureWords,
  ...more,
});

/** Longer than what a program says of a failure, an output is an answer, which may hold the same words. */
const FAILURE_LINES = 4;
const FAILURES: readonly (readonly [RegExp, (name: string) => string])[] = [
  [
    /^\w+: .*\b(?:not a git repository|outside (?:of )?(?:a )?repository)\b/i,
    () => 'This folder is no git repository.',
  ],
  [
    /^fatal: .*(?:does not have any commits yet|(?:ambiguous argument|bad revision) 'HEAD')/,
    () => 'There are no commits here yet.',
  ],
  [
    /^\w+: (?:cannot (?:access|open) )?['‘]?(?:\.\/)?(.+?)['’]?(?: for reading)?: No such file or directory$/,
    (name) => `There is no ${asWritten(name)} here.`,
  ],
];

/** What a program says where there is nothing to look at. In a pipe it may do so without a failure. */
const failureWords = (output: string, success: boolean): string | undefined => {
  const lines = output.trim().split('\n');
  if (success && lines.length > FAILURE_LINES) return undefined;
  for (const line of lines.slice(0, FAILURE_LINES)) {
    for (const [pattern, words] of FAILURES) {
      const found = pattern.exec(line);
      if (found) return words(found[1] ?? '');
    }
  }
  return undefined;
};

/** One word of a command line, whatever it holds. */
export const quoted = (text: string): string =>
  /^[\w./@:+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
