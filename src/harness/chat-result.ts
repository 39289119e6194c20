/** What a message came to, and the errors of one that was ended. */
import type { Usage } from '../core/message.ts';
import type { Tool, ToolArguments } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';

/** One call and its result; where the tools of a harness are known by name, so are their arguments. */
export type ToolCallRecord<T extends Tool = Tool> = T extends Tool
  ? {
      id: string;
      name: T['name'];
      arguments: ToolArguments<T>;
      /** The arguments with the model's own digits, where the values have lost some (`1.10`, ids of 19 digits). */
      written?: string;
      result: ToolResult;
    }
  : never;

/** What one message came to. */
export type ChatResult<T extends Tool = Tool, Output = undefined> = {
  /** The text of the last answer. */
  answer: string;
  /**
   * The value of the answer, where the message was sent with a schema. Undefined, whatever its type says, where `stopWhen`
   * or a tool with `endsRun` ended the run before an answer: `finishReason` is `tool_end` then.
   */
  output: Output;
  /** The calls that ran for it, in the order in which they were made. */
  toolCalls: ToolCallRecord<T>[];
  /** The tools that gave something; one whose calls all failed is not among them. */
  toolsUsed: string[];
  /** Tokens and seconds of all its requests together. */
  usage: Usage;
  finishReason: ChatFinish;
  /** What was noticed and stopped nothing: an answer that holds a call (`unread_call`, `call_in_text`), pictures that were refused, … */
  warnings: { code: string; message: string }[];
};

/**
 * `stop`: the model ended its answer. `length`: the token limit cut it. `content_filter`: a filter of the server did.
 * `other`: the server gave a reason that nobody knows, so it may be cut. `tool_end`: `stopWhen` or a tool with `endsRun`
 * ended the run after its calls. The others stand on the `partial` of an error only. `limit`: a limit of the run, or the
 * same calls again and again. `aborted`: by the signal, or the harness was closed. `disconnected`: the model's server broke off. `error`: the rest.
 */
export type ChatFinish =
  | 'stop'
  | 'length'
  | 'content_filter'
  | 'other'
  | 'tool_end'
  | 'limit'
  | 'aborted'
  | 'disconnected'
  | 'error';

/** What a chat that rejects was worth all the same: on its error as `partial`. */
export type PartialResult = ChatResult<Tool, undefined>;

export const cancelled = (partial: PartialResult = beforeAnything()): DOMException =>
  Object.assign(new DOMException('The chat was cancelled.', 'AbortError'), { partial });

/** What a chat came to that was over before it began. */
const beforeAnything = (): PartialResult => ({
  answer: '',
  output: undefined,
  toolCalls: [],
  toolsUsed: [],
  usage: { prompt_tokens: 0, completion_tokens: 0, seconds: 0 },
  finishReason: 'aborted',
  warnings: [],
});

/** What was thrown, with what the chat was worth all the same. It may be anything, and may take no field. */
export const withPartial = (thrown: unknown, partial: PartialResult): unknown => {
  if (typeof thrown === 'object' && thrown !== null && Object.isExtensible(thrown)) Object.assign(thrown, { partial });
  return thrown;
};

/** What is cancelled before it came is not waited for. */
export const rejectWhenAborted = <T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> => {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(cancelled());
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
};

/** Of a chat that its signal ended, the error's `cause` is the signal's reason: who cancelled it, or `TimeoutError`. */
export const withCause = (error: unknown, signal: AbortSignal | undefined): unknown =>
  signal?.aborted && error instanceof DOMException ? Object.assign(error, { cause: signal.reason }) : error;
