/** `halter acp`: halter as an agent for editors (Agent Client Protocol). A session is halter's own session; nothing is decided here. */

import { isAbsolute } from 'node:path';
import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  type McpServer,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { EventOf, SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import type { ServerQuestion } from '../core/server-question.ts';
import type { ServerDefinition } from '../mcp/server-definition.ts';
import type { Halter } from '../runtime/assemble.ts';
import { askAboutServers, type EditorConsents, editorServers } from './editor-servers.ts';
import { createHalters, type Held, type OpenHalter, type Place } from './halters.ts';
import { promptContent } from './prompt.ts';
import { answerThroughEditor } from './server-questions.ts';
import { createTranslator, isDecision, type Translator } from './updates.ts';

export type AcpOptions = { version: string; open: OpenHalter; consents: EditorConsents };

type Live = { face: SessionFace; held: Held; halter: Halter; translator: Translator; prompting: boolean };
/** A session whose editor named servers that the person was not asked about yet: opened with its first prompt. */
type Waiting = { place: Place; unasked: readonly ServerDefinition[] };

export const createAcpAgent = ({ version, open, consents }: AcpOptions) => {
  const halters = createHalters(open);
  const sessions = new Map<string, Live>();
  const waiting = new Map<string, Waiting>();
  let capabilities: ClientCapabilities | undefined;

  const checkRoom = (): void => {
    if (sessions.size + waiting.size < LIMITS.acpSessions) return;
    throw RequestError.internalError(undefined, `${LIMITS.acpSessions} sessions are open; close one first`);
  };
  const openSession = async (place: Place, id: string | undefined): Promise<Live> => {
    checkRoom();
    const held = await halters.take(place);
    const halter = await held.opening;
    const opened = await halter.openSession(id === undefined ? {} : { id });
    if (!opened.ok) {
      await halters.release(held);
      throw RequestError.internalError(undefined, withHint(opened.error));
    }
    const live = { face: opened.value, held, halter, translator: await translatorFor(halter, false), prompting: false };
    sessions.set(opened.value.id, live);
    return live;
  };
  const translatorFor = async (halter: Halter, replay: boolean): Promise<Translator> => {
    const model = await halter.model();
    const contextTokens = model.ok ? model.value.info.context_length : undefined;
    const { tools, root, sandbox } = halter;
    return createTranslator({ tools, root, sandbox, contextTokens, replay });
  };
  const liveSession = (id: string): Live => {
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
  type Params = { cwd: string; additionalDirectories?: readonly string[]; mcpServers?: readonly McpServer[] };
  /** What may start at once, and what has to be asked about first. */
  const placeOf = async (params: Params): Promise<{ place: Place; unasked: ServerDefinition[] }> => {
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
  const reopen = async (params: Params, id: string, client: AgentContext): Promise<Live> => {
    const { place, unasked } = await placeOf(params);
    const halter = await halters.plain(params.cwd);
    const known = await halter.sessions.read(id);
    if (!known.ok || known.value.events.length === 0) throw RequestError.resourceNotFound(id);
    await closeSession(id);
    return openSession(await asked(place, unasked, id, client), id);
  };
  const liveFor = async (id: string, client: AgentContext): Promise<Live> => {
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

  const app = agent({ name: 'halter' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities;
      return hello(version);
    })
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const { place, unasked } = await placeOf(params);
      if (unasked.length === 0) return { sessionId: (await openSession(place, undefined)).face.id };
      checkRoom();
      // Nothing can be asked before the editor knows the session.
      const sessionId = crypto.randomUUID();
      waiting.set(sessionId, { place, unasked });
      return { sessionId };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const live = await reopen(params, params.sessionId, client);
      const replay = await translatorFor(live.halter, true);
      for (const event of live.face.log()) await tell(client, live.face.id, replay, event);
      return {};
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      await reopen(params, params.sessionId, client);
      return {};
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const halter = await halters.plain(params.cwd ?? process.cwd());
      const listed = await halter.sessions.list(params.cwd ? { workspace: halter.root } : {});
      return {
        sessions: listed.map(({ id, workspace, title, updated_at }) => ({
          sessionId: id,
          cwd: workspace,
          title,
          updatedAt: new Date(updated_at).toISOString(),
        })),
      };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await closeSession(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      const { halter } = liveSession(params.sessionId);
      await closeSession(params.sessionId);
      const removed = await halter.sessions.remove(params.sessionId);
      if (!removed.ok) throw RequestError.internalError(undefined, removed.error.message);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
      const live = await liveFor(params.sessionId, client);
      if (live.prompting) throw RequestError.invalidRequest(undefined, 'the session is still at work on a prompt');
      live.prompting = true;
      try {
        const content = promptContent(params.prompt, live.halter.root);
        return { stopReason: await prompt(live, { client, capabilities }, content, signal) };
      } finally {
        live.prompting = false;
      }
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId)?.face.send({ type: 'cancel' });
    });

  return {
    app,
    async close(): Promise<void> {
      for (const id of [...sessions.keys()]) await closeSession(id);
      await halters.close();
    },
  };
};

type Editor = { client: AgentContext; capabilities: ClientCapabilities | undefined };

const hello = (version: string): InitializeResponse => ({
  protocolVersion: PROTOCOL_VERSION,
  agentInfo: { name: 'halter', title: 'halter', version },
  agentCapabilities: {
    loadSession: true,
    promptCapabilities: { image: true, embeddedContext: true },
    mcpCapabilities: { http: true, sse: false },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
  },
  authMethods: [],
});

const withHint = ({ message, hint }: { message: string; hint?: string }): string =>
  hint ? `${message} ${hint}` : message;

const tell = async (client: AgentContext, sessionId: string, translator: Translator, update: SessionUpdate) => {
  for (const told of translator.translate(update)) {
    await client.notify(methods.client.session.update, { sessionId, update: told });
  }
};

/** One prompt's turn: what happens is told in its order, and questions go to the editor. Resolves when the run has ended. */
const prompt = async (
  live: Live,
  { client, capabilities }: Editor,
  content: ReturnType<typeof promptContent>,
  signal: AbortSignal,
): Promise<StopReason> => {
  const { face, translator } = live;
  let ended: ((reason: StopReason | Error) => void) | undefined;
  const end = new Promise<StopReason | Error>((resolve) => {
    ended = resolve;
  });
  let telling = Promise.resolve();
  const inOrder = (work: () => Promise<unknown>): void => {
    // An editor that went away is noticed by the connection; what is left is told to nobody.
    telling = telling.then(work).then(
      () => undefined,
      () => undefined,
    );
  };
  const unsubscribe = face.subscribe((update) => {
    inOrder(() => tell(client, face.id, translator, update));
    if (update.type === 'permission_requested') inOrder(async () => void ask(live, client, update));
    if (update.type === 'server_asked')
      inOrder(async () => void askForServer(live, { client, capabilities }, update.question));
    const reason = stopReason(update);
    if (reason !== undefined) inOrder(async () => ended?.(reason));
  });
  const cancel = (): void => void face.send({ type: 'cancel' });
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const sent = await face.send({ type: 'send_message', content });
    if (!sent.ok) throw RequestError.invalidRequest(undefined, sent.message);
    const reason = await end;
    await face.idle();
    if (reason instanceof Error) throw reason;
    return reason;
  } finally {
    signal.removeEventListener('abort', cancel);
    unsubscribe();
  }
};

/** A question that cannot be put, or that is answered by closing it, is a no. */
const ask = async ({ face, translator }: Live, client: AgentContext, event: EventOf<'permission_requested'>) => {
  const { call, options } = translator.question(event);
  const request: RequestPermissionRequest = { sessionId: face.id, toolCall: call, options };
  const answer = await client.request(methods.client.session.requestPermission, request).catch(() => undefined);
  const { outcome } = answer ?? { outcome: { outcome: 'cancelled' as const } };
  const chosen = outcome.outcome === 'selected' && isDecision(outcome.optionId) ? outcome.optionId : 'deny';
  await face.send({
    type: 'resolve_permission',
    tool_call_id: event.tool_call_id,
    decision: chosen,
    ...(chosen === 'session' || chosen === 'remember' ? { rule: event.rule } : {}),
  });
};

const askForServer = async (
  { face }: Live,
  { client, capabilities }: Editor,
  question: ServerQuestion,
): Promise<void> => {
  const { question_id } = question;
  const answer = await answerThroughEditor(question, { sessionId: face.id, client, capabilities });
  const sent = await face.send({ type: 'answer_server', question_id, ...answer });
  // Nobody can be told there that a form was not filled in as it has to be.
  if (!sent.ok) await face.send({ type: 'answer_server', question_id, action: 'decline' });
};

const stopReason = (update: SessionUpdate): StopReason | Error | undefined => {
  switch (update.type) {
    case 'run_completed':
      return 'end_turn';
    case 'run_cancelled':
      return 'cancelled';
    case 'run_stopped':
      return update.reason === 'limit' || update.reason === 'loop' || update.reason === 'retries_exhausted'
        ? 'max_turn_requests'
        : RequestError.internalError({ name: update.name, reason: update.reason }, update.message);
    default:
      return undefined;
  }
};
