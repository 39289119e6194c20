/** The changes of files that a log tells of. They are facts about files, so they count on every branch. */
import type { Event, EventOf } from './events.ts';

export type RecordedChange = EventOf<'change_recorded'> & {
  seq: number;
  at: number;
  /** The name of the tool that made it. */
  tool: string;
  /** What the call said came of it; undefined where it said nothing. */
  succeeded?: boolean;
};

/** Those that were not taken back and not left for good, the newest first; `after` is what is left of one by now. */
export const openChanges = (events: readonly Event[]): RecordedChange[] => {
  const closed = new Set<number>();
  const partly = new Map<number, string>();
  const tools = new Map<string, string>();
  const succeeded = new Map<string, boolean>();
  for (const event of events) {
    if (event.type === 'change_undone') {
      if (event.how !== 'partly') closed.add(event.change_seq);
      else if (event.after) partly.set(event.change_seq, event.after);
    } else if (event.type === 'tool_finished') succeeded.set(event.tool_call_id, event.result.success);
    else if (event.type === 'assistant_message_added') {
      for (const call of event.message.tool_calls) tools.set(call.id, call.name);
    }
  }
  return events
    .flatMap((event): RecordedChange[] => {
      if (event.type !== 'change_recorded' || closed.has(event.seq)) return [];
      const known = succeeded.get(event.tool_call_id);
      const tool = tools.get(event.tool_call_id) ?? 'a tool';
      const after = partly.get(event.seq) ?? event.after;
      return [{ ...event, after, tool, ...(known === undefined ? {} : { succeeded: known }) }];
    })
    .reverse();
};

/** Changes that a path tells of and that were taken back on another branch, so that the path does not say so. */
export const undoneElsewhere = (events: readonly Event[], path: readonly Event[]): EventOf<'change_undone'>[] => {
  const made = new Set(path.flatMap((event) => (event.type === 'change_recorded' ? [event.seq] : [])));
  const told = new Set(path.flatMap((event) => (event.type === 'change_undone' ? [saidOf(event)] : [])));
  const found = new Map<number, EventOf<'change_undone'>>();
  for (const event of events) {
    if (event.type !== 'change_undone' || !made.has(event.change_seq)) continue;
    const { type, change_seq, path: name, how, beside, after } = event;
    found.set(change_seq, { type, change_seq, path: name, how, beside, ...(after === undefined ? {} : { after }) });
  }
  return [...found.values()].filter((event) => !told.has(saidOf(event)));
};

/** A change is taken back whole once, and in parts as often as the person wants. */
const saidOf = ({ change_seq, how, after }: EventOf<'change_undone'>): string =>
  how === 'partly' ? `${change_seq} ${after}` : `${change_seq}`;

/** What the model reads in front of the person's next message. Several changes of one file are told once. */
export const undoneNote = (events: readonly EventOf<'change_undone'>[]): string => {
  const told = events
    .filter(({ how }) => how !== 'left')
    .map(({ path, how, beside }) => {
      if (how === 'removed') return `${path}, which you had created, was removed`;
      if (how === 'beside') return `what ${path} held before your change was written to ${beside}`;
      if (how === 'partly') return `some lines of ${path} are again as they were before your change`;
      return `${path} is again as it was before your change`;
    });
  return [...new Set(told)].join('; ');
};
