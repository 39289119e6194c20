/** The events of a run as the stream that `useChat` of the AI SDK reads. */

/** An event of `stream-json`: what the iterator of a chat yields. */
export type RunEvent = { type: string; [field: string]: unknown };
type Chunk = { type: string; [field: string]: unknown };

export const toUIMessageStream = (events: AsyncIterable<{ type: string }>): ReadableStream<Chunk> => {
  const chunks = chunksOf(events as AsyncIterable<RunEvent>);
  return new ReadableStream<Chunk>({
    async pull(controller) {
      const next = await chunks.next();
      if (next.done) controller.close();
      else controller.enqueue(next.value);
    },
    cancel: async () => {
      await chunks.return(undefined);
    },
  });
};

/** What a route answers: `return toUIMessageResponse(harness.chat(text))`. */
export const toUIMessageResponse = (events: AsyncIterable<{ type: string }>, init: ResponseInit = {}): Response => {
  const encoder = new TextEncoder();
  const lines = new TransformStream<Chunk, Uint8Array>({
    transform: (chunk, controller) => controller.enqueue(encoder.encode(`data: ${JSON.stringify(chunk)}\n\n`)),
    flush: (controller) => controller.enqueue(encoder.encode('data: [DONE]\n\n')),
  });
  const headers = new Headers(init.headers);
  headers.set('content-type', 'text/event-stream');
  headers.set('cache-control', 'no-cache');
  headers.set('x-vercel-ai-ui-message-stream', 'v1');
  return new Response(toUIMessageStream(events).pipeThrough(lines), { ...init, headers });
};

async function* chunksOf(events: AsyncIterable<RunEvent>): AsyncGenerator<Chunk, undefined> {
  const writer = new ChunkWriter();
  yield { type: 'start' };
  try {
    for await (const event of events) yield* writer.chunks(event);
  } catch (error) {
    yield* writer.close();
    if (!writer.hasFailed) yield { type: 'error', errorText: error instanceof Error ? error.message : String(error) };
  }
  yield* writer.close();
  if (writer.isInStep) yield { type: 'finish-step' };
  yield { type: 'finish' };
  return undefined;
}

class ChunkWriter {
  isInStep = false;
  hasFailed = false;
  #block: 'text' | 'reasoning' | undefined;
  #blocks = 0;

  chunks(event: RunEvent): Chunk[] {
    switch (event.type) {
      case 'model_start': {
        const ended = this.isInStep ? [{ type: 'finish-step' }] : [];
        this.isInStep = true;
        return [...this.close(), ...ended, { type: 'start-step' }];
      }
      case 'text_delta':
        return this.#say('text', event['delta']);
      case 'reasoning_delta':
        return this.#say('reasoning', event['delta']);
      case 'tool_call': {
        const call = { toolCallId: event['id'], toolName: event['name'] };
        return [
          ...this.close(),
          { type: 'tool-input-start', ...call },
          { type: 'tool-input-available', ...call, input: event['arguments'] },
        ];
      }
      case 'tool_result':
        return [resultChunk(event)];
      case 'error':
      case 'limit':
        this.hasFailed = true;
        return [...this.close(), { type: 'error', errorText: event['message'] }];
      default:
        return [];
    }
  }

  close(): Chunk[] {
    const block = this.#block;
    this.#block = undefined;
    return block === undefined ? [] : [{ type: `${block}-end`, id: this.#id() }];
  }

  #say(block: 'text' | 'reasoning', delta: unknown): Chunk[] {
    const isSame = this.#block === block;
    const closed = isSame ? [] : this.close();
    if (!isSame) this.#blocks += 1;
    this.#block = block;
    const id = this.#id();
    return [...closed, ...(isSame ? [] : [{ type: `${block}-start`, id }]), { type: `${block}-delta`, id, delta }];
  }

  #id(): string {
    return `part-${this.#blocks}`;
  }
}

const resultChunk = (event: RunEvent): Chunk => {
  const { success, data, error_message } = event['result'] as {
    success: boolean;
    data: unknown;
    error_message: unknown;
  };
  const toolCallId = event['id'];
  return success
    ? { type: 'tool-output-available', toolCallId, output: data }
    : { type: 'tool-output-error', toolCallId, errorText: String(error_message) };
};
