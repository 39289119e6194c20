/** The changes of files that a log tells of. They are facts about files, so they count on every branch. */
import type { Event, EventOf } from './events.ts';
import { counted } from './number-text.ts';

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
  /** Calls of which nothing was put in place in the end. */
  const dropped = new Set<string>();
  for (const event of events) {
    if (event.type === 'change_undone') {
      if (event.how !== 'partly') closed.add(event.change_seq);
      else if (event.after) partly.set(event.change_seq, event.after);
    } else if (event.type === 'layer_changed') {
      if (event.state === 'opened' && event.dropped) dropped.add(event.tool_call_id);
    } else if (event.type === 'tool_finished') succeeded.set(event.tool_call_id, event.result.success);
    else if (event.type === 'assistant_message_added') {
      for (const call of event.message.tool_calls) tools.set(call.id, call.name);
    }
  }
  return events
    .flatMap((event): RecordedChange[] => {
      if (event.type !== 'change_recorded' || closed.has(event.seq) || dropped.has(event.tool_call_id)) return [];
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

/** What came of taking one change back, for a person. Other changes of the file may still stand, so it never says "as before". */
export const undoneSentence = ({ path, how, beside }: EventOf<'change_undone'>): string => {
  switch (how) {
    case 'left':
      return `${path} was left as it is.`;
    case 'removed':
      return `${path} was removed: it had been created in this session.`;
    case 'partly':
      return `A part of the last change of ${path} was taken back.`;
    case 'beside':
      return `What ${path} held before its last change is now in ${beside}.`;
    default:
      return `The last change of ${path} was taken back.`;
  }
};

/** The changes that still stand of the answer whose newest ones were taken back last; the newest first. */
export const changesOfAnswerLeft = (events: readonly Event[]): RecordedChange[] => {
  const last = events.findLast((event) => event.type === 'change_undone');
  if (last?.type !== 'change_undone') return [];
  const { change_seq } = last;
  const asked = askedBefore(events, change_seq);
  return openChanges(events).filter(({ seq, succeeded }) => seq > asked && seq < change_seq && succeeded !== false);
};

/** The event of the message that a change belongs to; 0: no message was said before it. */
export const askedBefore = (events: readonly Event[], seq: number): number =>
  events.findLast((event) => event.type === 'user_message_added' && event.steers !== true && event.seq < seq)?.seq ?? 0;

/** What one command took back, all of it in a sentence: "6 changes of big.ts and 1 change of other.ts were taken back." */
export const undoneTogether = (undone: readonly EventOf<'change_undone'>[]): string | undefined => {
  const back = undone.filter(({ how }) => how !== 'left');
  if (back.length < 2) return undefined;
  const byPath = new Map<string, number>();
  for (const { path } of back) byPath.set(path, (byPath.get(path) ?? 0) + 1);
  const named = [...byPath].slice(0, NAMED_PATHS).map(([path, count]) => `${counted(count, 'change')} of ${path}`);
  const more = byPath.size - named.length;
  const all = more > 0 ? [...named, `those of ${counted(more, 'more file')}`] : named;
  return `${all.slice(0, -1).join(', ')}${all.length > 1 ? ' and ' : ''}${all.at(-1)} were taken back.`;
};

/** For a person: "5 earlier changes of this answer remain (big.ts, other.ts)."; undefined: none does. */
export const remainingSentence = (left: readonly RecordedChange[]): string | undefined => {
  if (left.length === 0) return undefined;
  const paths = [...new Set(left.map(({ path }) => path))];
  const more = paths.length - NAMED_PATHS;
  const named = paths.slice(0, NAMED_PATHS).join(', ') + (more > 0 ? ` and ${counted(more, 'more file')}` : '');
  return `${counted(left.length, 'earlier change')} of this answer ${left.length === 1 ? 'remains' : 'remain'} (${named}).`;
};
const NAMED_PATHS = 4;

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
