/**
 * The requests of `POST /api/chat` that are under way (E11, E13). Each is one message of an ordinary session: the loop, the
 * rules and the log are those of every other surface. Requests of the same chat wait for each other, also while one of them
 * waits for a permission.
 */

import { AGENT_LIMITS } from '../../agent/limits.ts';
import type {
  ExitReason,
  PermissionRequest,
  RunProblem,
  StreamLine,
} from '../../agent/loop/call-model/stream-lines.ts';
import { beginningOf } from '../../core/cut-text.ts';
import type { PermissionDecision, SessionFace, SessionUpdate } from '../../core/events.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { wrongKey } from '../../core/message-key.ts';
import { snippetOf } from '../../core/snippet.ts';
import { headOf } from '../../core/window/prefix.ts';
import { ApiError, later, notNow } from '../api-error.ts';
import { SERVER_LIMITS } from '../limits.ts';
import type { LiveSession, PageLine } from '../live-session.ts';
import type { ServerContext } from '../server-context.ts';
import {
  type ChatEnding,
  type ChatReply,
  type ChatWarning,
  chatReply,
  type ToolEvent,
  toolEvent,
} from './chat-result.ts';
import { asksForKnowledge, type ChatMode, decideTools } from './decide-tools.ts';
import { createTurns } from './turns.ts';

export type ChatRequest = {
  message: string;
  mode?: ChatMode | undefined;
  tools_allowed?: boolean | null | undefined;
  chat_id?: string | undefined;
  request_id: string;
  model?: string | undefined;
};

export type ChatReader = {
  /** One line of the run, with what to resume the session's own stream behind. */
  line(line: StreamLine, id: string): void;
  /** Whether somebody could answer a question. */
  attended(): boolean;
};

export type ChatRuns = {
  run(server: ServerContext, request: ChatRequest, reader?: ChatReader): Promise<ChatReply>;
  /** False where no such request is under way. */
  cancel(requestId: string): Promise<boolean>;
  resolve(requestId: string, callId: string, decision: PermissionDecision, reason?: string): Promise<void>;
  /** The reader of a request is gone: what is asked of it has nobody to answer. */
  left(requestId: string): void;
};

type Active = {
  cancelled: AbortController;
  session?: LiveSession;
  face?: SessionFace;
  /** Its message is in the session. */
  running: boolean;
  denyOpen?(): void;
};

const CITE =
  'Where your answer uses what a tool returned, put the mark [source:TOOL_NAME] behind it, and put what you take word for word in double quotes.';

export const createChatRuns = (): ChatRuns => {
  const active = new Map<string, Active>();
  const turns = createTurns();

  return {
    async run(server, request, reader) {
      const { request_id: requestId } = request;
      if (active.has(requestId)) {
        throw new ApiError(
          409,
          'request_id_in_use',
          `A request ${requestId} is under way already. Choose another request_id, or end it with POST /api/chat/${requestId}/cancel.`,
        );
      }
      if (active.size >= SERVER_LIMITS.chatRequests) {
        throw later(503, 'busy', 'Too many requests are under way.', SERVER_LIMITS.askAgainS);
      }
      const entry: Active = { cancelled: new AbortController(), running: false };
      active.set(requestId, entry);
      try {
        const session = await server.sessions.ensure(request.chat_id, request.model);
        const turn = turns.take(session.id);
        try {
          await Promise.race([turn.come, aborted(entry.cancelled.signal)]);
          return entry.cancelled.signal.aborted
            ? neverBegun(server, session, request)
            : await converse(server, session.id, request, entry, reader);
        } finally {
          turn.over();
        }
      } finally {
        active.delete(requestId);
      }
    },
    async cancel(requestId) {
      const entry = active.get(requestId);
      if (entry === undefined) return false;
      entry.cancelled.abort();
      if (entry.running) await entry.face?.send({ type: 'cancel' });
      return true;
    },
    async resolve(requestId, callId, decision, reason) {
      const { face, running } = active.get(requestId) ?? {};
      if (face === undefined || !running) {
        throw new ApiError(404, 'not_found', `No request ${requestId} is under way.`);
      }
      const sent = await face.send({
        type: 'resolve_permission',
        tool_call_id: callId,
        decision,
        reason,
      });
      if (!sent.ok) throw notNow(sent);
    },
    left: (requestId) => active.get(requestId)?.denyOpen?.(),
  };
};

const converse = async (
  server: ServerContext,
  chatId: string,
  request: ChatRequest,
  entry: Active,
  reader: ChatReader | undefined,
): Promise<ChatReply> => {
  const { session, face } = await server.sessions.open(chatId, request.model);
  const toolsAllowed = decideTools(request);
  const context = entry.cancelled.signal.aborted
    ? undefined
    : await lookUp(server, { ...request, chat_id: chatId }, toolsAllowed, entry);
  const about = {
    chat_id: chatId,
    request_id: request.request_id,
    tools_allowed: toolsAllowed,
    context,
  };
  const end = (run: RunEnd, permission_requests: PermissionRequest[]): ChatReply =>
    replyOf(server, session, run, { ...about, permission_requests });
  const before = messageOf(session, request);
  const answered = before === undefined ? undefined : answeredBefore(session, before);
  if (answered) return end(answered, []);
  if (before !== undefined) {
    // Sent again while it is answered, as after a broken connection.
    entry.session = session;
    entry.face = face;
    const followed = follow(session, face, request.request_id, entry, reader, before);
    return end(await followed.ended, followed.refused);
  }
  await Promise.race([face.idle(), aborted(entry.cancelled.signal)]);
  if (entry.cancelled.signal.aborted) return end(NEVER_BEGUN, []);

  entry.session = session;
  entry.face = face;
  const followed = follow(session, face, request.request_id, entry, reader);
  const note = noteOf(context, toolsAllowed && citesByItself(session));
  const sent = await face.send({
    type: 'send_message',
    content: request.message,
    request_id: request.request_id,
    idempotency_key: keyOfRequest(session, request.request_id),
    unattended: true,
    ...(note === '' ? {} : { context_note: note }),
    ...(toolsAllowed ? {} : { tools: 'off' }),
  });
  if (!sent.ok) {
    followed.stop();
    throw notNow(sent);
  }
  return end(await followed.ended, followed.refused);
};

const replyOf = (
  server: ServerContext,
  session: LiveSession,
  run: RunEnd,
  about: Omit<Parameters<typeof chatReply>[1], 'model'>,
): ChatReply => {
  const { tools, limits } = server.halter;
  return chatReply(
    { ...run, tools, summaryCharacters: limits.summaryCharacters },
    { ...about, model: session.state().model },
  );
};

/** It was cancelled while others of its chat had their turn. */
const neverBegun = (server: ServerContext, session: LiveSession, request: ChatRequest): ChatReply =>
  replyOf(server, session, NEVER_BEGUN, {
    chat_id: session.id,
    request_id: request.request_id,
    tools_allowed: decideTools(request),
    context: undefined,
    permission_requests: [],
  });

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });

/** Where the message of a request stands in the session, if it was taken before. */
const messageOf = (session: LiveSession, { request_id, message }: ChatRequest): number | undefined =>
  session
    .log()
    .find(
      (event) => event.type === 'user_message_added' && event.request_id === request_id && event.content === message,
    )?.seq;

/** A request that is sent again is answered with what came of it the first time; undefined while it is under way. */
const answeredBefore = (session: LiveSession, seq: number): RunEnd | undefined => {
  const isEnd = ({ event_id, type }: PageLine): boolean => type === 'turn_end' && Number.parseInt(event_id, 10) > seq;
  const last = session.page(Number.MAX_SAFE_INTEGER).lines.find(isEnd);
  if (last === undefined && session.state().phase !== 'idle') return undefined;
  const end = last === undefined ? seq : Number.parseInt(last.event_id, 10);
  const told: StreamLine | undefined = last;
  return {
    events: session.log().filter((event) => event.seq >= seq && event.seq <= end),
    reason: (told?.['exit_reason'] ?? 'interrupted') as ExitReason,
    problem: told?.['error'] as RunProblem | undefined,
    warnings: [],
  };
};

/** A client that gives every message the same id gives it a name, and no key. */
const keyOfRequest = (session: LiveSession, requestId: string): string | undefined =>
  wrongKey(requestId) !== undefined ||
  session.log().some((event) => event.type === 'user_message_added' && event.request_id === requestId)
    ? undefined
    : requestId;

type RunEnd = Pick<ChatEnding, 'events' | 'reason' | 'warnings'> & { problem: RunProblem | undefined };
const NEVER_BEGUN: RunEnd = { events: [], reason: 'interrupted', problem: undefined, warnings: [] };
const SESSION_GONE: RunProblem = {
  code: null,
  name: 'Interrupted',
  message: 'The session was removed or closed before this was answered.',
};

/** Hands the lines of one run on, answers questions where nobody can, and resolves with the events of the run. */
const follow = (
  session: LiveSession,
  face: SessionFace,
  requestId: string,
  entry: Active,
  reader: ChatReader | undefined,
  begun?: number,
): { ended: Promise<RunEnd>; refused: PermissionRequest[]; stop(): void } => {
  const refused: PermissionRequest[] = [];
  const warnings: ChatWarning[] = [];
  let from = begun;
  entry.running = begun !== undefined;
  let stop = (): void => {};
  const deny = (): void => {
    const asked = session.permissionRequest();
    if (asked === undefined) return;
    refused.push(asked);
    void face.send({ type: 'leave_unanswered', tool_call_id: asked.tool_call_id });
  };
  const isAttended = (): boolean => (reader === undefined ? false : reader.attended() || session.readers() > 0);
  entry.denyOpen = () => {
    if (!isAttended()) deny();
  };
  const ended = new Promise<RunEnd>((resolve) => {
    const take = (update: SessionUpdate, lines: readonly { line: StreamLine; id: string }[]): void => {
      if (update.type === 'user_message_added' && update.request_id === requestId) {
        from = update.seq;
        entry.running = true;
        if (entry.cancelled.signal.aborted) void face.send({ type: 'cancel' });
      }
      if (from === undefined) return;
      for (const { line, id } of lines) reader?.line(line, id);
      if (update.type === 'warning') warnings.push({ code: update.code, message: update.message });
      if (update.type === 'permission_requested' && !isAttended()) deny();
      // A program that sends a message and waits for the answer knows nothing of such questions.
      if (update.type === 'server_asked' && session.readers() === 0) {
        const { question_id } = update.question;
        void face.send({ type: 'answer_server', question_id, action: 'decline' });
      }
      const last = lines.find(({ line }) => line.type === 'turn_end')?.line;
      if (last === undefined) return;
      end(last['exit_reason'] as ExitReason, last['error'] as RunProblem | undefined);
    };
    const end = (reason: ExitReason, problem: RunProblem | undefined): void => {
      stop();
      entry.running = false;
      const first = from ?? Number.POSITIVE_INFINITY;
      resolve({ events: session.log().filter(({ seq }) => seq >= first), reason, problem, warnings });
    };
    stop = session.follow(take, () => end('interrupted', SESSION_GONE));
  });
  return { ended, refused, stop };
};

/** E10, and what tools-off falls back to: what is known of the files, through the same tool and the same rules. */
const lookUp = async (
  server: ServerContext,
  request: ChatRequest & { chat_id: string },
  toolsAllowed: boolean,
  entry: Active,
): Promise<ToolEvent | undefined> => {
  if (!toolsAllowed && !asksForKnowledge(request.message)) return undefined;
  const signal = AbortSignal.any([entry.cancelled.signal, AbortSignal.timeout(SERVER_LIMITS.lookUpMs)]);
  const looked = await server.retrieve?.(request.message, signal, request.chat_id);
  if (looked === undefined || !looked.result.success) return undefined;
  const { tools, limits } = server.halter;
  return toolEvent(
    { tools, summaryCharacters: limits.summaryCharacters },
    `context_${request.request_id}`,
    looked.tool,
    looked.args,
    looked.result,
  );
};

/** The words of a small model's request decide which tool it takes, so nothing is put before them that need not be. */
const citesByItself = (session: LiveSession): boolean => headOf(session.log())?.tier === 'standard';

const noteOf = (context: ToolEvent | undefined, withTools: boolean): string => {
  const data = context?.result.data?.trim() ?? '';
  const cite = withTools || data !== '' ? CITE : '';
  if (context === undefined || data === '' || data === '[]') return cite;
  const room = AGENT_LIMITS.contextNoteCharacters - cite.length - context.tool.length - HEAD_CHARACTERS;
  const shown = data.length > room ? shortHits(data, String(context.args['query'] ?? ''), room) : data;
  const text = shown.length > room ? `${beginningOf(shown, room - 1)}…` : shown;
  return `Found beforehand by ${context.tool}:\n${text}\n\n${cite}`;
};
const HEAD_CHARACTERS = 40;

/** Of each hit the part that was asked for, so that the first one does not take the room of all. */
const shortHits = (data: string, query: string, room: number): string => {
  const hits = hitsIn(data);
  if (hits === undefined) return data;
  const characters = hits.map(({ text }) => (typeof text === 'string' ? text.length : 0));
  const others = data.length - characters.reduce((sum, each) => sum + each, 0);
  const share = Math.max(HIT_CHARACTERS_MIN, Math.floor((room - others) / hits.length));
  return JSON.stringify(
    hits.map((hit) => (typeof hit['text'] === 'string' ? { ...hit, text: snippetOf(hit['text'], query, share) } : hit)),
  );
};
const HIT_CHARACTERS_MIN = 200;

const hitsIn = (data: string): JsonObject[] | undefined => {
  try {
    const value: unknown = JSON.parse(data);
    return Array.isArray(value) && value.every(isObject) ? value : undefined;
  } catch {
    return undefined;
  }
};
