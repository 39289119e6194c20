/** What was done about one answer, for its headers, for the log of the server and for the sums by client. */
import type { ToolCall } from '../core/message.ts';
import { counted } from '../core/number-text.ts';
import type { GuardNote } from './guards.ts';

/** Everything that can be noted of an answer besides its text. */
export type Note =
  | GuardNote
  | 'instructions_moved'
  | 'side_request_waited'
  | 'side_request_moved'
  | 'side_request_answered';

type NoteWords = {
  /** In the header `x-halter-guard`; absent where no guard did it. */
  guard?:
    | 'loop'
    | 'nudge'
    | 'cut'
    | 'empty'
    | 'truncated'
    | 'unseen'
    | 'misfit'
    | 'filtered'
    | 'unknown_end'
    | 'broken';
  /** With a number, as a person reads it. */
  said(count: number): string;
};

const NOTES: Readonly<Record<Note, NoteWords>> = {
  half_call_asked_again: { guard: 'cut', said: (count) => `${counted(count, 'half call')} asked for again` },
  half_call_refused: { guard: 'cut', said: (count) => `${counted(count, 'half call')} refused` },
  loop_told: { guard: 'loop', said: (count) => `${counted(count, 'loop')} told to the model` },
  loop_ended: { guard: 'loop', said: (count) => `${counted(count, 'loop')} ended` },
  announcement_nudged: { guard: 'nudge', said: (count) => `${counted(count, 'announced call')} reminded of` },
  call_in_text_noticed: { said: (count) => `${counted(count, 'call')} left in the text` },
  empty_answer_asked_again: { guard: 'empty', said: (count) => `${counted(count, 'empty answer')} asked for again` },
  prompt_cut_noticed: { guard: 'truncated', said: (count) => `${counted(count, 'cut prompt')} noticed` },
  tools_unseen_described: {
    guard: 'unseen',
    said: (count) => `${counted(count, 'set of left-out tools', 'sets of left-out tools')} described`,
  },
  tools_unseen_noticed: {
    guard: 'unseen',
    said: (count) => `${counted(count, 'set of left-out tools', 'sets of left-out tools')} noticed`,
  },
  misfit_call_handed_on: {
    guard: 'misfit',
    said: (count) =>
      `${counted(count, 'call that does not fit its tool', 'calls that do not fit their tools')} handed on`,
  },
  filtered_noticed: { guard: 'filtered', said: (count) => `${counted(count, 'answer')} cut by the server's filter` },
  unknown_end_noticed: {
    guard: 'unknown_end',
    said: (count) => `${counted(count, 'answer')} ended for an unknown reason`,
  },
  broken_answer_asked_again: { guard: 'broken', said: (count) => `${counted(count, 'broken answer')} asked for again` },
  side_request_waited: { said: (count) => `${counted(count, 'side request')} put off` },
  side_request_moved: { said: (count) => `${counted(count, 'side request')} given to another model` },
  side_request_answered: { said: (count) => `${counted(count, 'side request')} answered without a model` },
  instructions_moved: { said: (count) => `changed instructions moved ${counted(count, 'time')}` },
};

const isNote = (name: string): name is Note => Object.hasOwn(NOTES, name);

/** The words of `x-halter-guard`, each once. */
export const guardWords = (notes: readonly Note[]): string[] => [
  ...new Set(notes.flatMap((note) => NOTES[note].guard ?? [])),
];

/** How often each kind of repair was made. */
export const repairCounts = (calls: readonly Pick<ToolCall, 'repairs'>[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { kind } of calls.flatMap((call) => call.repairs)) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

/** `3; text_call=1, trailing_comma=2`; undefined where nothing was repaired. */
export const repairsHeader = (calls: readonly Pick<ToolCall, 'repairs'>[]): string | undefined => {
  const counts = Object.entries(repairCounts(calls));
  if (counts.length === 0) return undefined;
  const all = counts.reduce((sum, [, count]) => sum + count, 0);
  return `${all}; ${counts.map(([kind, count]) => `${kind}=${count}`).join(', ')}`;
};

/** `41 calls repaired`, `3 loops ended`; empty where nothing had to be done. */
export const doneWords = (done: { repaired_calls: number; guards: Readonly<Record<string, number>> }): string[] => [
  ...(done.repaired_calls > 0 ? [`${counted(done.repaired_calls, 'call')} repaired`] : []),
  ...Object.entries(done.guards).flatMap(([name, count]) => (isNote(name) ? NOTES[name].said(count) : [])),
];
