import type { SessionUpdate } from '../../../src/core/events.ts';
import type { Api } from './api.ts';
import type { Link } from './link.ts';
import type { OpenStream } from './session-store.ts';

/** A browser lets a host have six connections; a page that nobody looks at gives its own up after this time. */
const HIDDEN_MS = 10_000;
/** A stream that ended though halter is there, such as that of a page that was too slow, is taken up after this time. */
const AGAIN_MS = 300;

/**
 * The server's stream through the browser's own reader. What broke off goes on behind the last fact that arrived, once
 * halter is there again.
 */
export const openEventStream =
  (api: Api, id: string, link: Link): OpenStream =>
  (handlers) => {
    let source: EventSource | undefined;
    let lastId = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isOver = false;
    const open = (): void => {
      const path = api.eventsPath(id);
      const opened = new EventSource(lastId === '' ? path : `${path}&last_event_id=${lastId}`);
      opened.addEventListener('message', ({ data, lastEventId }) => {
        // Progress that comes before the first fact of a connection has none.
        if (lastEventId !== '') lastId = lastEventId;
        handlers.update(JSON.parse(String(data)) as SessionUpdate);
      });
      opened.addEventListener('ready', () => handlers.ready());
      opened.addEventListener('progress_reset', () => handlers.restart());
      opened.addEventListener('error', () => {
        // The browser would try again by itself, but it does not say whom it reaches.
        opened.close();
        if (source === opened) void takeUp(opened);
      });
      source = opened;
    };
    const takeUp = async (broken: EventSource): Promise<void> => {
      const isWanted = (): boolean => !isOver && source === broken;
      if ((await link.check()) !== 'here') {
        if (isWanted()) handlers.lost(false);
        await link.whenHere();
      }
      if (!isWanted()) return;
      const found = await api.hasSession(id);
      if (!isWanted()) return;
      if (found === 'gone') {
        handlers.lost(true);
        return;
      }
      timer = setTimeout(() => {
        if (isWanted()) open();
      }, AGAIN_MS);
    };
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
      else if (source === undefined || source.readyState === EventSource.CLOSED) open();
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
