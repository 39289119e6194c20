/** The conversation of a harness: its session, opened at the first message and again where its tools became others. */
import type { Agent } from '../agent/create-agent.ts';
import { ModelFailure, OpenFailure } from '../core/errors.ts';
import type { SessionFace } from '../core/events.ts';
import type { ModelMessage } from '../core/message.ts';
import type { ModelError } from '../core/model-port.ts';
import { type OpenedOnce, openedOnce } from '../core/opened-once.ts';
import { didYouMean } from '../core/tool/nearest-names.ts';
import { rejectWhenAborted } from './chat-result.ts';
import type { HistoryMessage } from './history.ts';
import type { OtherMessage } from './other-histories.ts';
import type { CallApproval, GoingOn } from './page-answers.ts';

export type ConversationOptions = {
  /** Goes on with that session, or begins it. */
  session: string | undefined;
  /** Goes on with a copy of it. */
  fork: boolean;
  /** What was said before; only where the session is a new one. */
  messages: readonly (HistoryMessage | OtherMessage)[] | undefined;
  /** A page answers questions about the calls that these messages end with. */
  approvalSecret: string | undefined;
  /** Sessions are kept in memory alone. */
  isInMemory: boolean;
  /** Aborts when the harness closes: a session that does not open is not waited for. */
  closing: AbortSignal;
  /** Told of what a person should know. */
  onWarning(code: string, message: string): void;
};

/** A place that cannot be used, or the conversation itself: one that is open elsewhere can be used later. */
const failureOf = (error: ModelError): Error => {
  const { of_storage: isOfStorage, reason, message } = error;
  if (!isOfStorage || reason === undefined || reason === 'in_use') return new ModelFailure(error);
  return new OpenFailure({ error_type: 'io_error', message, reason });
};

export class Conversation {
  private readonly agent: () => Promise<Agent>;
  private readonly options: ConversationOptions;
  private session: OpenedOnce<SessionFace>;
  private id: string | undefined;
  private isClosed = false;
  private approvals: readonly CallApproval[] | undefined;
  /** Where its first chat goes on with a run. */
  goingOn: GoingOn | undefined;

  constructor(agent: () => Promise<Agent>, options: ConversationOptions) {
    this.agent = agent;
    this.options = options;
    this.session = openedOnce(() => this.begin());
  }

  /** Rejects where the harness was closed: nothing is opened that nobody would close. */
  readonly open = async (): Promise<SessionFace> => {
    this.checkOpen();
    return await rejectWhenAborted(this.session.open(), this.options.closing);
  };

  /** Throws where the harness was closed. */
  checkOpen(): void {
    if (this.isClosed) throw closedError();
  }

  /** The first message is these answers to calls of `messages`. Throws where something was said already. */
  goOn(approvals: readonly CallApproval[], isUnderWay: boolean): void {
    if (isUnderWay || this.id !== undefined || this.session.opened() !== undefined)
      throw new TypeError(
        'approvals answer the calls at the end of `messages`: they go with the first chat of a harness.',
      );
    this.approvals = approvals;
  }

  /** Undefined before the first message, where it is not given. */
  get sessionId(): string | undefined {
    return this.id ?? (this.options.fork ? undefined : this.options.session);
  }

  async messages(): Promise<ModelMessage[]> {
    const { messagesOf } = await import('./history.ts');
    const session = this.isClosed ? await this.session.opened() : await this.open();
    if (session === undefined) throw closedError();
    return messagesOf(session.log());
  }

  /** The next message opens the same session again, with the tools that there are then. */
  async reopen(): Promise<void> {
    const opened = await this.session.opened();
    await opened?.close();
    this.session = openedOnce(() => this.begin());
  }

  /** Nothing is opened from here on; what was said can still be read. */
  async close(): Promise<void> {
    this.isClosed = true;
    // What could not be opened was told by whoever waited for it.
    await this.session.opened();
  }

  private async begin(): Promise<SessionFace> {
    const agent = await this.agent();
    const { session, fork, messages } = this.options;
    const id = this.id ?? session ?? crypto.randomUUID();
    const isFirst = this.id === undefined;
    if (isFirst && messages !== undefined) await this.seed(agent, id, messages);
    const { goingOn } = this;
    const goesOn = isFirst && goingOn && { goesOn: true, hears: goingOn.hears };
    const opened = await agent.openSession({ id, fork: isFirst && fork, ...goesOn });
    if (!opened.ok) goingOn?.release();
    if (!opened.ok) throw isFirst && fork ? await this.forkFailure(agent, id, opened.error) : failureOf(opened.error);
    this.id = opened.value.id;
    if (isFirst) this.warnIfEmpty(opened.value);
    return opened.value;
  }

  private async seed(agent: Agent, id: string, messages: readonly (HistoryMessage | OtherMessage)[]): Promise<void> {
    const { seed } = await import('./seed.ts');
    this.goingOn = await seed(agent, id, messages, { secret: this.options.approvalSecret, approvals: this.approvals });
  }

  /** Where the session that was to be copied is not there, in words for the program. */
  private async forkFailure(agent: Agent, id: string, error: ModelError): Promise<Error> {
    const read = await agent.sessions.read(id);
    if (read.ok || read.error.error_type !== 'not_found') return failureOf(error);
    const ids = this.options.isInMemory ? undefined : await agent.sessions.ids();
    const why = this.options.isInMemory ? ` ${IN_MEMORY}` : didYouMean(id, ids?.ok ? ids.value : []);
    const message = `There is no session "${id}" that fork could copy.${why} Without fork, session begins a new one.`;
    return new ModelFailure({ ...error, message, reason: 'not_found' });
  }

  /** A program that names a session expects what was said in it. */
  private warnIfEmpty({ id, log }: SessionFace): void {
    const { session, messages, isInMemory, onWarning } = this.options;
    const isEmpty = !log().some(({ type }) => type === 'user_message_added');
    if (session === undefined || messages !== undefined || !isInMemory || !isEmpty) return;
    onWarning('session_empty', `The session ${id} begins empty. ${IN_MEMORY}`);
  }
}

const IN_MEMORY =
  "storage is 'memory', which keeps nothing from one process or harness to the next. With storage: 'files' sessions are kept.";

const closedError = (): TypeError => new TypeError('This harness is closed. Make another one with createHarness().');
