/** The page: sessions at the left, the conversation, and at the right what there is to show of this session. */

import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Command } from '../../src/core/events.ts';
import type { Mode } from '../../src/core/policy/modes.ts';
import { AppContext, type App as AppParts, useApp, useSnapshot } from './app-context.tsx';
import { focusMessageField } from './composer/composer/message-field.tsx';
import type { Suggestion } from './composer/composer/use-draft.ts';
import { Composer } from './composer/composer.tsx';
import { useCurrentModel } from './composer/model-picker.tsx';
import { Queue } from './composer/queue.tsx';
import { Conversation } from './conversation/conversation.tsx';
import { wordsOf } from './conversation/message-words.ts';
import { useOnItsWay } from './conversation/on-its-way.tsx';
import { PermissionPanel } from './decision/permission-panel.tsx';
import { readable } from './parts/visible.ts';
import { OtherFolder, useOtherFolder } from './sessions/other-folder.tsx';
import { useImport } from './sessions/use-import.ts';
import { ConnectionNotice } from './shell/connection-notice.tsx';
import { EmptyState } from './shell/empty-state.tsx';
import { Header } from './shell/header.tsx';
import { Inbox } from './shell/inbox.tsx';
import { LoosenedMode } from './shell/loosened-mode.tsx';
import { SessionSearch } from './shell/session-search.tsx';
import { hasSideContent } from './shell/side-content.ts';
import { Sidebar } from './shell/sidebar.tsx';
import { Toast } from './shell/toast.tsx';
import { useActivity } from './shell/use-activity.ts';
import { useDocuments } from './shell/use-documents.ts';
import { useNewSession } from './shell/use-new-session.ts';
import { useSending } from './shell/use-sending.ts';
import { useServer } from './shell/use-server.ts';
import { useSession } from './shell/use-session.ts';
import { useShortcuts } from './shell/use-shortcuts.ts';
import { useSides } from './shell/use-sides.ts';
import { Warnings } from './shell/warnings.tsx';
import type { Api } from './state/api.ts';
import type { Link } from './state/link.ts';
import type { View } from './state/view.ts';
import { AskAlerts } from './supervise/ask-alerts.tsx';
import { useAlerts } from './supervise/use-alerts.ts';

// What is seldom opened comes when it is.
const SidePanel = lazy(() => import('./shell/side-panel.tsx').then((all) => ({ default: all.SidePanel })));
const ServersDialog = lazy(() =>
  import('./servers/servers-dialog.tsx').then((all) => ({ default: all.ServersDialog })),
);
const InvitationDialog = lazy(() =>
  import('./shell/invitation-dialog.tsx').then((all) => ({ default: all.InvitationDialog })),
);
const ShortcutsDialog = lazy(() =>
  import('./shortcuts/shortcuts-dialog.tsx').then((all) => ({ default: all.ShortcutsDialog })),
);
const ReviewDialog = lazy(() => import('./review/review-dialog.tsx').then((all) => ({ default: all.ReviewDialog })));
const SettingsDialog = lazy(() =>
  import('./settings/settings-dialog.tsx').then((all) => ({ default: all.SettingsDialog })),
);
const ServerPanel = lazy(() => import('./decision/server-panel.tsx').then((all) => ({ default: all.ServerPanel })));
const ModelsDialog = lazy(() => import('./models/models-dialog.tsx').then((all) => ({ default: all.ModelsDialog })));

export const App = ({ api, link }: { api: Api; link: Link }) => {
  const linkState = useSyncExternalStore(link.subscribe, link.state);
  const lookAgain = useCallback(() => void link.check(), [link]);
  const server = useServer(api, linkState === 'here');
  const activity = useActivity(api, linkState === 'here', server.refreshSessions);
  const { sessionId, store, openSession } = useSession(api, link);
  useAlerts({ activity, sessions: server.sessions, openSession });
  const [word, setWord] = useState<{ text: string; at: number }>();
  const say = useCallback((text: string) => setWord({ text, at: performance.now() }), []);
  const forgetWord = useCallback(() => setWord(undefined), []);
  const newSession = useNewSession(api, sessionId);
  const documents = useDocuments(api, sessionId, newSession, say);
  const send = useCallback(
    async (command: Command): Promise<boolean> => {
      if (sessionId === undefined) return false;
      const answer = await api.command(sessionId, command);
      // What was wrong before is not any more.
      setWord(answer.ok ? undefined : { text: answer.message, at: performance.now() });
      return answer.ok;
    },
    [api, sessionId],
  );
  const sayOrNot = useCallback(
    (text: string | undefined) => setWord(text === undefined ? undefined : { text, at: performance.now() }),
    [],
  );
  const { refreshSessions } = server;
  const { sending, settled, sendMessage, takeBack } = useSending({
    api,
    sessionId,
    store,
    newSession,
    say: sayOrNot,
    openSession,
    sessions: server.sessions,
    refreshSessions,
    lookAgain,
  });
  const imports = useImport({ api, refreshSessions, openSession });
  // A word of one session says nothing in another, and one about a lost connection nothing when it is back.
  // biome-ignore lint/correctness/useExhaustiveDependencies: they say when.
  useEffect(forgetWord, [sessionId, linkState === 'here']);
  const parts = useMemo<AppParts>(
    () => ({
      api,
      link: linkState,
      lookAgain,
      sessionId,
      store,
      ...server,
      activity,
      openSession,
      newSession,
      documents,
      imports,
      send,
      say,
      sending,
      settled,
      sendMessage,
      takeBack,
    }),
    [
      api,
      linkState,
      lookAgain,
      sessionId,
      store,
      server,
      activity,
      openSession,
      newSession,
      documents,
      imports,
      send,
      say,
      sending,
      settled,
      sendMessage,
      takeBack,
    ],
  );
  return (
    <AppContext value={parts}>
      <Page key={sessionId ?? 'new'} />
      <Toast word={word} onDone={forgetWord} />
    </AppContext>
  );
};

/** In the empty margin, clear of the scroll bar: the conversation stands where it stood. */
const IN_THE_MARGIN =
  'absolute right-4 top-14 z-10 flex max-h-[calc(100%-5rem)] w-64 flex-col overflow-hidden rounded border border-line';
const AT_THE_SIDE =
  'w-72 shrink-0 border-l border-line max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-30 max-xl:max-w-[85vw] max-xl:shadow-float';

/** Left and right stand beside the conversation where there is room, and over it where there is not. */
const Page = () => {
  const [search, setSearch] = useState(false);
  const [servers, setServers] = useState(false);
  const [settings, setSettings] = useState(false);
  const [invitation, setInvitation] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const [review, setReview] = useState<{ path: string | undefined }>();
  const { sessionId } = useApp();
  const { view } = useSnapshot();
  const { documents } = useApp();
  const hasRight = hasSideContent(view, documents);
  const { left, showLeft, right, setRight, isBeside, closeOver } = useSides(hasRight);
  return (
    <div className="flex h-full overflow-clip">
      {(left || right) && (
        <button
          type="button"
          tabIndex={-1}
          aria-label="Close what is over the conversation"
          className={`absolute inset-0 z-20 bg-black/20 ${right ? 'xl:hidden' : 'lg:hidden'}`}
          onClick={closeOver}
        />
      )}
      {left && (
        <div
          data-sessions
          className="w-64 shrink-0 border-r border-line max-lg:absolute max-lg:inset-y-0 max-lg:left-0 max-lg:z-30 max-lg:shadow-float"
        >
          <Sidebar
            onSearch={() => setSearch(true)}
            onServers={() => setServers(true)}
            onSettings={() => setSettings(true)}
            onInvitation={() => setInvitation(true)}
            onShortcuts={() => setShortcuts(true)}
            onClose={() => showLeft(false)}
          />
        </div>
      )}
      <Main
        onSearch={() => setSearch(true)}
        left={left}
        onLeft={showLeft}
        right={right}
        onRight={setRight}
        hasRight={hasRight}
        onShortcuts={() => setShortcuts(true)}
        onReview={() => setReview({ path: undefined })}
        closeOver={closeOver}
      />
      {right && (
        <div className={isBeside ? IN_THE_MARGIN : AT_THE_SIDE}>
          <Suspense>
            <SidePanel onClose={() => setRight(false)} onReview={(path) => setReview({ path })} />
          </Suspense>
        </div>
      )}
      {search && <SessionSearch onClose={() => setSearch(false)} />}
      <Suspense>
        {settings && <SettingsDialog onClose={() => setSettings(false)} />}
        {servers && <ServersDialog onClose={() => setServers(false)} />}
        {invitation && <InvitationDialog onClose={() => setInvitation(false)} />}
        {shortcuts && <ShortcutsDialog onClose={() => setShortcuts(false)} />}
        {review && sessionId && <ReviewDialog id={sessionId} path={review.path} onClose={() => setReview(undefined)} />}
      </Suspense>
    </div>
  );
};

/** From when on it is said what is waited for. */
const SLOW_MS = 1_500;

type MainProps = {
  left: boolean;
  onLeft(open: boolean): void;
  right: boolean;
  onRight(open: boolean): void;
  hasRight: boolean;
  onSearch(): void;
  onShortcuts(): void;
  onReview(): void;
  /** Closes what is over the conversation, where something is. */
  closeOver(): boolean;
};

const Main = ({ left, onLeft, right, onRight, hasRight, onSearch, onShortcuts, onReview, closeOver }: MainProps) => {
  const app = useApp();
  const { sessionId, sessions, status, problem, loadAgain, newSession, send, sendMessage, openSession } = app;
  const { view, connection } = useSnapshot();
  const isGone = connection === 'gone';
  const shownApp = useMemo(() => (isGone ? { ...app, readOnly: true } : app), [app, isGone]);
  const otherFolder = useOtherFolder();
  const [editing, setEditing] = useState<string>();
  const [suggestion, setSuggestion] = useState<Suggestion>();
  const [showsModels, setShowsModels] = useState(false);
  const current = useCurrentModel(newSession.model);
  const running = useRef(view.running);
  running.current = view.running;

  const { title: givenTitle } = view;

  const stop = useCallback(() => void send({ type: 'cancel', queue: 'keep' }), [send]);
  const editLast = useCallback(() => {
    const last = view.items.findLast((item) => item.kind === 'user');
    if (last && !view.running && !isGone) setEditing(last.key);
  }, [view, isGone]);
  useShortcuts({
    'Control+k': onSearch,
    'Control+b': () => onLeft(!left),
    'Control+Shift+O': () => {
      openSession(undefined);
      // The field of another session's page takes the focus by itself.
      focusMessageField();
    },
    'Control+/': onShortcuts,
    'Shift+?': onShortcuts,
    '?': onShortcuts,
    Escape: () => {
      if (closeOver()) focusMessageField();
      else if (running.current) stop();
    },
  });
  const chooseModel = (model: string): void => {
    // Where there was no model yet, there may be one now.
    if (status?.model.state === 'failed') loadAgain();
    if (sessionId === undefined) newSession.chooseModel(model);
    else {
      const slow = setTimeout(
        () => app.say(`${model} is being loaded by its server. Another choice gives it up.`),
        SLOW_MS,
      );
      void send({ type: 'change_model', model }).finally(() => clearTimeout(slow));
    }
  };
  const chooseMode = (mode: Mode): void => {
    if (sessionId === undefined) newSession.chooseMode(mode);
    else void send({ type: 'change_mode', mode });
  };
  const title = sessions.find(({ id }) => id === sessionId)?.title || givenTitle || firstWords(view);
  const mark = view.activity.type === 'asking' ? '? ' : view.running ? '● ' : '';
  useEffect(() => {
    document.title = `${mark}${title ? `${title} · ` : ''}halter`;
  }, [mark, title]);
  const hasNothing = view.items.length === 0;
  const isSending = useOnItsWay().length > 0;
  const isEmpty =
    !isSending && (sessionId === undefined || (hasNothing && (connection === 'live' || problem?.needsToken === true)));
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <Header
        title={isEmpty ? undefined : title || 'Session'}
        onLeft={left ? undefined : () => onLeft(true)}
        onRight={right || !hasRight ? undefined : () => onRight(true)}
      />
      {isEmpty ? (
        <EmptyState
          // Where the list is folded, as on a phone, what waits is the first thing to see.
          above={left ? null : <Inbox className="mx-auto w-full max-w-[46rem]" />}
          onModels={() => setShowsModels(true)}
          current={current}
          onPick={(text) => setSuggestion({ text, at: performance.now() })}
        />
      ) : (
        // Of a session that is gone nothing can be asked for once more.
        <AppContext value={shownApp}>
          <Conversation editing={editing} onEdit={setEditing} />
        </AppContext>
      )}
      {/* The field and what is asked stay in sight, whatever is told. */}
      <div className="max-h-1/2 min-h-0 shrink-[8] overflow-y-auto short:max-h-1/4">
        <Warnings />
        <LoosenedMode />
        <AskAlerts />
        <ConnectionNotice />
      </div>
      <PermissionPanel />
      <Suspense>{view.questions.length > 0 && <ServerPanel />}</Suspense>
      <Queue onEdit={(text, parts) => setSuggestion({ text, parts, at: performance.now() })} />
      {otherFolder === undefined ? (
        <Composer
          onSend={sendMessage}
          onStop={stop}
          onEditLast={editLast}
          onReview={onReview}
          chosenModel={newSession.model}
          onChooseModel={chooseModel}
          onModels={() => setShowsModels(true)}
          chosenMode={newSession.mode ?? status?.new_sessions.mode ?? 'ask'}
          onChooseMode={chooseMode}
          suggestion={suggestion}
        />
      ) : (
        <OtherFolder folder={otherFolder} />
      )}
      <Suspense>
        {showsModels && <ModelsDialog current={current} onChoose={chooseModel} onClose={() => setShowsModels(false)} />}
      </Suspense>
    </main>
  );
};

const TITLE_CHARACTERS = 80;
const firstWords = ({ items }: View): string => {
  const first = items.find((item) => item.kind === 'user');
  return first?.kind === 'user' ? readable(wordsOf(first.content)).slice(0, TITLE_CHARACTERS) : '';
};
