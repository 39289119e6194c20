/** The last event of a kind in a log. */
import type { Event, EventOf } from './events.ts';
import { lastWhere } from './last-where.ts';

type Kept<T extends Event['type']> = Event & EventOf<T>;

export const lastOf = <T extends Event['type']>(type: T): ((log: readonly Event[]) => Kept<T> | undefined) =>
  lastWhere<Event>((event) => event.type === type) as (log: readonly Event[]) => Kept<T> | undefined;
