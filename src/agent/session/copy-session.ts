/** New sessions out of others: a fork of one that is here, an import of one that comes from somewhere else. */
import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { checkEvents, copyEvents } from '../../core/copy-events.ts';
import type { Event, EventBody } from '../../core/events.ts';
import { forkName } from '../../core/fork-name.ts';
import type { Limits } from '../../core/limits.ts';
import { writtenText } from '../../core/message.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Clock } from '../../core/ports.ts';
import { activePath, givenTitle, pathAt } from '../../core/session-tree.ts';
import { fold, step } from '../../core/step.ts';
import { isGenerated } from '../../storage/find-session.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { checkSessionId } from '../../storage/session-format.ts';
import { readImport } from '../../storage/session-import.ts';
import { firstWords } from '../../storage/session-summary.ts';
import type { Storage } from '../../storage/storage.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { leftAsideBodies } from './close-open.ts';

export type CopyPorts = {
  storage: Pick<Storage, 'sessions' | 'copyKept'>;
  limits: Limits;
  clock: Clock;
};

/** The conversation up to an event (the newest of the active path where none is named), as a session of its own. */
export const forkSession = async (
  ports: CopyPorts,
  source: { id: string; atSeq?: number; newId?: string },
): Promise<Outcome<{ id: string; events: Event[] }>> => {
  const read = await ports.storage.sessions.read(source.id);
  if (!read.ok) return read;
  const { events } = read.value;
  const path = source.atSeq === undefined ? activePath(events) : pathAt(events, source.atSeq);
  const last = path.at(-1);
  if (last === undefined) {
    const message = `The session ${source.id} has no event ${source.atSeq}; its events are 1 to ${events.at(-1)?.seq ?? 0}.`;
    return failure('not_found', message);
  }
  const first = path[0];
  const id = source.newId ?? crypto.randomUUID();
  const copied = copyEvents(
    path.filter(({ type }) => type !== 'branch_selected'),
    {
      id,
      workspace: first?.type === 'session_started' ? first.workspace : '',
      from: { session_id: source.id, seq: last.seq },
      keepHead: true,
    },
  );
  const name = givenTitle(events) ?? chosenName(source.id) ?? listedName(events);
  const whole = await named(closed(copied, ports), name, ports);
  const made = await ports.storage.sessions.create(id, whole);
  if (!made.ok) return made;
  await ports.storage.copyKept(source.id, id);
  return succeed({ id, events: whole });
};

/** `known`: it was here before, and nothing was added. */
export type Imported = { id: string; events: readonly Event[]; known: boolean };

/**
 * A session out of a file. Everything in it is checked, and it brings words alone: no permission that was given
 * elsewhere, no instructions, no change that could be taken back here, and nothing that runs when it is opened.
 */
export const importSession = async (
  ports: CopyPorts,
  source: { text: string; workspace: string; newId?: string },
): Promise<Outcome<Imported>> => {
  const entries = readImport(source.text);
  if (!entries.ok) return entries;
  const checked = checkEvents(entries.value, ports.limits);
  if (!checked.ok) return checked;
  const first = checked.value[0];
  const own = first?.type === 'session_started' ? first.session_id : '';
  const ids = await ports.storage.sessions.ids();
  if (!ids.ok) return ids;
  const known = new Set(ids.value);
  const copyOf = (events: readonly Event[], id: string): Event[] =>
    copyEvents(events, { id, workspace: source.workspace, keepHead: false });
  const ofContent = idOf(checked.value, source.workspace);
  for (const id of source.newId === undefined ? [own, ofContent] : []) {
    const here = known.has(id) ? await ports.storage.sessions.read(id) : undefined;
    if (here?.ok && isHere(here.value.events, checked.value, (events) => copyOf(events, id)))
      return succeed({ id, events: here.value.events, known: true });
  }
  const free = isFree(own, known) ? own : known.has(ofContent) ? crypto.randomUUID() : ofContent;
  const id = source.newId ?? free;
  const whole = withName(closed(copyOf(checked.value, id), ports), id === own ? undefined : chosenName(own), ports);
  const made = await ports.storage.sessions.create(id, whole);
  return made.ok ? succeed({ id, events: whole, known: false }) : made;
};

/** The same file leads to the same copy, so that it is found again. */
const idOf = (events: readonly Event[], workspace: string): string => {
  const digest = createHash('sha256')
    .update(JSON.stringify([workspace, events]))
    .digest('hex');
  return digest.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
};

/** An earlier import of the file, or the session that it was made of, where that is of this folder. */
const isHere = (
  here: readonly Event[],
  file: readonly Event[],
  copyOf: (events: readonly Event[]) => readonly Event[],
): boolean => {
  const copy = copyOf(file);
  if (beginsWith(here, copy)) return true;
  const [began, copied] = [here[0], copy[0]];
  const isOfFolder =
    began?.type === 'session_started' && copied?.type === 'session_started' && began.workspace === copied.workspace;
  return isOfFolder && here.length >= file.length && isDeepStrictEqual(copyOf(here.slice(0, file.length)), copy);
};

/** The session goes on from what was brought along, or ends there. */
const beginsWith = (events: readonly Event[], beginning: readonly Event[]): boolean =>
  events.length >= beginning.length && beginning.every((event, index) => isDeepStrictEqual(event, events[index]));

/** What was said first in it, on whatever branch: what lists call a session that nobody named. */
const listedName = (events: readonly Event[]): string => {
  const first = events.find((event) => event.type === 'user_message_added');
  return firstWords(first?.type === 'user_message_added' ? writtenText(first.content) : '');
};

/** The id is the name that the person gave it (`--session NAME`), which a copy under another id would lose. */
const chosenName = (id: string): string | undefined =>
  isGenerated(id) || !checkSessionId(id).ok ? undefined : id.slice(0, STORAGE_LIMITS.sessionTitleCharacters);

/** A name that was given later goes before the one that it began with. */
const withName = (events: Event[], title: string | undefined, { clock }: CopyPorts): Event[] =>
  title === undefined || givenTitle(events) !== undefined
    ? events
    : [...events, { seq: events.length + 1, at: clock.now(), type: 'session_renamed', title }];

/** With a name of its own, where it has one to make it of. Copies are made of what is new, so the newest sessions are looked at. */
const named = async (events: Event[], original: string, { storage, clock }: CopyPorts): Promise<Event[]> => {
  if (!events.some(({ type }) => type === 'user_message_added')) return events;
  const listed = await storage.sessions.list({ limit: AGENT_LIMITS.forkNamesCompared });
  const taken = new Set(listed.ok ? listed.value.map(({ title }) => title) : []);
  const title = forkName(original, taken, STORAGE_LIMITS.sessionTitleCharacters);
  return [...events, { seq: events.length + 1, at: clock.now(), type: 'session_renamed', title }];
};

/** Ids from outside are taken over only where they look like ours. */
const isFree = (id: string, known: ReadonlySet<string>): boolean => isGenerated(id) && !known.has(id);

/** A copy of the middle of a run is of a run that was ended there. */
const closed = (events: Event[], { limits, clock }: CopyPorts): Event[] => {
  const whole = [...events];
  let state = fold(limits, whole);
  const add = (body: EventBody): void => {
    const event: Event = { seq: whole.length + 1, at: clock.now(), ...body };
    whole.push(event);
    state = step(state, event).state;
  };
  for (const body of leftAsideBodies(state, activePath(whole), clock)) add(body);
  return whole;
};
