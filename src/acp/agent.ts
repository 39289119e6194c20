/** `halter acp`: halter as an agent for editors (Agent Client Protocol). A session is halter's own session; nothing is decided here. */

import {
  type AgentContext,
  agent,
  type ClientCapabilities,
  type InitializeResponse,
  methods,
  PROTOCOL_VERSION,
  RequestError,
} from '@agentclientprotocol/sdk';
import type { SessionFace } from '../core/events.ts';
import { ofFolder } from '../core/session-folder.ts';
import { typedWords } from '../core/typed-command.ts';
import { removeSession } from '../storage/remove-session.ts';
import type { EditorConsents } from './editor-servers.ts';
import type { OpenHalter } from './halters.ts';
import { modeState, setMode } from './modes.ts';
import { promptContent } from './prompt-content.ts';
import { promptTurn, tell } from './prompt-turn.ts';
import { createSessionBook, translatorFor } from './session-book.ts';
import { availableCommands, performTyped } from './typed-commands.ts';

export type AcpOptions = { version: string; open: OpenHalter; consents: EditorConsents };

export const createAcpAgent = ({ version, open, consents }: AcpOptions) => {
  const sessions = createSessionBook(open, consents);
  let capabilities: ClientCapabilities | undefined;

  const app = agent({ name: 'halter' })
    .onRequest(methods.agent.initialize, ({ params }) => {
      capabilities = params.clientCapabilities;
      return hello(version);
    })
    .onRequest(methods.agent.session.new, async ({ params, client }) => {
      const sessionId = await sessions.begin(params);
      offerLater(client, sessionId);
      return { sessionId, modes: modeState(sessions.get(sessionId)) };
    })
    .onRequest(methods.agent.session.setMode, async ({ params, client }) => {
      await setMode((await sessions.liveFor(params.sessionId, client)).face, params.modeId);
      return {};
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const live = await sessions.reopen(params, params.sessionId, client);
      const replay = await translatorFor(live.halter, true);
      for (const event of live.face.log()) await tell(client, live.face.id, replay, event);
      await tellMissingModel(client, live.face);
      offerLater(client, live.face.id);
      return { modes: modeState(live) };
    })
    .onRequest(methods.agent.session.resume, async ({ params, client }) => {
      const live = await sessions.reopen(params, params.sessionId, client);
      await tellMissingModel(client, live.face);
      offerLater(client, live.face.id);
      return { modes: modeState(live) };
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const halter = await sessions.plain(params.cwd ?? process.cwd());
      const listed = await halter.sessions.list(params.cwd ? ofFolder(halter.folder) : {});
      if (!listed.ok) throw RequestError.internalError(undefined, listed.error.message);
      return {
        sessions: listed.value.map(({ id, workspace, title, updated_at }) => ({
          sessionId: id,
          cwd: workspace,
          title,
          updatedAt: new Date(updated_at).toISOString(),
        })),
      };
    })
    .onRequest(methods.agent.session.close, async ({ params }) => {
      await sessions.close(params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.delete, async ({ params }) => {
      const { halter } = sessions.live(params.sessionId);
      await sessions.close(params.sessionId);
      const removed = await removeSession(halter.storage, params.sessionId);
      if (!removed.ok) throw RequestError.internalError(undefined, removed.error.message);
      return {};
    })
    .onRequest(methods.agent.session.prompt, async ({ params, client, signal }) => {
      const live = await sessions.liveFor(params.sessionId, client);
      if (live.prompting) throw RequestError.invalidRequest(undefined, 'the session is still at work on a prompt');
      live.prompting = true;
      try {
        const content = promptContent(params.prompt, live.halter.root);
        const typed = typeof content === 'string' ? typedWords(content) : undefined;
        const { userInput } = live.halter;
        const isCommand = typed !== undefined && (await userInput.isCommand(content as string));
        const said = isCommand ? (await userInput.expand(content as string)).content : content;
        if (typed === undefined || isCommand)
          return { stopReason: await promptTurn(live, { client, capabilities }, said, signal) };
        const text = await performTyped(live.face, typed, signal);
        const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text } };
        await client.notify(methods.client.session.update, { sessionId: params.sessionId, update });
        return { stopReason: signal.aborted ? 'cancelled' : 'end_turn' };
      } finally {
        live.prompting = false;
      }
    })
    .onNotification(methods.agent.session.cancel, async ({ params }) => {
      await sessions.get(params.sessionId)?.face.send({ type: 'cancel' });
    });

  return { app, close: () => sessions.closeAll() };
};

/** Before anything is asked of another model than the person knows; a message of its own behind what was said. */
const tellMissingModel = async (client: AgentContext, { id, missingModel }: SessionFace): Promise<void> => {
  if (missingModel === undefined) return;
  const content = { type: 'text' as const, text: `\n\nhalter: ${missingModel}\n\n` };
  await client.notify(methods.client.session.update, {
    sessionId: id,
    update: { sessionUpdate: 'agent_message_chunk', content },
  });
};

/** An editor knows of a session when it has the answer. */
const offerLater = (client: AgentContext, sessionId: string): void => {
  setImmediate(() => {
    const update = {
      sessionUpdate: 'available_commands_update' as const,
      availableCommands: availableCommands(),
    };
    // An editor that went away is noticed by the connection.
    client.notify(methods.client.session.update, { sessionId, update }).catch(() => {});
  });
};

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
