/**
 * The idempotency key of a message. Whoever sends a message and hears no answer sends it again under the same key: it is the
 * same message, and stands in the session once, whichever process takes it.
 */
import type { Event } from './events.ts';

/** As it stands in a job's id; a UUID fits. */
export const MESSAGE_KEY = '^[A-Za-z0-9_.:-]{1,64}$';
const KEY = new RegExp(MESSAGE_KEY);

/** What is wrong with a key, for whoever sent it. */
export const wrongKey = (key: unknown): string | undefined =>
  key === undefined || (typeof key === 'string' && KEY.test(key))
    ? undefined
    : 'The idempotency key does not fit: it is 1 to 64 letters, digits and the signs _ . : -, such as a UUID.';

/** Whether the message of this key was taken, on whatever branch. */
export const hasMessage = (log: readonly Event[], key: string): boolean =>
  log.some((event) => event.type === 'user_message_added' && event.idempotency_key === key);
