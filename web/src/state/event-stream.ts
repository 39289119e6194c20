import type { SessionUpdate } from '../../../src/core/events.ts';
import type { OpenStream } from './session-store.ts';

/** A browser lets a host have six connections; a page that nobody looks at gives its own up after this time. */
const HIDDEN_MS = 10_000;

/** The server's stream through the browser's own reader, which takes a broken connection up where it ended. */
export const openEventStream =
  (path: string): OpenStream =>
  (handlers) => {
    let source: EventSource | undefined;
    let lastId = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      const opened = new EventSource(lastId === '' ? path : `${path}&last_event_id=${lastId}`);
      opened.addEventListener('message', ({ data, lastEventId }) => {
        lastId = lastEventId;
        handlers.update(JSON.parse(String(data)) as SessionUpdate);
      });
      opened.addEventListener('ready', () => handlers.ready());
      opened.addEventListener('progress_reset', () => handlers.restart());
      opened.addEventListener('error', () => handlers.lost(opened.readyState === EventSource.CLOSED));
      source = opened;
    };
    const close = (): void => {
      source?.close();
      source = undefined;
    };
    const onVisibility = (): void => {
      clearTimeout(timer);
      if (document.hidden) timer = setTimeout(close, HIDDEN_MS);
      else if (source === undefined) open();
    };
    document.addEventListener('visibilitychange', onVisibility);
    open();
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      clearTimeout(timer);
      close();
    };
  };
