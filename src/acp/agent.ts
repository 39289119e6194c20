/** `halter acp`: halter as an agent for editors (Agent Client Protocol). A session is halter's own session; nothing is decided here. */

import { isAbsolute } from 'node:path';
import {
  type AgentContext,
  agent,
  methods,
  PROTOCOL_VERSION,
  RequestError,
  type RequestPermissionRequest,
  type StopReason,
} from '@agentclientprotocol/sdk';
import type { EventOf, SessionFace, SessionUpdate } from '../core/events.ts';
import { LIMITS } from '../core/limits.ts';
import type { Outcome } from '../core/outcome.ts';
import type { Halter } from '../runtime/assemble.ts';
import { promptContent } from './prompt.ts';
import { createTranslator, isDecision, type Translator } from './updates.ts';

export type AcpOptions = {
  version: string;
  /** A halter for the folder that the editor works in. */
  open(folder: string, additionalFolders: readonly string[]): Promise<Outcome<Halter>>;
};

type Live = { face: SessionFace; halter: Halter; translator: Translator; prompting: boolean };

export const createAcpAgent = ({ version, open }: AcpOptions) => {
  const halters = new Map<string, Promise<Halter>>();
  const sessions = new Map<string, Live>();

  const halterFor = (cwd: string, additional: readonly string[] = []): Promise<Halter> => {
    if (!isAbsolute(cwd)) throw RequestError.invalidParams(undefined, 'cwd must be an absolute path');
    const key = JSON.stringify([cwd, ...additional]);
    const known = halters.get(key);
    if (known !== undefined) return known;
    const opening = open(cwd, additional).then((opened) => {
      if (opened.ok) return opened.value;
      halters.delete(key);
      throw RequestError.invalidParams(undefined, opened.error.message);
    });
    halters.set(key, opening);
    return opening;
  };

  const openSession = async (halter: Halter, id: string | undefined): Promise<Live> => {
    if (sessions.size >= LIMITS.acpSessions) {
      throw RequestError.internalError(undefined, `${LIMITS.acpSessions} sessions are open; close one first`);
    }
    const opened = await halter.openSession(id === undefined ? {} : { id });
    if (!opened.ok) throw RequestError.internalError(undefined, withHint(opened.error));
    const live = { face: opened.value, halter, translator: await translatorFor(halter, false), prompting: false };
    sessions.set(opened.value.id, live);
    return live;
  };
  const translatorFor = async (halter: Halter, replay: boolean): Promise<Translator> => {
    const model = await halter.model();
    const contextTokens = model.ok ? model.value.info.context_length : undefined;
    return createTranslator({ tools: halter.tools, root: halter.root, contextTokens, replay });
  };
  const liveSession = (id: string): Live => {
    const live = sessions.get(id);
    if (live === undefined) throw RequestError.resourceNotFound(id);
    return live;
  };
  const closeSession = async (id: string): Promise<void> => {
    const live = sessions.get(id);
    sessions.delete(id);
    await live?.face.close();
  };
  /** The session as it was, from its log; `known` refuses an id that nothing is kept under. */
  const reopen = async (cwd: string, additional: readonly string[] | undefined, id: string): Promise<Live> => {
    const halter = await halterFor(cwd, additional ?? []);
    const known = await halter.sessions.read(id);
    if (!known.ok || known.value.events.length === 0) throw RequestError.resourceNotFound(id);
    await closeSession(id);
    return openSession(halter, id);
  };

  const app = agent({ name: 'halter' })
    .onRequest(methods.agent.initialize, () => ({
      protocolVersion: PROTOCOL_VERSION,
      agentInfo: { name: 'halter', title: 'halter', version },
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, embeddedContext: true },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, additionalDirectories: {} },
      },
      authMethods: [],
    }))
    .onRequest(methods.agent.session.new, async ({ params }) => {
      const halter = await halterFor(params.cwd, params.additionalDirectories ?? []);
      return { sessionId: (await openSession(halter, undefined)).face.id };
    })
    .onRequest(methods.agent.session.load, async ({ params, client }) => {
      const live = await reopen(params.cwd, params.additionalDirectories, params.sessionId);
      const replay = await translatorFor(live.halter, true);
      for (const event of live.face.log()) await tell(client, live.face.id, replay, event);
      return {};
    })
    .onRequest(methods.agent.session.resume, async ({ params }) => {
      await reopen(params.cwd, params.additionalDirectories, params.sessionId);
      return {};
    })
    .onRequest(methods.agent.session.list, async ({ params }) => {
      const halter = await halterFor(params.cwd ?? process.cwd());
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
      const live = liveSession(params.sessionId);
      if (live.prompting) throw RequestError.invalidRequest(undefined, 'the session is still at work on a prompt');
      live.prompting = true;
      try {
        return { stopReason: await prompt(live, client, promptContent(params.prompt, live.halter.root), signal) };
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
      for (const id of sessions.keys()) await closeSession(id);
      for (const halter of await Promise.allSettled(halters.values())) {
        if (halter.status === 'fulfilled') await halter.value.close();
      }
    },
  };
};

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
  client: AgentContext,
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
