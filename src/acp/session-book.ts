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

export const createSessionBook = (open: OpenHalter, consents: EditorConsents): SessionBook =>
  new OpenSessions(open, consents);

class OpenSessions implements SessionBook {
  readonly #consents: EditorConsents;
  readonly #halters: ReturnType<typeof createHalters>;
  readonly #sessions = new Map<string, LiveSession>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(open: OpenHalter, consents: EditorConsents) {
    this.#consents = consents;
    this.#halters = createHalters(open);
  }

  async begin(params: SessionParams): Promise<string> {
    const { place, unasked } = await this.#placeOf(params);
    if (unasked.length === 0) return (await this.#open(place, undefined)).face.id;
    this.#checkRoom();
    // Nothing can be asked before the editor knows the session.
    const id = crypto.randomUUID();
    this.#waiting.set(id, { place, unasked });
    return id;
  }

  async reopen(params: SessionParams, id: string, client: AgentContext): Promise<LiveSession> {
    const { place, unasked } = await this.#placeOf(params);
    const halter = await this.plain(params.cwd);
    const known = await halter.sessions.read(id);
    if (!known.ok || known.value.events.length === 0) throw RequestError.resourceNotFound(id);
    await this.close(id);
    return this.#open(await this.#asked({ place, unasked }, id, client), id);
  }

  get(id: string): LiveSession | undefined {
    return this.#sessions.get(id);
  }

  live(id: string): LiveSession {
    const live = this.#sessions.get(id);
    if (live === undefined) throw RequestError.resourceNotFound(id);
    return live;
  }

  async liveFor(id: string, client: AgentContext): Promise<LiveSession> {
    const later = this.#waiting.get(id);
    if (later === undefined) return this.live(id);
    this.#waiting.delete(id);
    try {
      return await this.#open(await this.#asked(later, id, client), id);
    } catch (error) {
      // The next prompt may find what was not there now.
      this.#waiting.set(id, later);
      throw error;
    }
  }

  plain(folder: string): Promise<Agent> {
    return this.#halters.plain(folder);
  }

  async close(id: string): Promise<void> {
    const live = this.#sessions.get(id);
    this.#sessions.delete(id);
    this.#waiting.delete(id);
    if (live === undefined) return;
    await live.face.close();
    await this.#halters.release(live.held);
  }

  async closeAll(): Promise<void> {
    for (const id of [...this.#sessions.keys()]) await this.close(id);
    await this.#halters.close();
  }

  #checkRoom(): void {
    if (this.#sessions.size + this.#waiting.size < ACP_LIMITS.acpSessions) return;
    throw RequestError.internalError(undefined, `${ACP_LIMITS.acpSessions} sessions are open; close one first`);
  }

  async #open(place: Place, id: string | undefined): Promise<LiveSession> {
    this.#checkRoom();
    const held = await this.#halters.take(place);
    const halter = await held.opening;
    const opened = await halter.openSession(id === undefined ? {} : { id });
    if (!opened.ok) {
      await this.#halters.release(held);
      throw RequestError.internalError(undefined, withHint(opened.error));
    }
    const translator = await translatorFor(halter, false);
    const live: LiveSession = { face: opened.value, held, halter, translator, prompting: false };
    this.#sessions.set(opened.value.id, live);
    return live;
  }

  /** What may start at once, and what has to be asked about first. */
  async #placeOf(params: SessionParams): Promise<{ place: Place; unasked: ServerDefinition[] }> {
    if (!isAbsolute(params.cwd)) throw RequestError.invalidParams(undefined, 'cwd must be an absolute path');
    const servers: ServerDefinition[] = [];
    const unasked: ServerDefinition[] = [];
    for (const server of editorServers(params.mcpServers ?? []))
      ((await this.#consents.has(params.cwd, server)) ? servers : unasked).push(server);
    return { place: { cwd: params.cwd, additional: params.additionalDirectories ?? [], servers }, unasked };
  }

  async #asked({ place, unasked }: Waiting, sessionId: string, client: AgentContext): Promise<Place> {
    const asking = { sessionId, folder: place.cwd, client, consents: this.#consents };
    return { ...place, servers: [...place.servers, ...(await askAboutServers(unasked, asking))] };
  }
}
