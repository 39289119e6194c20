/** The sessions that editors have open, and those that wait for a yes to the servers they were given. */
import { isAbsolute } from 'node:path';
import { type AgentContext, type McpServer, RequestError } from '@agentclientprotocol/sdk';
import type { Agent } from '../agent/create-agent.ts';
import { withHint } from '../core/error-text.ts';
import type { SessionFace } from '../core/events.ts';
import type { ServerDefinition } from '../mcp/server-definition.ts';
import { askAboutServers, type EditorConsents, editorServers } from './editor-servers.ts';
import { createHalters, type Held, type OpenHalter, type Place } from './halters.ts';
import { ACP_LIMITS } from './limits.ts';
import { createTranslator, type Translator } from './updates.ts';

export type LiveSession = { face: SessionFace; held: Held; halter: Agent; translator: Translator; prompting: boolean };

/** A session whose editor named servers that the person was not asked about yet: opened with its first prompt. */
type Waiting = { place: Place; unasked: readonly ServerDefinition[] };

/** Where an editor wants a session, and with which servers. */
export type SessionParams = {
  cwd: string;
  additionalDirectories?: readonly string[];
  mcpServers?: readonly McpServer[];
};

export type SessionBook = {
  /** Resolves with its id. It waits where servers have to be asked about first, which the next prompt does. */
  begin(params: SessionParams): Promise<string>;
  /** The session as it was, from its log; refuses an id that nothing is kept under. */
  reopen(params: SessionParams, id: string, client: AgentContext): Promise<LiveSession>;
  get(id: string): LiveSession | undefined;
  /** Refuses an id that is not open. */
  live(id: string): LiveSession;
  /** The same, and opens one that waits. */
  liveFor(id: string, client: AgentContext): Promise<LiveSession>;
  /** Of a folder, without servers of an editor: for its list of sessions. */
  plain(folder: string): Promise<Agent>;
  close(id: string): Promise<void>;
  closeAll(): Promise<void>;
};

export const translatorFor = async (halter: Agent, replay: boolean): Promise<Translator> => {
  const model = await halter.model();
  const contextTokens = model.ok ? model.value.info.context_length : undefined;
  const { tools, root, sandbox } = halter;
  return createTranslator({ tools, root, sandbox, contextTokens, replay });
};

export const createSessionBook = (open: OpenHalter, consents: EditorConsents): SessionBook => {
  const halters = createHalters(open);
  const sessions = new Map<string, LiveSession>();
  const waiting = new Map<string, Waiting>();

  const checkRoom = (): void => {
    if (sessions.size + waiting.size < ACP_LIMITS.acpSessions) return;
    throw RequestError.internalError(undefined, `${ACP_LIMITS.acpSessions} sessions are open; close one first`);
  };
  const openSession = async (place: Place, id: string | undefined): Promise<LiveSession> => {
    checkRoom();
    const held = await halters.take(place);
    const halter = await held.opening;
    const opened = await halter.openSession(id === undefined ? {} : { id });
    if (!opened.ok) {
      await halters.release(held);
      throw RequestError.internalError(undefined, withHint(opened.error));
    }
    const live: LiveSession = {
      face: opened.value,
      held,
      halter,
      translator: await translatorFor(halter, false),
      prompting: false,
    };
    sessions.set(opened.value.id, live);
    return live;
  };
  const liveSession = (id: string): LiveSession => {
    const live = sessions.get(id);
    if (live === undefined) throw RequestError.resourceNotFound(id);
    return live;
  };
  const closeSession = async (id: string): Promise<void> => {
    const live = sessions.get(id);
    sessions.delete(id);
    waiting.delete(id);
    if (live === undefined) return;
    await live.face.close();
    await halters.release(live.held);
  };
  /** What may start at once, and what has to be asked about first. */
  const placeOf = async (params: SessionParams): Promise<{ place: Place; unasked: ServerDefinition[] }> => {
    if (!isAbsolute(params.cwd)) throw RequestError.invalidParams(undefined, 'cwd must be an absolute path');
    const servers: ServerDefinition[] = [];
    const unasked: ServerDefinition[] = [];
    for (const server of editorServers(params.mcpServers ?? []))
      ((await consents.has(params.cwd, server)) ? servers : unasked).push(server);
    return { place: { cwd: params.cwd, additional: params.additionalDirectories ?? [], servers }, unasked };
  };
  const asked = async (
    place: Place,
    unasked: readonly ServerDefinition[],
    sessionId: string,
    client: AgentContext,
  ) => ({
    ...place,
    servers: [
      ...place.servers,
      ...(await askAboutServers(unasked, { sessionId, folder: place.cwd, client, consents })),
    ],
  });
  /** The session as it was, from its log; `known` refuses an id that nothing is kept under. */
  const reopen = async (params: SessionParams, id: string, client: AgentContext): Promise<LiveSession> => {
    const { place, unasked } = await placeOf(params);
    const halter = await halters.plain(params.cwd);
    const known = await halter.sessions.read(id);
    if (!known.ok || known.value.events.length === 0) throw RequestError.resourceNotFound(id);
    await closeSession(id);
    return openSession(await asked(place, unasked, id, client), id);
  };
  const liveFor = async (id: string, client: AgentContext): Promise<LiveSession> => {
    const later = waiting.get(id);
    if (later === undefined) return liveSession(id);
    waiting.delete(id);
    try {
      return await openSession(await asked(later.place, later.unasked, id, client), id);
    } catch (error) {
      // The next prompt may find what was not there now.
      waiting.set(id, later);
      throw error;
    }
  };

  return {
    async begin(params) {
      const { place, unasked } = await placeOf(params);
      if (unasked.length === 0) return (await openSession(place, undefined)).face.id;
      checkRoom();
      // Nothing can be asked before the editor knows the session.
      const id = crypto.randomUUID();
      waiting.set(id, { place, unasked });
      return id;
    },
    reopen,
    get: (id) => sessions.get(id),
    live: liveSession,
    liveFor,
    plain: (folder) => halters.plain(folder),
    close: closeSession,
    async closeAll() {
      for (const id of [...sessions.keys()]) await closeSession(id);
      await halters.close();
    },
  };
};
