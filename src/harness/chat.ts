/** One message of the library: followed while it runs, or just awaited. */

import type { PermissionQuestion } from '../agent/loop/run-tool/execute-tool.ts';
import { ErrorCode, HalterError, ModelFailure } from '../core/errors.ts';
import type { PermissionDecision, SessionFace, SessionUpdate } from '../core/events.ts';
import type { ContentPart, Usage } from '../core/message.ts';
import type { ModelErrorCode } from '../core/model-port.ts';
import { askForReply, type PermissionReply } from '../core/permission-decision.ts';
import { callHistory, lastAnswer } from '../core/project.ts';
import type { Tool, ToolArguments } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';

/** One call and its result; where the tools of a harness are known by name, so are their arguments. */
export type ToolCallRecord<T extends Tool = Tool> = T extends Tool
  ? { id: string; name: T['name']; arguments: ToolArguments<T>; result: ToolResult }
  : never;
/** What one message came to. `toolCalls` is the history of the calls that ran for it, in their order. */
export type ChatResult<T extends Tool = Tool> = {
  answer: string;
  toolCalls: ToolCallRecord<T>[];
  toolsUsed: string[];
  usage: Usage;
};
/** Iterate over it for everything as it happens; await it, or its `result()`, for the whole. */
export type Chat<T extends Tool = Tool> = AsyncIterable<SessionUpdate> &
  PromiseLike<ChatResult<T>> & { result(): Promise<ChatResult<T>> };

/**
 * Asked where no rule decides. Only the documented answers allow; any other value denies the call, with an error that
 * names the value.
 */
export type OnPermission = (
  request: PermissionQuestion,
) => PermissionDecision | PermissionReply | Promise<PermissionDecision | PermissionReply>;

/** One message's life, as an iterable that can be awaited instead. Updates are kept until someone reads them. */
export const createChat = (
  opening: Promise<SessionFace>,
  message: string | ContentPart[],
  onPermission: OnPermission | undefined,
  signal: AbortSignal | undefined,
): Chat => {
  const updates = createQueue<SessionUpdate>();
  const work = run({ opening, message, onPermission, signal, hear: updates.push }).finally(updates.end);
  // Whoever only iterates still sees a failure: the iterator awaits the same work at its end.
  work.catch(() => {});

  return {
    result: () => work,
    // biome-ignore lint/suspicious/noThenProperty: a chat can be awaited, as the interface promises
    then: (onFulfilled, onRejected) => work.then(onFulfilled, onRejected),
    [Symbol.asyncIterator]: () => ({
      next() {
        const update = updates.next();
        if (update !== undefined) return Promise.resolve({ done: false, value: update });
        return updates.over()
          ? work.then(() => ({ done: true, value: undefined }))
          : updates.wait().then(() => this.next());
      },
    }),
  };
};

/** What came in and was not read yet. By hand: a generator costs several promises an update, and there are many. */
const createQueue = <T extends object>() => {
  let items: T[] = [];
  let read = 0;
  let over = false;
  let wake: (() => void) | undefined;
  const next = (): T | undefined => {
    if (read < items.length) return items[read++];
    if (read > 0) items = [];
    read = 0;
    return undefined;
  };
  const notify = (): void => {
    wake?.();
    wake = undefined;
  };
  return {
    next,
    over: () => over,
    /** Until there is another one, or will be none. */
    wait: (): Promise<void> =>
      new Promise((resolve) => {
        const before = wake;
        wake = () => {
          before?.();
          resolve();
        };
      }),
    push(item: T): void {
      items.push(item);
      notify();
    },
    end(): void {
      over = true;
      notify();
    },
  };
};

type Run = {
  opening: Promise<SessionFace>;
  message: string | ContentPart[];
  onPermission: OnPermission | undefined;
  signal: AbortSignal | undefined;
  hear(update: SessionUpdate): void;
};

const run = async ({ opening, message, onPermission, signal, hear }: Run): Promise<ChatResult> => {
  const session = await unlessAborted(opening, signal);
  const from = session.log().length;
  const cancel = (): void => void session.send({ type: 'cancel' });
  const unsubscribe = session.subscribe((update) => {
    hear(update);
    if (update.seq !== undefined && update.type === 'permission_requested')
      void answerPermission(session, update, onPermission);
  });
  signal?.addEventListener('abort', cancel, { once: true });
  try {
    const sent = await session.send({ type: 'send_message', content: message });
    if (!sent.ok) throw new TypeError(sent.message);
    await session.idle();
  } finally {
    unsubscribe();
    signal?.removeEventListener('abort', cancel);
  }
  return resultOf(session, from);
};

const cancelled = (): DOMException => new DOMException('The chat was cancelled.', 'AbortError');

/** Nothing is sent for a chat that was cancelled before its turn came. */
const unlessAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
};

const answerPermission = async (
  session: SessionFace,
  asked: Extract<SessionUpdate, { type: 'permission_requested' }>,
  onPermission: OnPermission | undefined,
): Promise<void> => {
  if (onPermission === undefined) return;
  const evaluated = session
    .log()
    .findLast((event) => event.type === 'policy_evaluated' && event.tool_call_id === asked.tool_call_id);
  const call = callById(session, asked.tool_call_id);
  if (evaluated?.type !== 'policy_evaluated' || call === undefined) return;
  const reply = await askForReply(onPermission, {
    name: call.name,
    arguments: evaluated.arguments,
    risk: asked.risk,
    rule: asked.rule,
    because: evaluated.because,
    ...(asked.preview ? { preview: asked.preview } : {}),
  });
  await session.send({ type: 'resolve_permission', tool_call_id: asked.tool_call_id, ...reply });
};

const callById = (session: SessionFace, id: string) => {
  for (const event of session.log().toReversed()) {
    if (event.type !== 'assistant_message_added') continue;
    const found = event.message.tool_calls.find((call) => call.id === id);
    if (found) return found;
  }
  return undefined;
};

const resultOf = (session: SessionFace, from: number): ChatResult => {
  const events = session.log().slice(from);
  const last = events.findLast(
    (event) => event.type === 'run_completed' || event.type === 'run_stopped' || event.type === 'run_cancelled',
  );
  if (last?.type === 'run_stopped') {
    if (last.code === ErrorCode.ToolRetriesExhausted) throw new HalterError('ToolRetriesExhausted', last.message);
    if (last.code === ErrorCode.ToolLoopLimitReached) throw new HalterError('ToolLoopLimitReached', last.message);
    const failed = events.findLast((event) => event.type === 'model_failed');
    if (last.reason === 'model_unusable' && failed)
      throw new ModelFailure({ ...failed, code: failed.code as ModelErrorCode });
    throw Object.assign(new Error(last.message), { name: last.name });
  }
  if (last?.type === 'run_cancelled') throw cancelled();
  const usage: Usage = { prompt_tokens: 0, completion_tokens: 0, seconds: 0 };
  for (const event of events) {
    if (event.type !== 'assistant_message_added' || event.message.usage === undefined) continue;
    usage.prompt_tokens += event.message.usage.prompt_tokens;
    usage.completion_tokens += event.message.usage.completion_tokens;
    usage.seconds += event.message.usage.seconds;
  }
  return {
    answer: lastAnswer(events)?.content ?? '',
    toolCalls: callHistory(events).map(({ call, result }) => ({
      id: call.id,
      name: call.name,
      arguments: call.arguments,
      result,
    })),
    toolsUsed: last?.type === 'run_completed' ? last.sources : [],
    usage,
  };
};
