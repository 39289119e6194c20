/** A session and what stands beside its log under its id: another one of that name would have it. */
import type { Outcome } from '../core/outcome.ts';
import type { Storage } from './storage.ts';

export const removeSession = async (
  { sessions, pins }: Pick<Storage, 'sessions' | 'pins'>,
  id: string,
): Promise<Outcome<void>> => {
  const removed = await sessions.remove(id);
  // A pin that stays is an order in a list; the session is gone all the same.
  if (removed.ok) await pins.set(id, false);
  return removed;
};
