/** The body of one response: decoded, limited, watched for silence, and cut off at once on cancel. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { Outcome } from '../../core/outcome.ts';
import type { HttpFailure, HttpRequest, HttpResponse } from '../../core/ports.ts';
import { describeError } from './failure.ts';

type BodyOutcome = Outcome<void, HttpFailure>;

const unpacked = (message: IncomingMessage): Readable => {
  const encoding = (message.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return message;
  // We ask for none, so this is rare, and zlib is slow to load.
  const zlib = process.getBuiltinModule('node:zlib');
  const make: Record<string, () => NodeJS.ReadWriteStream & Readable> = {
    gzip: () => zlib.createGunzip(),
    'x-gzip': () => zlib.createGunzip(),
    deflate: () => zlib.createInflate(),
    br: () => zlib.createBrotliDecompress(),
    zstd: () => zlib.createZstdDecompress(),
  };
  const decoder = make[encoding]?.();
  if (!decoder) return message;
  message.once('error', (error) => decoder.destroy(error));
  return message.pipe(decoder);
};

export const createBody = (
  message: IncomingMessage,
  client: ClientRequest,
  request: HttpRequest,
  target: string,
): Required<Pick<HttpResponse, 'read' | 'readBytes' | 'text'>> => {
  let outcome: BodyOutcome | undefined;
  let finish: ((outcome: BodyOutcome) => void) | undefined;
  let silence: NodeJS.Timeout | undefined;
  /** Headers are not the answer: a limit on the first byte holds for the body too. */
  const first =
    request.firstByteTimeoutMs === undefined
      ? undefined
      : setTimeout(
          () => fail('silence_timeout', `${target} sent no answer within ${request.firstByteTimeoutMs} ms`),
          request.firstByteTimeoutMs,
        );

  const end = (result: BodyOutcome): void => {
    if (outcome) return;
    outcome = result;
    clearTimeout(silence);
    clearTimeout(first);
    request.signal.removeEventListener('abort', cancel);
    if (!result.ok) client.destroy();
    finish?.(result);
  };
  const fail = (kind: HttpFailure['kind'], text: string): void => end({ ok: false, error: { kind, message: text } });
  const cancel = (): void => fail('cancelled', 'the request was cancelled');
  /** The reader is at work with a piece: the silence is ours. */
  let taking = false;
  const onSilence = (): void => {
    if (taking || (request.silenceCounts && !request.silenceCounts())) silence?.refresh();
    else fail('silence_timeout', `${target} sent nothing more for ${request.silenceTimeoutMs} ms`);
  };
  const watch = (): void => {
    if (outcome) return;
    clearTimeout(first);
    if (silence) silence.refresh();
    else if (request.silenceTimeoutMs !== undefined) silence = setTimeout(onSilence, request.silenceTimeoutMs);
  };

  request.signal.addEventListener('abort', cancel, { once: true });
  // An aborted signal calls no new listener.
  if (request.signal.aborted) cancel();
  const stream = unpacked(message);
  const onError = (error: unknown): void => end({ ok: false, error: describeError(error, target, true) });
  stream.on('error', onError);
  client.on('error', onError);
  message.on('close', () => {
    if (!message.complete) fail('disconnected', `the connection to ${target} was closed in the middle of the answer`);
  });

  /** True while the bytes still fit into what was asked for. */
  let received = 0;
  const take = (bytes: Buffer): boolean => {
    watch();
    received += bytes.length;
    if (received <= request.maxResponseBytes) return true;
    fail('too_large', `the answer of ${target} is larger than ${request.maxResponseBytes} bytes`);
    return false;
  };
  const succeedNow = (): void => end({ ok: true, value: undefined });

  const read = (onChunk: (text: string) => void): Promise<BodyOutcome> => {
    if (outcome) return Promise.resolve(outcome);
    return new Promise((resolve) => {
      finish = resolve;
      const decoder = new StringDecoder('utf8');
      stream.on('data', (bytes: Buffer) => {
        if (outcome || !take(bytes)) return;
        const text = decoder.write(bytes);
        if (text !== '') onChunk(text);
      });
      stream.on('end', () => {
        const rest = decoder.end();
        if (rest !== '' && !outcome) onChunk(rest);
        succeedNow();
      });
    });
  };

  const readBytes = (onChunk: (bytes: Uint8Array) => void | Promise<void>): Promise<BodyOutcome> => {
    if (outcome) return Promise.resolve(outcome);
    return new Promise((resolve, reject) => {
      finish = resolve;
      const work = async (bytes: Buffer): Promise<void> => {
        stream.pause();
        taking = true;
        await onChunk(bytes);
        taking = false;
        watch();
        if (!outcome) stream.resume();
      };
      stream.on('data', (bytes: Buffer) => {
        if (outcome || !take(bytes)) return;
        work(bytes).catch((error: unknown) => {
          client.destroy();
          reject(error);
        });
      });
      stream.on('end', succeedNow);
    });
  };

  return {
    read,
    readBytes,
    text: async () => {
      const parts: string[] = [];
      const result = await read((text) => parts.push(text));
      return result.ok ? { ok: true, value: parts.join('') } : result;
    },
  };
};
