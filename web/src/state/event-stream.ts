import type { SessionUpdate } from '../../../src/core/events.ts';
import type { Api } from './api.ts';
import type { Link } from './link.ts';
import { openPlaced } from './placed-events.ts';
import { type EventStream, REFUSED_MS } from './server-events.ts';
import type { OpenStream, OpensWith } from './session-store.ts';
import { inThisBrowser, type Place, sessionPlace } from './stream-place.ts';

/** A page that nobody looks at gives its stream up after this time. */
const HIDDEN_MS = 10_000;
/** A stream that ended though halter is there, such as that of a page that was too slow, is taken up after this time. */
const AGAIN_MS = 300;

/** What broke off goes on behind the last fact that arrived, once halter is there again. */
export const openEventStream =
  (api: Api, id: string, link: Link): OpenStream =>
  (handlers) => {
    let source: EventStream | undefined;
    let place: Place | undefined;
    let lastId = '';
    /** The model that was told last; the server tells it behind `ready`, where a look ends. */
    let model: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOpen = false;
    /** The server said that the session was deleted, behind all that was in it. */
    let isRemoved = false;
    let isOver = false;
    const takeEvent = (type: string, data: string): void => {
      if (type === 'ready') handlers.ready();
      else if (type === 'progress_reset') handlers.restart();
      else if (type === 'session_removed') isRemoved = true;
      else if (type === 'opens_with') {
        const told = JSON.parse(data) as OpensWith;
        model = told.model ?? model;
        handlers.opensWith(model === undefined ? told : { ...told, model });
      } else {
        const update = JSON.parse(data) as SessionUpdate;
        if (update.type === 'model_changed' || update.type === 'branch_selected') model = undefined;
        handlers.update(update);
      }
    };
    const open = (): void => {
      const path = api.eventsPath(id);
      place = sessionPlace(inThisBrowser);
      const opened = openPlaced(api.send, place, {
        begin() {
          isRemoved = false;
          return lastId === '' ? path : `${path}&last_event_id=${lastId}`;
        },
        onEvent({ type, data, id: eventId }) {
          if (source !== opened) return;
          // Progress that comes before the first fact of a connection has none.
          if (eventId !== '') lastId = eventId;
          takeEvent(type, data);
        },
        onEnd() {
          if (source === opened) void takeUp(opened);
        },
      });
      source = opened;
      isOpen = true;
    };
    const takeUp = async (broken: EventStream): Promise<void> => {
      isOpen = false;
      place?.leave();
      const isWanted = (): boolean => !isOver && source === broken;
      if ((await link.check()) !== 'here') {
        if (isWanted()) handlers.lost(false);
        await link.whenHere();
      }
      if (!isWanted()) return;
      const found = await api.hasSession(id);
      if (!isWanted()) return;
      if (found === 'gone') {
        handlers.lost(true, isRemoved);
        return;
      }
      timer = setTimeout(
        () => {
          if (isWanted()) open();
        },
        found === 'refused' ? REFUSED_MS : AGAIN_MS,
      );
    };
    const close = (): void => {
      source?.close();
      place?.leave();
      source = undefined;
      isOpen = false;
    };
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
      else if (!isOpen) open();
    };
    document.addEventListener('visibilitychange', onVisibility);
    open();
    return () => {
      isOver = true;
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      close();
    };
  };
