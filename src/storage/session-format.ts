/**
 * A session's file: a header line, then one event a line, as UTF-8 JSON ended by `\n` alone. Each event line also carries
 * how many messages the session holds by then, so that a list of sessions reads the last line and not the whole file.
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
export const encodeEvent = (event: Event, messageCount: number): string =>
  `${JSON.stringify({ ...event, message_count: messageCount })}\n`;

export const isMessage = (event: Event): boolean =>
  event.type === 'user_message_added' || event.type === 'assistant_message_added';

export type SessionLine =
  | { kind: 'header'; header: SessionHeader }
  | { kind: 'event'; event: Event; messageCount?: number }
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
  const { message_count: messageCount, ...event } = record;
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
