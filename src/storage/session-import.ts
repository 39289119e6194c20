/** What a file that was handed in holds: a session as `export` writes it, as lines or as one JSON value. */

import type { Placed } from '../core/copy-events.ts';
import { SESSION_VERSION } from '../core/events.ts';
import { EXPORT_NAME, EXPORT_VERSION } from '../core/export-session.ts';
import { isObject } from '../core/json.ts';
import { parseNested } from '../core/nested-json.ts';
import { grouped } from '../core/number-text.ts';
import { failure, type Outcome, succeed } from '../core/outcome.ts';
import { STORAGE_LIMITS } from './limits.ts';

export const readImport = (text: string): Outcome<Placed[]> => {
  if (Buffer.byteLength(text) > STORAGE_LIMITS.importBytes) {
    return failure(
      'validation_failed',
      `The file is larger than ${grouped(STORAGE_LIMITS.importBytes)} bytes.`,
      'too_large',
    );
  }
  const body = text.replace(/^\ufeff/, '');
  const whole = /^\s*\{\s*"format"/.test(body) ? parse(body) : undefined;
  return whole === undefined ? fromLines(body) : fromDocument(whole.value);
};

const OURS =
  'Sessions are taken in from what halter exports as JSON or JSON lines ("Export the log" in the page); chats of other programs are not.';

const hasType = (value: unknown): boolean => isObject(value) && typeof value['type'] === 'string';

/** Its first line is of another program, or of a document for people. */
const notOurs = (line: number): Outcome<never> =>
  failure('validation_failed', `line ${line}: it is no event of halter. ${OURS}`, 'damaged');

const parse = (text: string): { value: unknown } | undefined => {
  try {
    return { value: parseNested(text) };
  } catch {
    return undefined;
  }
};

const tooNew = (version: unknown): Outcome<never> =>
  failure(
    'validation_failed',
    `The file is of version ${JSON.stringify(version)}, which is newer than this halter knows.`,
    'version',
  );

const fromDocument = (value: unknown): Outcome<Placed[]> => {
  if (!isObject(value) || value['format'] !== EXPORT_NAME || !Array.isArray(value['events'])) {
    return failure('validation_failed', `The file is no session that halter exported. ${OURS}`, 'damaged');
  }
  if (value['version'] !== EXPORT_VERSION) return tooNew(value['version']);
  return succeed(value['events'].map((entry: unknown, index) => ({ value: entry, place: `event ${index + 1}` })));
};

const fromLines = (text: string): Outcome<Placed[]> => {
  const entries: Placed[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const parsed = parse(line);
    if (entries.length === 0 && !hasType(parsed?.value)) return notOurs(index + 1);
    if (parsed === undefined) return failure('parse_error', `line ${index + 1}: it is not JSON`, 'damaged');
    const { value } = parsed;
    // The first line of a session's own file.
    if (entries.length === 0 && isObject(value) && value['type'] === 'halter_session') {
      if (typeof value['version'] !== 'number' || value['version'] > SESSION_VERSION) return tooNew(value['version']);
      continue;
    }
    entries.push({ value: isObject(value) ? withoutFacts(value) : value, place: `line ${index + 1}` });
  }
  return succeed(entries);
};

/** What a session's own file says beside the events. */
const withoutFacts = ({ message_count: _count, session_title: _title, ...event }: Record<string, unknown>): object =>
  event;
