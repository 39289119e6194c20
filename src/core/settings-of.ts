/** What the person set for a session, read from its log. */
import type { Event } from './events.ts';
import type { OwnSettings } from './own-settings.ts';

/** The last word counts, on whatever branch it was said. */
export const settingsOf = (log: readonly Event[]): OwnSettings => {
  const changed = log.findLast((event) => event.type === 'settings_changed');
  return changed?.type === 'settings_changed' ? changed.settings : {};
};
