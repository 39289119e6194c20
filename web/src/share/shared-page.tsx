/** What a link for reading shows: one session as it goes on. Nothing here can be done, and nothing else is asked for. */

import { useEffect, useMemo, useState } from 'react';
import type { SessionUpdate } from '../../../src/core/events.ts';
import { AppContext, type App as AppParts, useSnapshot } from '../app-context.tsx';
import { ActivityLine } from '../composer/activity-line.tsx';
import { Conversation } from '../conversation/conversation.tsx';
import { wordsOf } from '../conversation/message-words.ts';
import { readable } from '../parts/visible.ts';
import { schedule } from '../shell/use-session.ts';
import { createApi } from '../state/api.ts';
import { openPlaced } from '../state/placed-events.ts';
import type { EventStream } from '../state/server-events.ts';
import { createSessionStore, type OpenStream, type SessionStore } from '../state/session-store.ts';
import { inThisBrowser, sessionPlace } from '../state/stream-place.ts';

const PATH = '/api/shared/events';
const AGAIN_MS = 2_000;
const ID = 'shared';
const TITLE_CHARACTERS = 80;
const refused = async (): Promise<Response> => new Response(null, { status: 403 });
const nothing = (): void => {};

/** A stream that breaks off is taken up again, unless the link is over. */
const openShared =
  (token: string, onOver: () => void): OpenStream =>
  (handlers) => {
    let isOver = false;
    let lastId = '';
    let stream: EventStream | undefined;
    const place = sessionPlace(inThisBrowser);
    let timer: ReturnType<typeof setTimeout> | undefined;
    /** Whether the stream said anything since it was opened: one that breaks off is asked for again at once, to know why. */
    let wasHere = false;
    const send: typeof fetch = async (input, init = {}) => {
      const headers = new Headers(init.headers);
      headers.set('authorization', `Bearer ${token}`);
      const answer = await fetch(input, { ...init, headers });
      if (answer.status === 401) {
        isOver = true;
        onOver();
      }
      return answer;
    };
    const open = (): void => {
      stream = openPlaced(send, place, {
        begin: () => (lastId === '' ? PATH : `${PATH}?last_event_id=${lastId}`),
        onEvent({ type, data, id }) {
          wasHere = true;
          if (id !== '') lastId = id;
          if (type === 'ready') handlers.ready();
          else if (type === 'progress_reset') handlers.restart();
          else handlers.update(JSON.parse(data) as SessionUpdate);
        },
        onEnd() {
          if (isOver) return;
          if (wasHere) {
            wasHere = false;
            open();
            return;
          }
          handlers.lost(false);
          timer = setTimeout(open, AGAIN_MS);
        },
      });
    };
    open();
    return () => {
      isOver = true;
      clearTimeout(timer);
      stream?.close();
      place.leave();
    };
  };

const partsFor = (store: SessionStore): AppParts => ({
  api: createApi(refused),
  readOnly: true,
  link: 'here',
  lookAgain: nothing,
  sessionId: ID,
  store,
  status: undefined,
  problem: undefined,
  models: [],
  sessions: [],
  pinned: [],
  allFolders: false,
  setAllFolders: nothing,
  activity: new Map(),
  refreshSessions: nothing,
  moreSessions: nothing,
  refreshModels: nothing,
  isGone: () => false,
  loadAgain: nothing,
  openSession: nothing,
  newSession: {
    model: undefined,
    chooseModel: nothing,
    mode: undefined,
    chooseMode: nothing,
    settings: undefined,
    chooseSettings: async () => undefined,
    begin: async () => ({ ok: false, status: 403, message: 'This page only reads.' }),
    begunId: () => undefined,
    forget: nothing,
  },
  documents: { list: [], add: nothing, remove: nothing, take: () => nothing },
  imports: { importing: undefined, importFiles: async () => {}, stopImport: nothing, forgetImport: nothing },
  send: async () => false,
  sending: [],
  settled: nothing,
  sendMessage: async () => false,
  takeBack: nothing,
  say: nothing,
});

export const SharedPage = ({ token }: { token: string }) => {
  const [store, setStore] = useState<SessionStore>();
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const opened = createSessionStore({
      open: openShared(token, () => setOver(true)),
      now: () => performance.now(),
      schedule,
      draw: (task) => task(),
    });
    setStore(opened);
    return () => opened.close();
  }, [token]);
  const parts = useMemo(() => store && partsFor(store), [store]);
  if (isOver) {
    return (
      <main className="flex h-full items-center justify-center p-4">
        <p role="alert" className="max-w-[30rem] rounded border border-warn bg-warn-soft px-4 py-3">
          This link is not shared any more. Ask whoever sent it for another one.
        </p>
      </main>
    );
  }
  return (
    parts && (
      <AppContext value={parts}>
        <Reading />
      </AppContext>
    )
  );
};

const Reading = () => {
  const { view, connection } = useSnapshot();
  const first = view.items.find((item) => item.kind === 'user');
  const title =
    view.title || (first?.kind === 'user' ? readable(wordsOf(first.content)).slice(0, TITLE_CHARACTERS) : '');
  useEffect(() => {
    document.title = `${title ? `${title} · ` : ''}halter`;
  }, [title]);
  return (
    <main className="flex h-full min-w-0 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-2 border-b border-line px-4">
        <h1 className="min-w-0 flex-1 truncate text-sm">{title || 'Session'}</h1>
        <span className="shrink-0 text-xs text-soft">
          {connection === 'lost' ? 'the connection is lost' : 'for reading'}
        </span>
      </header>
      <Conversation editing={undefined} onEdit={nothing} />
      <div className="mx-auto w-full max-w-[46rem] px-4 pb-2">
        <ActivityLine meters={null} />
      </div>
    </main>
  );
};
