/** What goes on in all sessions, heard from one stream. */
import { useEffect, useState } from 'react';
import type { Api, SessionState } from '../state/api.ts';
import { openEvents, REFUSED_MS } from '../state/server-events.ts';

const AGAIN_MS = 500;
/** Whichever tab of this browser holds it listens also while nobody looks at it, for notifications. */
const LOCK = 'halter activity';

const holdLock = (onHeld: () => void, signal: AbortSignal): void => {
  // On addresses that the browser does not trust there are no locks.
  void navigator.locks
    ?.request(LOCK, { signal }, () => {
      onHeld();
      return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
    })
    .catch(() => undefined);
};

/** `onListChanged`: the list of sessions reads otherwise now. */
export const useActivity = (
  api: Api,
  isHere: boolean,
  onListChanged: () => void,
): ReadonlyMap<string, SessionState> => {
  const [states, setStates] = useState<ReadonlyMap<string, SessionState>>(new Map());
  useEffect(() => {
    if (!isHere) return;
    const over = new AbortController();
    let isKeeper = false;
    let stream: { close(): void } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const open = (): void => {
      clearTimeout(timer);
      if (stream !== undefined || over.signal.aborted) return;
      let told: Map<string, SessionState> | undefined = new Map();
      stream = openEvents(api.send, '/api/activity', {
        onEvent({ type, data }) {
          if (type === 'sessions_changed') onListChanged();
          if (type === 'session_state') {
            const state = JSON.parse(data) as SessionState;
            if (told) told.set(state.id, state);
            else setStates((known) => withState(known, state));
          }
          if (type === 'ready' && told) {
            setStates(told);
            told = undefined;
            onListChanged();
          }
        },
        onEnd(status) {
          stream = undefined;
          timer = setTimeout(open, status === 401 ? REFUSED_MS : AGAIN_MS);
        },
      });
    };
    const close = (): void => {
      clearTimeout(timer);
      stream?.close();
      stream = undefined;
    };
    const onVisibility = (): void => {
      if (!document.hidden) open();
      else if (!isKeeper) close();
    };
    holdLock(() => {
      isKeeper = true;
      open();
    }, over.signal);
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      over.abort();
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [api, isHere, onListChanged]);
  return states;
};

const withState = (known: ReadonlyMap<string, SessionState>, state: SessionState): Map<string, SessionState> => {
  const next = new Map(known);
  if (state.running || state.permission_request || state.server_questions > 0) next.set(state.id, state);
  else next.delete(state.id);
  return next;
};
