/** The events of a run as the stream that `useChat` of the AI SDK reads. */
import { checkMethods } from './given.ts';
import type { ApprovalChunk, PageFinish, UIMessageChunk } from './ui-chunks.ts';

/** An event of `stream-json`: what the iterator of a chat yields. */
export type RunEvent = { type: string; [field: string]: unknown };

export type UIMessageOptions = {
  /**
   * What the page is told of an error: of the one that the chat rejected with, or of a call that failed. Default:
   * `An error occurred.`, since messages name files, addresses and what a tool said.
   */
  onError?(error: unknown): string;
};

/** For `writer.merge(…)`, `createUIMessageStreamResponse({ stream })` and whatever else of the AI SDK takes such a stream. */
export const toUIMessageStream = (
  events: AsyncIterable<{ type: string }>,
  { onError = untold }: UIMessageOptions = {},
): ReadableStream<UIMessageChunk> => {
  checkMethods('A stream for useChat', 'a chat: toUIMessageResponse(harness.chat(text))', events, Symbol.asyncIterator);
  const iterator = (events as AsyncIterable<RunEvent>)[Symbol.asyncIterator]();
  const chunks = chunksOf({ [Symbol.asyncIterator]: () => iterator }, saidBy(onError));
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      // AI SDK 5 has no types for those of approvals, and gets none of them.
      else controller.enqueue(next.value as UIMessageChunk);
    },
    // Not through the generator, which may be waiting for the model's next word.
    cancel: async () => {
      await iterator.return?.();
    },
  });
};

const untold = (): string => 'An error occurred.';

/** One that fails, or says nothing that is text, would break the stream at the end of a run that went well. */
const saidBy =
  (onError: OnError): OnError =>
  (error) => {
    try {
      const said: unknown = onError(error);
      if (typeof said === 'string') return said;
      // A promise comes too late for a stream, and nobody waits for it.
      void Promise.resolve(said).catch(() => {});
      return untold();
    } catch {
      return untold();
    }
  };

/** What a route answers: `return toUIMessageResponse(harness.chat(text))`. */
export const toUIMessageResponse = (
  events: AsyncIterable<{ type: string }>,
  { onError, ...init }: ResponseInit & UIMessageOptions = {},
): Response => {
  const encoder = new TextEncoder();
  const lines = new TransformStream<UIMessageChunk, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)),
    flush: (controller) => controller.enqueue(encoder.encode('data: [DONE]\n\n')),
  });
  const headers = new Headers(init.headers);
  headers.set('content-type', 'text/event-stream');
  headers.set('cache-control', 'no-cache');
  headers.set('x-vercel-ai-ui-message-stream', 'v1');
  return new Response(toUIMessageStream(events, onError ? { onError } : {}).pipeThrough(lines), { ...init, headers });
};

type OnError = NonNullable<UIMessageOptions['onError']>;

type Chunk = UIMessageChunk | ApprovalChunk;

async function* chunksOf(events: AsyncIterable<RunEvent>, onError: OnError): AsyncGenerator<Chunk, undefined> {
  const writer = new ChunkWriter(onError);
  yield { type: 'start' };
  let failure: unknown;
  try {
    for await (const event of events) yield* writer.chunks(event);
    failure = writer.failure;
  } catch (error) {
    failure = error;
  }
  yield* writer.close();
  if (isAbort(failure) || (failure === undefined && writer.isInterrupted)) {
    // Nothing comes after it, as in a stream of the AI SDK's own.
    yield { type: 'abort' };
    return undefined;
  }
  if (failure !== undefined) yield { type: 'error', errorText: onError(failure) };
  if (writer.isInStep) yield { type: 'finish-step' };
  const finishReason = failure === undefined ? writer.finishReason : 'error';
  yield { type: 'finish', ...(finishReason === undefined ? {} : { finishReason }) };
  return undefined;
}

/** The page's own wish, and no error of it. */
const isAbort = (error: unknown): boolean => (error as Error | undefined)?.name === 'AbortError';

class ChunkWriter {
  isInStep = false;
  isInterrupted = false;
  /** Undefined where no event said how it ended. */
  finishReason: PageFinish | undefined;
  /** What the events said of the end; a chat rejects with more of it. */
  failure: Error | undefined;
  readonly #onError: OnError;
  #block: 'text' | 'reasoning' | undefined;
  #blocks = 0;
  #hasCalled = false;
  /** Calls that the page is asked about: what the log says of them until then is no result. */
  readonly #asked = new Set<string>();

  constructor(onError: OnError) {
    this.#onError = onError;
  }

  chunks(event: RunEvent): Chunk[] {
    switch (event.type) {
      case 'model_start': {
        const ended: UIMessageChunk[] = this.isInStep ? [{ type: 'finish-step' }] : [];
        this.isInStep = true;
        this.#hasCalled = false;
        return [...this.close(), ...ended, { type: 'start-step' }];
      }
      case 'text_delta':
        return this.#say('text', event['delta']);
      case 'reasoning_delta':
        return this.#say('reasoning', event['delta']);
      case 'tool_call': {
        // The page has it already, where a run goes on with its answers.
        if (!this.isInStep) return [];
        const call = { toolCallId: String(event['id']), toolName: String(event['name']) };
        this.#hasCalled = true;
        return [
          ...this.close(),
          { type: 'tool-input-start', ...call },
          { type: 'tool-input-available', ...call, input: event['arguments'] },
        ];
      }
      case 'permission_request':
        return this.#ask(event);
      case 'tool_result':
        return this.#asked.has(String(event['id'])) ? [] : [resultChunk(event, this.#onError, !this.isInStep)];
      case 'error':
      case 'limit':
        this.failure = errorOf(event);
        return [];
      case 'turn_end':
        this.isInterrupted = event['exit_reason'] === 'interrupted';
        this.failure ??= unansweredBy(event);
        this.finishReason = this.#endOf(event['finish_reason']);
        return [];
      default:
        return [];
    }
  }

  close(): UIMessageChunk[] {
    const block = this.#block;
    this.#block = undefined;
    return block === undefined ? [] : [{ type: `${block}-end`, id: this.#id() }];
  }

  #ask({ approval_id: approvalId, tool_call_id: id }: RunEvent): Chunk[] {
    if (typeof approvalId !== 'string') return [];
    const toolCallId = String(id);
    this.#asked.add(toolCallId);
    this.#hasCalled = true;
    return [{ type: 'tool-approval-request', approvalId, toolCallId }];
  }

  #endOf(cut: unknown): PageFinish {
    if (typeof cut === 'string') return CUT_ENDS.get(cut) ?? 'other';
    // A run that ended with calls was ended by the program.
    return this.#hasCalled ? 'tool-calls' : 'stop';
  }

  #say(block: 'text' | 'reasoning', delta: unknown): UIMessageChunk[] {
    const isSame = this.#block === block;
    const closed = isSame ? [] : this.close();
    if (!isSame) this.#blocks += 1;
    this.#block = block;
    const id = this.#id();
    const started: UIMessageChunk[] = isSame ? [] : [{ type: `${block}-start`, id }];
    return [...closed, ...started, { type: `${block}-delta`, id, delta: String(delta) }];
  }

  #id(): string {
    return `part-${this.#blocks}`;
  }
}

/** `finish_reason` of a run's last event, in the words of the AI SDK. */
const CUT_ENDS: ReadonlyMap<string, PageFinish> = new Map([
  ['length', 'length'],
  ['content_filter', 'content-filter'],
  ['other', 'other'],
]);

const errorOf = ({ message, name, code }: RunEvent): Error =>
  Object.assign(new Error(String(message)), { code }, typeof name === 'string' && { name });

/** A run that did not end in an answer has failed, also where no event before its last one said so. */
const unansweredBy = ({ exit_reason: by, error }: RunEvent): Error | undefined => {
  if (by === 'answered' || by === 'interrupted') return undefined;
  const told = typeof error === 'object' && error !== null ? error : { message: `The run ended: ${String(by)}.` };
  return errorOf({ type: 'error', ...told });
};

/** `isAnswered`: the page had the call, and answered about it. */
const resultChunk = (event: RunEvent, onError: OnError, isAnswered: boolean): Chunk => {
  const { success, data, error_message, metadata } = event['result'] as {
    success: boolean;
    data: unknown;
    error_message: unknown;
    metadata?: { reason?: unknown };
  };
  const toolCallId = String(event['id']);
  if (isAnswered && metadata?.reason === 'person') return { type: 'tool-output-denied', toolCallId };
  return success
    ? { type: 'tool-output-available', toolCallId, output: event['is_json'] === true ? parsedOr(String(data)) : data }
    : { type: 'tool-output-error', toolCallId, errorText: onError(errorOf({ type: 'error', message: error_message })) };
};

/** A tool of a plugin may mark what is no JSON. */
const parsedOr = (data: string): unknown => {
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
};
