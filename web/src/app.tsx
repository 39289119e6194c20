/** The page: sessions at the left, the conversation, and at the right what there is to show of this session. */
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import type { Command } from '../../src/core/events.ts';
import type { ContentPart } from '../../src/core/message.ts';
import type { Mode } from '../../src/core/policy/modes.ts';
import { AppContext, type App as AppParts, useApp, useSnapshot } from './app-context.tsx';
import type { Suggestion } from './composer/composer/use-draft.ts';
import { Composer } from './composer/composer.tsx';
import { useCurrentModel } from './composer/model-picker.tsx';
import { keepQueued, Queue } from './composer/queue.tsx';
import { Conversation } from './conversation/conversation.tsx';
import { wordsOf } from './conversation/message-words.ts';
import { PermissionPanel } from './decision/permission-panel.tsx';
import { ServerPanel } from './decision/server-panel.tsx';
import { Icon, type IconName } from './parts/icons.tsx';
import { OtherFolder, useOtherFolder } from './sessions/other-folder.tsx';
import { ConnectionNotice } from './shell/connection-notice.tsx';
import { EmptyState } from './shell/empty-state.tsx';
import { Inbox, useWaiting } from './shell/inbox.tsx';
import { SessionSearch } from './shell/session-search.tsx';
import { hasSideContent, SidePanel } from './shell/side-panel.tsx';
import { Sidebar } from './shell/sidebar.tsx';
import { Toast } from './shell/toast.tsx';
import { useActivity } from './shell/use-activity.ts';
import { useDocuments } from './shell/use-documents.ts';
import { useNewSession } from './shell/use-new-session.ts';
import { useServer } from './shell/use-server.ts';
import { useSession } from './shell/use-session.ts';
import { useShortcuts } from './shell/use-shortcuts.ts';
import type { Api } from './state/api.ts';
import type { Link } from './state/link.ts';
import type { View } from './state/view.ts';
import { AskAlerts } from './supervise/ask-alerts.tsx';
import { useAlerts } from './supervise/use-alerts.ts';

// What is seldom opened comes when it is.
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
const ModelsDialog = lazy(() => import('./models/models-dialog.tsx').then((all) => ({ default: all.ModelsDialog })));

const WIDE = '(min-width: 1024px)';
const isWide = (): boolean => window.matchMedia(WIDE).matches;
/** Room for the right side without taking it from the conversation. */
const WIDER = '(min-width: 1280px)';
const isWider = (): boolean => window.matchMedia(WIDER).matches;

export const App = ({ api, link }: { api: Api; link: Link }) => {
  const linkState = useSyncExternalStore(link.subscribe, link.state);
  const lookAgain = useCallback(() => void link.check(), [link]);
  const server = useServer(api, linkState === 'here');
  const activity = useActivity(api, linkState === 'here', server.refreshSessions);
  const { sessionId, store, openSession } = useSession(api, link);
  useAlerts({ activity, sessions: server.sessions, openSession });
  const [word, setWord] = useState<{ text: string; at: number }>();
  const say = useCallback((text: string) => setWord({ text, at: performance.now() }), []);
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
  // A word of one session says nothing in another.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it says when.
  useEffect(() => setWord(undefined), [sessionId]);
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
      send,
      say,
    }),
    [api, linkState, lookAgain, sessionId, store, server, activity, openSession, newSession, documents, send, say],
  );
  return (
    <AppContext value={parts}>
      <Page key={sessionId ?? 'new'} />
      <Toast word={word} onDone={() => setWord(undefined)} />
    </AppContext>
  );
};

/** Left and right stand beside the conversation where there is room, and over it where there is not. */
const Page = () => {
  const [left, setLeft] = useState(() => isWide() && localStorage.getItem('halter sessions') !== 'hidden');
  const [right, setRight] = useState(isWider);
  const [search, setSearch] = useState(false);
  const [servers, setServers] = useState(false);
  const [settings, setSettings] = useState(false);
  const [invitation, setInvitation] = useState(false);
  const [shortcuts, setShortcuts] = useState(false);
  const [review, setReview] = useState<{ path: string | undefined }>();
  const { sessionId } = useApp();
  const { view } = useSnapshot();
  // A window that becomes narrow shows the conversation, and not what would now cover it.
  useEffect(() => {
    const [wide, wider] = [window.matchMedia(WIDE), window.matchMedia(WIDER)];
    const onWide = (): void => setLeft(wide.matches && localStorage.getItem('halter sessions') !== 'hidden');
    const onWider = (): void => setRight(wider.matches);
    wide.addEventListener('change', onWide);
    wider.addEventListener('change', onWider);
    return () => {
      wide.removeEventListener('change', onWide);
      wider.removeEventListener('change', onWider);
    };
  }, []);
  const showLeft = useCallback((open: boolean): void => {
    if (isWide()) localStorage.setItem('halter sessions', open ? 'shown' : 'hidden');
    setLeft(open);
  }, []);
  const { documents } = useApp();
  const hasRight = hasSideContent(view, documents);
  /** Whether something was over the conversation. */
  const closeOver = (): boolean => {
    const isLeftOver = left && !isWide();
    const isRightOver = right && hasRight && !isWider();
    if (isLeftOver) setLeft(false);
    if (isRightOver) setRight(false);
    return isLeftOver || isRightOver;
  };
  return (
    <div className="flex h-full overflow-hidden">
      {(left || (right && hasRight)) && (
        <button
          type="button"
          tabIndex={-1}
          aria-label="Close what is over the conversation"
          className={`absolute inset-0 z-20 bg-black/20 ${right && hasRight ? 'xl:hidden' : 'lg:hidden'}`}
          onClick={closeOver}
        />
      )}
      {left && (
        <div className="w-64 shrink-0 border-r border-line max-lg:absolute max-lg:inset-y-0 max-lg:left-0 max-lg:z-30 max-lg:shadow-float">
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
        right={right && hasRight}
        onRight={setRight}
        hasRight={hasRight}
        onShortcuts={() => setShortcuts(true)}
        onReview={() => setReview({ path: undefined })}
        closeOver={closeOver}
      />
      {right && hasRight && (
        <div
          className={`w-72 shrink-0 max-xl:absolute max-xl:inset-y-0 max-xl:right-0 max-xl:z-30 max-xl:max-w-[85vw] max-xl:shadow-float border-l border-line`}
        >
          <SidePanel onClose={() => setRight(false)} onReview={(path) => setReview({ path })} />
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
  const { api, sessionId, sessions, status, loadAgain, newSession, send, say, openSession, refreshSessions } = useApp();
  const { view, connection } = useSnapshot();
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
    if (last && !view.running) setEditing(last.key);
  }, [view]);
  useShortcuts({
    'Control+k': onSearch,
    'Control+b': () => onLeft(!left),
    'Control+Shift+O': () => openSession(undefined),
    'Control+/': onShortcuts,
    'Shift+?': onShortcuts,
    '?': onShortcuts,
    Escape: () => {
      if (!closeOver() && running.current) stop();
    },
  });
  const sendMessage = async (content: string | ContentPart[]): Promise<boolean> => {
    if (sessionId !== undefined) {
      const { running: isBehind, head } = view;
      const taken = await send({ type: 'send_message', content });
      if (taken && isBehind) keepQueued(sessionId, content, head);
      return taken;
    }
    const made = await newSession.begin();
    if (!made.ok) {
      say(made.message);
      return false;
    }
    if (newSession.mode !== undefined) await api.command(made.value.id, { type: 'change_mode', mode: newSession.mode });
    const answer = await api.command(made.value.id, { type: 'send_message', content });
    if (!answer.ok) say(answer.message);
    openSession(made.value.id);
    refreshSessions();
    return answer.ok;
  };
  const chooseModel = (model: string): void => {
    // Where there was no model yet, there may be one now.
    if (status?.model.state === 'failed') loadAgain();
    if (sessionId === undefined) newSession.chooseModel(model);
    else void send({ type: 'change_model', model });
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
  const isEmpty = sessionId === undefined || (connection === 'live' && view.items.length === 0);
  return (
    <main className="flex min-w-0 flex-1 flex-col">
      <header className="flex h-12 shrink-0 items-center gap-1 px-2">
        {!left && <SessionsButton onClick={() => onLeft(true)} />}
        {isEmpty ? (
          <span className="min-w-0 flex-1" />
        ) : (
          <h1 className="min-w-0 flex-1 truncate px-2 text-center text-sm text-soft">{title || 'Session'}</h1>
        )}
        {!right && hasRight ? (
          <HeaderButton icon="panel" label="Show tasks and files" onClick={() => onRight(true)} />
        ) : (
          !left && <span className="size-8" />
        )}
      </header>
      {/* Where the list is folded, as on a phone, what waits is the first thing to see. */}
      {isEmpty && !left && <Inbox className="mx-auto max-h-[60%] w-full max-w-[46rem]" />}
      {isEmpty ? (
        <EmptyState
          onModels={() => setShowsModels(true)}
          onPick={(text) => setSuggestion({ text, at: performance.now() })}
        />
      ) : (
        <Conversation editing={editing} onEdit={setEditing} />
      )}
      <Warnings />
      <AskAlerts />
      <ConnectionNotice />
      <PermissionPanel />
      <ServerPanel />
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

/** With how many other sessions wait, so that a folded list hides none. */
const SessionsButton = ({ onClick }: { onClick(): void }) => {
  const { length } = useWaiting();
  return (
    <span className="flex items-center">
      <HeaderButton icon="sidebar" label="Show sessions" keys="Ctrl+B" onClick={onClick} />
      {length > 0 && (
        <button type="button" className="quiet-button text-warn" onClick={onClick}>
          ? {length} {length === 1 ? 'waits' : 'wait'}
        </button>
      )}
    </span>
  );
};

const TITLE_CHARACTERS = 80;
const firstWords = ({ items }: View): string => {
  const first = items.find((item) => item.kind === 'user');
  return first?.kind === 'user' ? wordsOf(first.content).slice(0, TITLE_CHARACTERS) : '';
};

type HeaderButtonProps = { icon: IconName; label: string; keys?: string; onClick(): void };

const HeaderButton = ({ icon, label, keys, onClick }: HeaderButtonProps) => (
  <button
    type="button"
    className="icon-button"
    aria-label={label}
    title={keys ? `${label} (${keys})` : label}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);

/** What halter noticed and is no part of the conversation. */
const Warnings = () => {
  const { store } = useApp();
  const { view } = useSnapshot();
  if (view.warnings.length === 0) return null;
  // What is asked needs the room.
  const height = view.activity.type === 'asking' ? 'max-h-[2lh]' : 'max-h-[5lh]';
  return (
    <div
      role="status"
      className="mx-auto my-1 flex w-[calc(100%-2rem)] max-w-[46rem] shrink-0 items-start gap-2 rounded border border-warn bg-warn-soft px-3 py-1.5 text-sm"
    >
      <span aria-hidden="true">!</span>
      <ul
        className={`scroll-area min-w-0 flex-1 [overflow-wrap:anywhere] ${height}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="Warnings"
      >
        {[...new Set(view.warnings.map(({ message }) => message))].map((message) => (
          <li key={message}>{message}</li>
        ))}
      </ul>
      <button
        type="button"
        className="quiet-button"
        aria-label="Hide warnings"
        onClick={() => store?.dismissWarnings()}
      >
        <Icon name="close" size={12} />
      </button>
    </div>
  );
};
