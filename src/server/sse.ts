/** A stream of server-sent events with an end to patience: a reader that does not read is let go, and resumes later. */
import { SERVER_LIMITS } from './limits.ts';
import type { SessionReader } from './live-session.ts';
import { respond } from './respond.ts';
import { chunksOf, createStreamBudget } from './stream-budget.ts';

const PING = new TextEncoder().encode(': still here\n\n');
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** Memory is the process's, so all its streams share one. */
const budget = createStreamBudget(SERVER_LIMITS.queuedBytes, SERVER_LIMITS.queuedBytesAll);

type SseOptions = {
  headers?: Readonly<Record<string, string>>;
  /** Nothing is sent to show that the stream is alive: the form of the stream has no comments. */
  isSilent?: boolean;
  /** The last word to a reader that is let go, where it cannot go on later. */
  lastWord?(): Uint8Array;
};

/**
 * `start` is handed the reader to feed and returns what is to be done when the caller is gone. The stream ends when
 * `signal` aborts; without one, whoever feeds it ends it.
 */
export const sseResponse = (
  start: (reader: SessionReader) => () => void,
  signal: AbortSignal | undefined,
  { headers = {}, isSilent = false, lastWord }: SseOptions = {},
): Response => {
  let stop = (): void => {};
  let ping: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Immediate | undefined;
  /** What came in this turn of the event loop; what is to go out, in the order in which it came. */
  let waiting: Uint8Array[] = [];
  let queue: Uint8Array[] = [];
  let isOver = false;
  /** The other side has taken all there is and wants more. */
  let isHungry = false;
  let fed: (() => void)[] = [];
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;

  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    clearInterval(ping);
    clearImmediate(flushing);
    signal?.removeEventListener('abort', end);
    waiting = [];
    fed = [];
    stop();
  };
  const give = (): void => {
    const chunk = isHungry ? queue.shift() : undefined;
    if (chunk !== undefined) {
      isHungry = false;
      held.took(chunk.byteLength);
      controller?.enqueue(chunk);
    }
    if (isOver && queue.length === 0) {
      held.leave();
      controller?.close();
      controller = undefined;
    }
  };
  const flush = (): void => {
    flushing = undefined;
    const chunks = chunksOf(waiting);
    waiting = [];
    queue.push(...chunks);
    give();
    held.added(chunks.reduce((sum, chunk) => sum + chunk.byteLength, 0));
  };
  const end = (): void => {
    if (isOver) return;
    flush();
    finish();
    give();
  };
  const held = budget.enter(() => {
    queue = lastWord ? [lastWord()] : [];
    finish();
    give();
  });
  const send = (frame: Uint8Array): void => {
    if (isOver) return;
    waiting.push(frame);
    // A model's server sends several tokens in a packet: what comes in one turn of the event loop goes out together.
    flushing ??= setImmediate(flush);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(given) {
        controller = given;
        if (!isSilent) {
          ping = setInterval(() => send(PING), SERVER_LIMITS.pingMs);
          ping.unref();
        }
        signal?.addEventListener('abort', end, { once: true });
        // A reader that connects learns at once that it is connected.
        if (!isSilent) send(PING);
        stop = start({
          send,
          end,
          room: () => (isHungry && waiting.length === 0 ? Promise.resolve() : new Promise((go) => fed.push(go))),
        });
        if (isOver) stop();
      },
      pull() {
        isHungry = true;
        give();
        if (!isHungry || waiting.length > 0) return;
        for (const go of fed) go();
        fed = [];
      },
      cancel() {
        queue = [];
        controller = undefined;
        finish();
        held.leave();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return respond(body, { ...SSE_HEADERS, ...headers });
};
