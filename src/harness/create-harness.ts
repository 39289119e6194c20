/** The library: one harness is one agent with its tools; several live side by side and share nothing. */

import { closeAll } from '../agent/close-all.ts';
import type { Agent } from '../agent/create-agent.ts';
import type { PermissionQuestion } from '../agent/loop/run-tool/execute-tool.ts';
import { sharedAbort } from '../agent/shared-abort.ts';
import { ErrorCode, HalterError } from '../core/errors.ts';
import type { SessionFace } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { ContentPart, ModelMessage } from '../core/message.ts';
import { type OpenedOnce, openedOnce } from '../core/opened-once.ts';
import { inOptions } from '../core/option-words.ts';
import { callOwn } from '../core/own-callback.ts';
import { ownData } from '../core/own-data.ts';
import type { Tool, ToolArguments } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { untilEither } from '../core/until-either.ts';
import type { InferOutput, ParametersInput } from '../schema/index.ts';
import { type Chat, createChat } from './chat.ts';
import type { ChatOptions } from './chat-options.ts';
import { rejectWhenAborted } from './chat-result.ts';
import {
  availableTools,
  checkAddedTool,
  checkApprovals,
  checkChatOptions,
  checkExecuteOptions,
  checkHarnessOptions,
  checkName,
  checkOverrides,
  checkStop,
  type ExecuteOptions,
} from './check-options.ts';
import { Conversation } from './conversation.ts';
import { checkMessage } from './given-content.ts';
import { type ChatScope, checkOutside, insideChat, openScope } from './inside-chat.ts';
import type { HarnessOptions } from './options.ts';
import type { CallApproval } from './page-answers.ts';
import { ownCopy } from './permission.ts';
import type { ChatSettings, StepHooks } from './run-chat.ts';
import type { OutputFormat } from './structured-output.ts';

/** One agent with its tools and its conversation. */
export type Harness<T extends Tool = Tool> = {
  /**
   * Sends a message. Iterate over it to see everything as it happens, or just await it. One waits for the one before, so
   * it throws `TypeError` where a tool, a callback or a provider calls it that a chat of this harness waits for.
   */
  chat(message: string | ContentPart[], options?: Omit<ChatOptions<T>, 'schema'>): Chat<T>;
  chat<const S extends ParametersInput>(
    message: string | ContentPart[],
    options: ChatOptions<T, S> & { schema: S },
  ): Chat<T, InferOutput<S>>;
  /**
   * Says something to the run that goes on; the model reads it at its next step. Where the run ends before that, it is
   * answered as a message of the same chat. Rejects with `TypeError` where no chat is under way.
   */
  steer(message: string | ContentPart[]): Promise<void>;
  /** Runs one tool under the same rules. Throws HalterError 500 for an unknown tool and 501 for one that threw. */
  executeTool<const N extends T['name'] | (string & {})>(
    name: N,
    args: ArgumentsByName<T, N>,
    options?: ExecuteOptions,
  ): Promise<ToolResult>;
  /** Those on offer: the program's, and those of servers once they are connected. */
  readonly tools: readonly Tool[];
  /** From the next message on, and for `executeTool` at once where no chat is under way. Throws where the name is taken. */
  addTool(tool: Tool): void;
  /** From then on as well. Nothing happens where there is none of that name. */
  removeTool(name: string): void;
  /** The id of the conversation; undefined before the first message where it was not given. */
  readonly session: string | undefined;
  /** All that was said, also what no longer fits the window, without the system prompt: for `messages` of another harness. */
  messages(): Promise<ModelMessage[]>;
  /** Ends what runs and closes everything. Afterwards `messages()` still tells what was said; the rest is a `TypeError`. */
  close(): Promise<void>;
  /** The same, for `await using harness = createHarness(…)`. */
  [Symbol.asyncDispose](): Promise<void>;
};

/** Where the harness knows the tool by its name, the compiler knows its arguments. */
type ArgumentsByName<T extends Tool, N> = [Extract<T, { name: N }>] extends [never]
  ? JsonObject
  : ToolArguments<Extract<T, { name: N }>>;

/** Opens nothing yet: the model and the folder are looked at with the first message. Throws `TypeError` for a wrong option. */
export const createHarness = <const T extends Tool = Tool>(options: HarnessOptions<T>): Harness<T> =>
  new OpenHarness(options).face<T>();

/** The agent comes with the first message, so that importing the library costs next to nothing. */
class OpenHarness {
  private readonly options: HarnessOptions;
  private readonly agent: OpenedOnce<Agent>;
  private readonly conversation: Conversation;
  /** In the words of a program. */
  private readonly onWarning: (code: string, message: string) => void;
  private own: readonly Tool[];
  private known: Agent | undefined;
  private format: OutputFormat | undefined;
  private hooks: StepHooks = {};
  private tellHooks: ((hooks: StepHooks) => void) | undefined;
  /** The chats that are not over, the one that runs first. */
  private readonly underWay: UnderWay[] = [];
  /** Aborts when the harness closes. */
  private readonly closing = sharedAbort();
  /** The messages before, and changes of tools since then: the next message waits for them. */
  private before: Promise<unknown> | undefined;
  /** Of these changes those that no chat holds up. */
  private toolsChanged: Promise<unknown> | undefined;

  constructor(given: HarnessOptions) {
    const options = checkHarnessOptions(given);
    this.options = options;
    const { onWarning = warned } = options.io ?? {};
    const told = async (code: string, message: string): Promise<void> => onWarning(code, inOptions(message));
    // Nobody waits for it, so a message may be sent from there, and nobody could be told that it failed.
    this.onWarning = (code, message) => insideChat(undefined, () => void told(code, message).catch(() => undefined));
    this.own = availableTools(options);
    this.agent = openedOnce(() => this.openAgent());
    const { session, fork = false, messages } = options;
    const { storage = 'memory' } = options;
    this.conversation = new Conversation(this.agent.open, {
      session,
      fork,
      messages,
      approvalSecret: options.approvalSecret,
      closing: this.closing.signal,
      isInMemory: (typeof storage === 'string' ? storage : storage.kind) === 'memory',
      onWarning: this.onWarning,
    });
  }

  face<T extends Tool>(): Harness<T> {
    const harness = this;
    return {
      get tools() {
        return [...(harness.known?.tools ?? harness.own)];
      },
      get session() {
        return harness.conversation.sessionId;
      },
      chat: ((message: string | ContentPart[], options?: ChatOptions) =>
        harness.chat(message, options)) as Harness<T>['chat'],
      steer: (message) => harness.steer(message),
      executeTool: (name, args, options) => harness.executeTool(name, args, options),
      addTool(tool) {
        harness.conversation.checkOpen();
        checkAddedTool(tool, harness.own);
        harness.changeTools([...harness.own, tool]);
      },
      removeTool(name) {
        harness.conversation.checkOpen();
        checkName('removeTool()', name);
        harness.changeTools(harness.own.filter((tool) => tool.name !== name));
      },
      messages: () => harness.conversation.messages(),
      close: () => harness.close(),
      [Symbol.asyncDispose]: () => harness.close(),
    };
  }

  private async openAgent(): Promise<Agent> {
    const { openHarness } = await import('./open-harness.ts');
    const { onServerQuestion: ask } = this.options;
    const opened = await openHarness(this.options, {
      tools: this.own,
      closing: this.closing.signal,
      // Servers ask from outside of every chat.
      onServerQuestion: ask && ((...asked) => insideChat(this.underWay[0]?.scope, () => ask(...asked))),
      onWarning: this.onWarning,
      stopsAfterStep: async () => (await this.hooks.stops?.()) === true,
      prepareStep: async () => this.hooks.prepare?.(),
      // A server that holds an answer to a shape can make no calls in it.
      responseSchema: (usual) => {
        if (this.format === undefined) return typeof usual === 'function' ? usual() : usual;
        return opened.tools.length === 0 ? this.format.schema : undefined;
      },
    });
    this.known = opened;
    return opened;
  }

  private chat(message: string | ContentPart[], given?: ChatOptions): Chat<Tool, unknown> {
    const { signal, schema, stopWhen, prepareStep, model, approvals } = checkChatOptions(given);
    if (approvals === undefined) checkMessage(message);
    checkOutside(this);
    const { options } = this;
    const { approvalSecret: secret } = options;
    if (approvals !== undefined) this.goOn(message, approvals, schema);
    let tellSaid: (session: SessionFace | undefined) => void = () => {};
    const said = new Promise<SessionFace | undefined>((resolve) => {
      tellSaid = resolve;
    });
    const scope = openScope(this);
    const begun = { scope, said };
    this.underWay.push(begun);
    const chat = insideChat(scope, () =>
      createChat({
        opening: this.opening(),
        message: ownData(message),
        signal,
        closing: this.closing.signal,
        onPermission: options.onPermission,
        page: secret === undefined ? undefined : { secret, goingOn: () => approvals && this.conversation.goingOn },
        format: schema && import('./structured-output.ts').then(({ outputFormat }) => outputFormat(schema)),
        constrain: (format) => {
          this.format = format;
        },
        stopWhen: stopWhen && (async (step) => checkStop('stopWhen', await callOwn('stopWhen', () => stopWhen(step)))),
        prepareStep: prepareStep || model ? this.preparation(prepareStep, model) : undefined,
        onStep: (hooks) => {
          this.hooks = hooks;
          this.tellHooks?.(hooks);
        },
        onGranted: (rule) => void this.known?.keep({ rule, decision: 'session' }),
        onSaid: tellSaid,
        onWarning: warnOnce(this.onWarning),
        facts: () => ({ workspace: this.known?.root ?? '', tools: (this.known?.tools ?? []).map(({ name }) => name) }),
      }),
    );
    const end = (): void => {
      tellSaid(undefined);
      scope.isOver = true;
      this.underWay.splice(this.underWay.indexOf(begun), 1);
    };
    // One that is aborted while it waits is over before the one that it waited for.
    this.before = Promise.allSettled([this.before, chat.result().then(end, end)]);
    return chat;
  }

  /** The run begins with its session: what it asks of its chat waits until the chat follows it. */
  private goOn(message: unknown, approvals: readonly CallApproval[], schema: unknown): void {
    checkApprovals(this.options, message, schema);
    this.conversation.goOn(approvals, this.underWay.length > 0);
    const begun = new Promise<StepHooks>((resolve) => {
      this.tellHooks = resolve;
    });
    this.hooks = {
      stops: async () => (await (await begun).stops?.()) === true,
      prepare: async () => (await begun).prepare?.(),
    };
  }

  /** A message that waits where the harness closes was cancelled, as the one before it; one that comes later is a mistake. */
  private opening(): Promise<SessionFace> {
    const { before, conversation } = this;
    const { signal } = this.closing;
    return before === undefined || signal.aborted
      ? conversation.open()
      : rejectWhenAborted(before, signal).then(conversation.open);
  }

  private preparation(prepareStep: ChatOptions['prepareStep'], model: string | undefined): ChatSettings['prepareStep'] {
    return async (step) => {
      const prepared = await callOwn('prepareStep', () => prepareStep?.(step));
      const { model: chosen = model, ...rest } = checkOverrides('prepareStep', prepared);
      return { ...rest, ...(chosen === undefined ? {} : { model: chosen }) };
    };
  }

  private async steer(message: string | ContentPart[]): Promise<void> {
    checkMessage(message);
    const content = ownData(message);
    const session = await this.underWay[0]?.said;
    if (session === undefined) throw new TypeError('No chat is under way that could be steered. Use chat().');
    const sent = await session.send({ type: 'steer', content });
    if (!sent.ok) throw new TypeError(sent.message);
  }

  private async executeTool(name: string, args: unknown, given?: ExecuteOptions): Promise<ToolResult> {
    this.conversation.checkOpen();
    checkName('executeTool()', name);
    const { signal } = checkExecuteOptions(given);
    const own = ownData(args);
    const { onPermission } = this.options;
    const agent = await this.agent.open();
    await this.toolsChanged;
    const signals = [this.closing.signal, ...(signal === undefined ? [] : [signal])];
    const result = await untilEither(signals, (until) => {
      const ask =
        onPermission && (async (question: PermissionQuestion) => onPermission(ownCopy({ ...question, signal: until })));
      return agent.executeTool(name, own, { signal: until, ask, keep: agent.keep });
    });
    const { code } = result.metadata;
    if (code === ErrorCode.ToolNotFound) throw new HalterError('ToolNotFound', result.error_message ?? name);
    if (code === ErrorCode.ToolExecutionFailed)
      throw new HalterError('ToolExecutionFailed', result.error_message ?? name);
    return result;
  }

  /** The session is opened again, since what it offers stands at the beginning of its prompts. */
  private changeTools(tools: readonly Tool[]): void {
    this.own = tools;
    if (this.agent.opened() === undefined) return;
    const change = async (): Promise<void> => {
      await this.before;
      await (await this.agent.opened())?.setTools(this.own);
      await this.conversation.reopen();
    };
    // While a chat is under way they change behind it, and a tool of that chat may call another.
    if (this.underWay.length > 0) this.before = change();
    else this.before = this.toolsChanged = change();
  }

  private async close(): Promise<void> {
    this.closing.abort();
    const problems = await closeAll([
      ['the conversation', () => this.conversation.close()],
      ['the agent', async () => (await this.agent.opened())?.close()],
    ]);
    for (const problem of problems) this.onWarning('close_failed', problem);
  }
}

type UnderWay = {
  scope: ChatScope;
  /** Its session, once the message was said; undefined where the chat was over before. */
  said: Promise<SessionFace | undefined>;
};

const warned = (code: string, message: string): void => process.emitWarning(message, { code });

/** The same words once. */
const warnOnce = (onWarning: (code: string, message: string) => void): ((code: string, message: string) => void) => {
  const said = new Set<string>();
  return (code, message) => {
    if (said.has(message)) return;
    said.add(message);
    onWarning(code, message);
  };
};
