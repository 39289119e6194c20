/** What goes on in all sessions, heard from one stream. */
import { useEffect, useState } from 'react';
import type { Api, SessionState } from '../state/api.ts';
import { openPlaced } from '../state/placed-events.ts';
import { REFUSED_MS } from '../state/server-events.ts';
import { activityPlace, inThisBrowser } from '../state/stream-place.ts';

const AGAIN_MS = 500;

type Told = {
  states(change: (before: ReadonlyMap<string, SessionState>) => ReadonlyMap<string, SessionState>): void;
  /** The list of sessions reads otherwise now. */
  listChanged(): void;
};

/** Opens and closes the stream; what it tells goes to `told`. */
const createListener = (api: Api, told: Told) => {
  let isOver = false;
  let stream: { close(): void } | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Of the list as it is known here; the server names another one whenever it changed. */
  let known: number | undefined;
  /** All that is not at rest, until it was told. */
  let all: Map<string, SessionState> | undefined;
  const takeEvent = (type: string, data: string): void => {
    if (type === 'session_state') {
      const state = JSON.parse(data) as SessionState;
      if (all) all.set(state.id, state);
      else told.states((before) => withState(before, state));
      return;
    }
    if (type === 'ready' && all) {
      const states = all;
      told.states((before) => (isSame(before, states) ? before : states));
      all = undefined;
    }
    const { list } = JSON.parse(data) as { list: number };
    if (list === known) return;
    known = list;
    told.listChanged();
  };
  const open = (): void => {
    clearTimeout(timer);
    if (stream !== undefined || isOver) return;
    stream = openPlaced(api.send, place, {
      begin() {
        all = new Map();
        return '/api/activity';
      },
      onEvent: ({ type, data }) => takeEvent(type, data),
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
  // Also of a window that nobody looks at.
  const place = activityPlace(inThisBrowser, open);
  const look = (): void => {
    // Whichever window holds the place listens also while nobody looks at it, for notifications.
    if (!document.hidden || (inThisBrowser.locks && place.isHeld())) open();
    else close();
  };
  const end = (): void => {
    isOver = true;
    place.leave();
    close();
  };
  return { look, end };
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
    const { look, end } = createListener(api, { states: setStates, listChanged: onListChanged });
    look();
    document.addEventListener('visibilitychange', look);
    return () => {
      document.removeEventListener('visibilitychange', look);
      end();
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
