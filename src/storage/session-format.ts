/**
 * A session's file: a header line, then one event a line, as UTF-8 JSON ended by `\n` alone. Each event line also carries
 * how many messages the conversation has by then and the name that it was given, so that a list of sessions reads the
 * last line and not the whole file.
 */
import { isUtf8 } from 'node:buffer';
import type { Event } from '../core/events.ts';
import { SESSION_VERSION } from '../core/events.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';

export type SessionHeader = { type: 'halter_session'; version: number; id: string; created_at: number };

/** Names a file and nothing else: no separator, no leading dot, nothing that a shell or Windows would read otherwise. */
const SESSION_ID = /^[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-])){0,127}$/;

export const checkSessionId = (id: string): Outcome<string> =>
  SESSION_ID.test(id)
    ? succeed(id)
    : failure(
        'validation_failed',
        `Not a session id: ${JSON.stringify(id.slice(0, 80))}; letters, digits, - and _ only`,
      );

export const encodeHeader = (id: string, createdAt: number): string => {
  const header: SessionHeader = { type: 'halter_session', version: SESSION_VERSION, id, created_at: createdAt };
  return `${JSON.stringify(header)}\n`;
};
export const encodeEvent = (event: Event, { messageCount, title }: RunningFacts): string =>
  `${JSON.stringify({ ...event, message_count: messageCount, ...(title === '' ? {} : { session_title: title }) })}\n`;

export type RunningFacts = { messageCount: number; title: string };

/** Follows a log event by event; a branch takes the count back to where it goes on from. */
export type FactsFollower = {
  /** What an event's line says, before it is written. */
  with(event: Event): RunningFacts;
  /** It is written. */
  add(event: Event): RunningFacts;
};

export const followFacts = (events: readonly Event[] = []): FactsFollower => {
  const counts = new Map<number, number>();
  let facts: RunningFacts = { messageCount: 0, title: '' };
  const follower: FactsFollower = {
    with(event) {
      const before = event.type === 'branch_selected' ? counts.get(event.at_seq) : undefined;
      const messageCount = (before ?? facts.messageCount) + (isMessage(event) ? 1 : 0);
      return { messageCount, title: event.type === 'session_renamed' ? event.title : facts.title };
    },
    add(event) {
      facts = follower.with(event);
      counts.set(event.seq, facts.messageCount);
      return facts;
    },
  };
  for (const event of events) follower.add(event);
  return follower;
};

/** A whole file, for a session that begins as a copy. */
export const encodeSession = (id: string, createdAt: number, events: readonly Event[]): string => {
  const facts = followFacts();
  return encodeHeader(id, createdAt) + events.map((event) => encodeEvent(event, facts.add(event))).join('');
};

/**
 * What follows from the facts before it, and what the next of them takes the place of. They wait for that one's flush, so a
 * power cut may lose them. (A killed process loses none of them: what was written is the system's by then.)
 */
const FOLLOWS: ReadonlySet<Event['type']> = new Set([
  'policy_evaluated',
  'permission_requested',
  'iteration_completed',
  'answer_streamed',
]);
export const followsFromFacts = ({ type }: Event): boolean => FOLLOWS.has(type);

export const isMessage = (event: Event): boolean =>
  event.type === 'user_message_added' || event.type === 'assistant_message_added';

export type SessionLine =
  | { kind: 'header'; header: SessionHeader }
  | { kind: 'event'; event: Event; messageCount?: number; title?: string }
  | { kind: 'empty' }
  | { kind: 'damaged'; problem: string };

/** Reads one line, without its `\n`. What it says is believed only as far as its shape goes. */
export const decodeLine = (bytes: Buffer): SessionLine => {
  if (bytes.length === 0) return { kind: 'empty' };
  if (!isUtf8(bytes)) return { kind: 'damaged', problem: 'it is not UTF-8' };
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { kind: 'damaged', problem: 'it is not JSON' };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return { kind: 'damaged', problem: 'it is not an object' };
  }
  const record = value as Record<string, unknown>;
  if (record['type'] === 'halter_session') {
    return typeof record['version'] === 'number'
      ? { kind: 'header', header: record as SessionHeader }
      : { kind: 'damaged', problem: 'its version is missing' };
  }
  const { message_count: messageCount, session_title: title, ...event } = record;
  if (!Number.isSafeInteger(event['seq']) || (event['seq'] as number) < 1) {
    return { kind: 'damaged', problem: 'it has no sequence number' };
  }
  if (typeof event['type'] !== 'string' || typeof event['at'] !== 'number') {
    return { kind: 'damaged', problem: 'it is no event' };
  }
  return {
    kind: 'event',
    event: event as unknown as Event,
    ...(typeof messageCount === 'number' ? { messageCount } : {}),
    ...(typeof title === 'string' ? { title } : {}),
  };
};

/** A file of a newer halter is left alone: reading half of what it says would be worse than reading nothing. */
export const checkVersion = (header: SessionHeader, name: string): Outcome<void> =>
  header.version <= SESSION_VERSION
    ? succeed(undefined)
    : failure(
        'parse_error',
        `${name} was written by a newer halter (version ${header.version} of the format, this one knows ${SESSION_VERSION}); it was left as it is`,
        'newer_version',
      );
