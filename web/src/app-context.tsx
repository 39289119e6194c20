/** What every part of the page may use, handed down in one place. */
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { Command } from '../../src/core/events.ts';
import type { ContentPart } from '../../src/core/message.ts';
import type { useImport } from './sessions/use-import.ts';
import type { Documents } from './shell/use-documents.ts';
import type { NewSession } from './shell/use-new-session.ts';
import type { SendOptions } from './shell/use-sending.ts';
import type { Problem } from './shell/use-server.ts';
import type { Api, ModelRow, SessionRow, SessionState, Status } from './state/api.ts';
import type { LinkState } from './state/link.ts';
import type { Sending } from './state/sending.ts';
import type { SessionStore, Snapshot } from './state/session-store.ts';
import { EMPTY_VIEW } from './state/view.ts';

export type App = {
  api: Api;
  /** Nothing can be done here: the page was opened by a link for reading. */
  readOnly?: boolean;
  /** Whether halter is at the other end. */
  link: LinkState;
  /** Looks at once whether it is. */
  lookAgain(): void;
  sessionId: string | undefined;
  store: SessionStore | undefined;
  status: Status | undefined;
  /** Why the server says nothing. */
  problem: Problem | undefined;
  models: readonly ModelRow[];
  sessions: readonly SessionRow[];
  /** Those that stand in front, wherever they are in the list. */
  pinned: readonly SessionRow[];
  /** The list is one of every folder. */
  allFolders: boolean;
  setAllFolders(all: boolean): void;
  /** Sessions that run or wait, by id. */
  activity: ReadonlyMap<string, SessionState>;
  refreshSessions(): void;
  /** Older ones, where there are any. */
  moreSessions(): void;
  refreshModels(): void;
  /** Whether a model that was there is there no longer. */
  isGone(model: string): boolean;
  /** Looks for a model once more, where none was ready. */
  loadAgain(): void;
  openSession(id: string | undefined): void;
  /** Where the next message goes, if there is no session yet. */
  newSession: NewSession;
  documents: Documents;
  /** Sessions that are taken in out of files. */
  imports: ReturnType<typeof useImport>;
  /** Messages on their way, of all sessions of this page; where nothing can be sent there are none. */
  sending: readonly Sending[];
  settled(entry: Sending): void;
  /** Sends a message to the session that is shown, or begins one with it. False: it was refused. */
  sendMessage(content: string | ContentPart[], options?: SendOptions): Promise<boolean>;
  /** Takes back the message whose session is being begun: its words are in the field again. */
  takeBack(): void;
  /** Sends a command to the session, and says what was wrong with it. */
  send(command: Command): Promise<boolean>;
  /** A word to the person that is no part of the conversation. */
  say(text: string): void;
};

export const AppContext = createContext<App | undefined>(undefined);

export const useApp = (): App => {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('there is no app around this part');
  return app;
};

/** There is no session yet, so nothing is missing. */
const NOTHING: Snapshot = { view: EMPTY_VIEW, connection: 'live' };
/** There is a session, and nothing of it is known yet. */
const UNTOLD: Snapshot = { view: EMPTY_VIEW, connection: 'connecting' };
const noListener = () => () => {};

export const useSnapshot = (): Snapshot => {
  const { sessionId, store } = useApp();
  const without = sessionId === undefined ? NOTHING : UNTOLD;
  return useSyncExternalStore(store?.subscribe ?? noListener, store?.snapshot ?? (() => without));
};
