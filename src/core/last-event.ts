/** The last event of a kind in a log that grows: what was looked through once is not looked through at each step again. */
import type { Event, EventOf } from './events.ts';

type Looked<T extends Event['type']> = { count: number; last: Event | undefined; found: EventOf<T> | undefined };

export const lastOf = <T extends Event['type']>(type: T): ((log: readonly Event[]) => EventOf<T> | undefined) => {
  const isWanted = (event: Event): event is Event & EventOf<T> => event.type === type;
  const looked = new WeakMap<readonly Event[], Looked<T>>();
  return (log) => {
    const before = looked.get(log);
    const isGrown = before !== undefined && before.count <= log.length && before.last === log[before.count - 1];
    const from = isGrown ? before.count : 0;
    let found = isGrown ? before.found : undefined;
    for (let place = log.length - 1; place >= from; place -= 1) {
      const event = log[place];
      if (event === undefined || !isWanted(event)) continue;
      found = event;
      break;
    }
    looked.set(log, { count: log.length, last: log.at(-1), found });
    return found;
  };
};
