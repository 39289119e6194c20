/** What the person set for a session, read from its log. */
import type { Event } from './events.ts';
import { lastOf } from './last-event.ts';
import type { OwnSettings } from './own-settings.ts';

/** The last word counts, on whatever branch it was said. */
export const settingsOf = (log: readonly Event[]): OwnSettings => lastChange(log)?.settings ?? {};

const lastChange = lastOf('settings_changed');
