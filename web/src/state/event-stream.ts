import type { SessionUpdate } from '../../../src/core/events.ts';
import type { OpenStream } from './session-store.ts';

/** The server's stream through the browser's own reader, which takes a broken connection up where it ended. */
export const openEventStream =
  (path: string): OpenStream =>
  (handlers) => {
    const source = new EventSource(path);
    source.addEventListener('message', ({ data }) => handlers.update(JSON.parse(String(data)) as SessionUpdate));
    source.addEventListener('ready', () => handlers.ready());
    source.addEventListener('progress_reset', () => handlers.restart());
    source.addEventListener('error', () => handlers.lost(source.readyState === EventSource.CLOSED));
    return () => source.close();
  };
