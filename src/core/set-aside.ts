/**
 * What was said on ways through a session that were set aside: before a message was edited, behind the place that was
 * returned to, the answers that another one stands for. It stays in the log, and none of it is on the path that counts.
 */
import type { Event } from './events.ts';
import { counted } from './number-text.ts';
import { activePath } from './session-tree.ts';
import { entriesOf, type TranscriptCall, type TranscriptEntry } from './transcript.ts';

type Said = Exclude<TranscriptEntry, { kind: 'note' }>;
const callsIn = (entries: readonly Said[]): TranscriptCall[] =>
  entries.flatMap((entry) => (entry.kind === 'user' ? [] : entry.calls));

/** In the order of the log. */
export const setAsideIn = (events: readonly Event[]): Said[] => {
  const path = activePath(events);
  if (path.length === events.length) return [];
  const active = new Set(path.map(({ seq }) => seq));
  const said = entriesOf(events, events).filter((entry): entry is Said => entry.kind !== 'note');
  const aside = said.filter(({ seq }) => !active.has(seq));
  return [...aside, ...resultsAside(events, active, said)].sort((one, other) => one.seq - other.seq);
};

/** Of calls that count, what they gave on a way that does not. */
const resultsAside = (events: readonly Event[], active: ReadonlySet<number>, said: readonly Said[]): Said[] => {
  const counting = new Map(callsIn(said.filter(({ seq }) => active.has(seq))).map((made) => [made.call.id, made.call]));
  return events.flatMap((event): Said[] => {
    if (active.has(event.seq) || event.type !== 'tool_finished') return [];
    const call = counting.get(event.tool_call_id);
    const { seq, at, result } = event;
    return call ? [{ kind: 'assistant', seq, at, text: '', reasoning: '', calls: [{ call, result }] }] : [];
  });
};

/** Says that one way of several is shown; undefined where nothing was set aside. */
export const setAsideText = (events: readonly Event[]): string | undefined => {
  const count = setAsideIn(events).length;
  if (count === 0) return undefined;
  const were = count === 1 ? 'was' : 'were';
  return `This is one way through the session; ${counted(count, 'message')} of other ways ${were} set aside.`;
};
