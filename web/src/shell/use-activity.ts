/** What goes on in all sessions, heard from one stream. */
import { useEffect, useState } from 'react';
import type { Api, SessionState } from '../state/api.ts';
import { openPlaced } from '../state/placed-events.ts';
import { REFUSED_MS } from '../state/server-events.ts';
import { activityPlace, inThisBrowser } from '../state/stream-place.ts';

const AGAIN_MS = 500;

/** `onListChanged`: the list of sessions reads otherwise now. */
export const useActivity = (
  api: Api,
  isHere: boolean,
  onListChanged: () => void,
): ReadonlyMap<string, SessionState> => {
  const [states, setStates] = useState<ReadonlyMap<string, SessionState>>(new Map());
  useEffect(() => {
    if (!isHere) return;
    // Also of a window that nobody looks at.
    const place = activityPlace(inThisBrowser, () => open());
    let isOver = false;
    let stream: { close(): void } | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Of the list as it is known here; the server names another one whenever it changed. */
    let known: number | undefined;
    const open = (): void => {
      clearTimeout(timer);
      if (stream !== undefined || isOver) return;
      let told: Map<string, SessionState> | undefined;
      stream = openPlaced(api.send, place, {
        begin() {
          told = new Map();
          return '/api/activity';
        },
        onEvent({ type, data }) {
          if (type === 'session_state') {
            const state = JSON.parse(data) as SessionState;
            if (told) told.set(state.id, state);
            else setStates((before) => withState(before, state));
            return;
          }
          if (type === 'ready' && told) {
            const all = told;
            setStates((before) => (isSame(before, all) ? before : all));
            told = undefined;
          }
          const { list } = JSON.parse(data) as { list: number };
          if (list === known) return;
          known = list;
          onListChanged();
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
      // Whichever window holds the place listens also while nobody looks at it, for notifications.
      if (!document.hidden || (inThisBrowser.locks && place.isHeld())) open();
      else close();
    };
    onVisibility();
    document.addEventListener('visibilitychange', onVisibility);
    return () => {
      isOver = true;
      place.leave();
      document.removeEventListener('visibilitychange', onVisibility);
      close();
    };
  }, [api, isHere, onListChanged]);
  return states;
};

const isSame = (one: ReadonlyMap<string, SessionState>, other: ReadonlyMap<string, SessionState>): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other]);

const withState = (known: ReadonlyMap<string, SessionState>, state: SessionState): Map<string, SessionState> => {
  const next = new Map(known);
  if (state.running || state.permission_request || state.server_questions > 0) next.set(state.id, state);
  else next.delete(state.id);
  return next;
};
