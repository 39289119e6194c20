/** Which session is shown stands in the address, so that reloading, going back and a second tab all work. */
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { flushSync } from 'react-dom';
import type { Api } from '../state/api.ts';
import { openEventStream } from '../state/event-stream.ts';
import type { Link } from '../state/link.ts';
import { createSessionStore, type SessionStore } from '../state/session-store.ts';

const PLACE = /^#\/s\/([\w-]+)$/;
const idInAddress = (): string | undefined => PLACE.exec(window.location.hash)?.[1];
const onAddress = (listener: () => void): (() => void) => {
  window.addEventListener('hashchange', listener);
  return () => window.removeEventListener('hashchange', listener);
};

export const schedule = (task: () => void, afterMs: number): (() => void) => {
  let frame = 0;
  const timer = setTimeout(() => {
    // A page in the background draws no frames, and is to be up to date all the same.
    if (document.hidden) task();
    else frame = requestAnimationFrame(task);
  }, afterMs);
  return () => {
    clearTimeout(timer);
    cancelAnimationFrame(frame);
  };
};

export const useSession = (api: Api, link: Link) => {
  const sessionId = useSyncExternalStore(onAddress, idInAddress);
  const [opened, setOpened] = useState<{ id: string; store: SessionStore }>();
  useEffect(() => {
    if (sessionId === undefined) return;
    const store = createSessionStore({
      open: openEventStream(api, sessionId, link),
      now: () => performance.now(),
      schedule,
      draw: (task) => flushSync(task),
    });
    setOpened({ id: sessionId, store });
    return () => store.close();
  }, [api, link, sessionId]);
  const openSession = useCallback((id: string | undefined) => {
    window.location.hash = id === undefined ? '#/' : `#/s/${id}`;
    // The browser tells it a moment later; what is typed in that moment would go into the field of the session before.
    window.dispatchEvent(new HashChangeEvent('hashchange'));
  }, []);
  return { sessionId, store: opened?.id === sessionId ? opened?.store : undefined, openSession };
};
