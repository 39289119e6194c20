/** A stream of server-sent events with an end to patience: a reader that does not read is cut off, and resumes later. */
import { LIMITS } from '../core/limits.ts';
import type { SessionReader } from './live-session.ts';
import { respond } from './respond.ts';

const PING = new TextEncoder().encode(': still here\n\n');
export const SSE_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** `start` is handed the reader to feed and returns what is to be done when the caller is gone. */
export const sseResponse = (
  start: (reader: SessionReader) => () => void,
  signal: AbortSignal,
  headers: Readonly<Record<string, string>> = {},
): Response => {
  let stop = (): void => {};
  let ping: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Immediate | undefined;
  let waiting: Uint8Array[] = [];
  let over = false;
  const finish = (): void => {
    over = true;
    clearInterval(ping);
    clearImmediate(flushing);
    signal.removeEventListener('abort', end);
    stop();
  };
  let end = (): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        end = (): void => {
          if (over) return;
          flush();
          if (over) return;
          finish();
          controller.close();
        };
        // A model's server sends several tokens in a packet: what comes in one turn of the event loop goes out together.
        const flush = (): void => {
          flushing = undefined;
          if (over || waiting.length === 0) return;
          controller.enqueue(waiting.length === 1 ? (waiting[0] as Uint8Array) : Buffer.concat(waiting));
          waiting = [];
          if ((controller.desiredSize ?? 0) > -LIMITS.serverQueuedBytes) return;
          finish();
          controller.error(new Error('the reader does not keep up'));
        };
        const send = (frame: Uint8Array): void => {
          if (over) return;
          waiting.push(frame);
          flushing ??= setImmediate(flush);
        };
        ping = setInterval(() => send(PING), LIMITS.serverPingMs);
        ping.unref();
        signal.addEventListener('abort', end, { once: true });
        // A reader that connects learns at once that it is connected.
        send(PING);
        stop = start({ send, end });
        if (over) stop();
      },
      cancel: finish,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 0 }),
  );
  return respond(body, { ...SSE_HEADERS, ...headers });
};
