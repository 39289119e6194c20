/**
 * Questions of MCP servers on their way to a person. One that comes up during a session's call is a fact of that session
 * and waits there for its answer, as a permission does; any surface that shows the session can give it.
 */
import type { Command } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { failure, type Outcome } from '../../core/outcome.ts';
import {
  answerProblem,
  type NewServerQuestion,
  openQuestions,
  parseServerAnswer,
  type QuestionPlace,
  type ServerAnswer,
  type ServerQuestion,
} from '../../core/server-question.ts';
import { thrownText } from '../../core/thrown-text.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import { MCP_LIMITS } from '../../mcp/limits.ts';
import type { SessionHandle } from '../session/session-handle.ts';

/** A person, or a program in their place, who is asked directly. */
export type AskPerson = (question: ServerQuestion, signal: AbortSignal) => ServerAnswer | Promise<ServerAnswer>;

type Reply = { ok: true } | { ok: false; message: string };
type AnswerCommand = Extract<Command, { type: 'answer_server' }>;

/** The questions of one session. */
export type SessionQuestions = {
  begin(inside: SessionHandle): void;
  answer(command: AnswerCommand): Reply;
  close(): void;
};

export type QuestionRouter = {
  /** `from` is undefined where a server asks out of the blue. */
  ask(question: NewServerQuestion, from: QuestionPlace | undefined, signal: AbortSignal): Promise<ServerAnswer>;
  session(): SessionQuestions;
};

export type RouterOptions = {
  /** Answers at once, in place of a surface. */
  ask?: AskPerson | undefined;
  /** Somebody sees the sessions and can answer there. */
  inSessions?: boolean | undefined;
  /** Told where `ask` failed, or gave what is no answer. */
  onWarning?: ((code: string, message: string) => void) | undefined;
};

type Asking = { inside: SessionHandle; put(question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> };

const DECLINED: ServerAnswer = { action: 'decline' };
const CANCELLED: ServerAnswer = { action: 'cancel' };

export const createQuestionRouter = ({ ask, inSessions = false, onWarning }: RouterOptions): QuestionRouter => {
  const sessions = new Map<string, Asking>();

  const direct = async (question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> => {
    if (ask === undefined) return DECLINED;
    const given = await unlessAborted(asked(ask, question, signal), signal);
    if (given === undefined) return CANCELLED;
    if (given.ok) return given.value;
    // Whoever answers for the person and breaks has not said yes.
    onWarning?.(
      'server_question',
      `The question of the MCP server "${question.server}" was declined: ${given.error.message}`,
    );
    return DECLINED;
  };

  const sessionQuestions = (): SessionQuestions => {
    const open = new Map<string, { question: ServerQuestion; resolve(answer: ServerAnswer): void }>();
    let asking: Asking | undefined;
    let isClosed = false;

    const waitFor = (question: ServerQuestion, signal: AbortSignal): Promise<ServerAnswer> =>
      new Promise((resolve) => {
        open.set(question.question_id, { question, resolve });
        if (signal.aborted) resolve(CANCELLED);
        signal.addEventListener('abort', () => resolve(CANCELLED), { once: true });
      });
    return {
      begin(inside) {
        const put: Asking['put'] = async (question, signal) => {
          if (open.size >= MCP_LIMITS.mcpQuestions) return DECLINED;
          // A run that ends takes its questions with it; one out of the blue belongs to none.
          const ending = inside.state().phase === 'idle' ? signal : AbortSignal.any([signal, inside.signal()]);
          const { question_id } = question;
          // Open before it can be seen, so that no answer comes too early.
          const answered = ask === undefined ? waitFor(question, ending) : undefined;
          await inside.dispatch({ type: 'server_asked', question });
          const answer = await (answered ?? direct(question, ending));
          open.delete(question_id);
          if (!isClosed) await inside.dispatch({ type: 'server_answered', question_id, action: answer.action });
          return answer;
        };
        asking = { inside, put };
        sessions.set(inside.id, asking);
        // What was open when halter ended is asked by nobody any more.
        for (const { question_id } of openQuestions(inside.log()))
          void inside.dispatch({ type: 'server_answered', question_id, action: 'cancel' });
      },
      answer({ question_id, action, content }) {
        const waiting = open.get(question_id);
        if (waiting === undefined) return { ok: false, message: 'No server asks that now.' };
        const answer: ServerAnswer = action === 'accept' ? { action, ...(content ? { content } : {}) } : { action };
        const problem = answerProblem(waiting.question, answer);
        if (problem !== undefined) return { ok: false, message: problem };
        waiting.resolve(answer);
        return { ok: true };
      },
      close() {
        isClosed = true;
        if (asking && sessions.get(asking.inside.id) === asking) sessions.delete(asking.inside.id);
        for (const { resolve } of open.values()) resolve(CANCELLED);
      },
    };
  };

  return {
    async ask(asked, from, signal) {
      const call = from?.call === undefined ? {} : { tool_call_id: from.call };
      const question: ServerQuestion = { ...asked, question_id: crypto.randomUUID(), ...call };
      // Out of the blue it is heard in the session that was opened last.
      const session = from === undefined ? [...sessions.values()].at(-1) : sessions.get(from.session ?? '');
      if (session && (ask !== undefined || inSessions)) return session.put(question, signal);
      return direct(question, signal);
    },
    session: sessionQuestions,
  };
};

/** What the program says, or what is wrong with that. */
const asked = async (ask: AskPerson, question: ServerQuestion, signal: AbortSignal): Promise<Outcome<ServerAnswer>> => {
  try {
    return parseServerAnswer(question, await ask(question, signal));
  } catch (error) {
    return failure('io_error', `onServerQuestion failed: ${thrownText(error)}`);
  }
};

/** The text that goes to the server: the model's, or what the person made of it. */
export const answerText = (answer: ServerAnswer & { action: 'accept' }, otherwise: string): string => {
  const { text }: JsonObject = answer.content ?? {};
  return typeof text === 'string' ? text : otherwise;
};
