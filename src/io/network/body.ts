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

type Readers = Required<Pick<HttpResponse, 'read' | 'readBytes' | 'text'>>;

export const createBody = (
  message: IncomingMessage,
  client: ClientRequest,
  request: HttpRequest,
  target: string,
): Readers => {
  const body = new Body(client, request, target);
  const stream = body.listenTo(message);
  const read: Readers['read'] = (onChunk) => body.read(stream, onChunk);
  return {
    read,
    readBytes: (onChunk) => body.readBytes(stream, onChunk),
    text: async () => {
      const parts: string[] = [];
      const result = await read((text) => parts.push(text));
      return result.ok ? { ok: true, value: parts.join('') } : result;
    },
  };
};

class Body {
  readonly #client: ClientRequest;
  readonly #request: HttpRequest;
  readonly #target: string;
  readonly #cancel = (): void => this.#fail('cancelled', 'the request was cancelled');
  #outcome: BodyOutcome | undefined;
  #finish: ((outcome: BodyOutcome) => void) | undefined;
  #takeWaiting: (() => void) | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** Headers are not the answer: a limit on the first byte holds for the body too. */
  readonly #first: NodeJS.Timeout | undefined;
  /** The reader is at work with a piece: the silence is ours. */
  #isTaking = false;
  #received = 0;

  constructor(client: ClientRequest, request: HttpRequest, target: string) {
    this.#client = client;
    this.#request = request;
    this.#target = target;
    const { firstByteTimeoutMs: limit, signal } = request;
    const onLate = (): void => this.#fail('silence_timeout', `${target} sent no answer within ${limit} ms`);
    this.#first = limit === undefined ? undefined : setTimeout(onLate, limit);
    signal.addEventListener('abort', this.#cancel, { once: true });
    // An aborted signal calls no new listener.
    if (signal.aborted) this.#cancel();
  }

  /** The unpacked bytes of a response, whose faults end this body. */
  listenTo(message: IncomingMessage): Readable {
    const stream = unpacked(message);
    const onError = (error: unknown): void => {
      // What came before the fault is handed on.
      this.#takeWaiting?.();
      this.#end({ ok: false, error: describeError(error, this.#target, true) });
    };
    stream.on('error', onError);
    this.#client.on('error', onError);
    message.on('close', () => {
      if (message.complete) return;
      this.#takeWaiting?.();
      this.#fail('disconnected', `the connection to ${this.#target} was closed in the middle of the answer`);
    });
    return stream;
  }

  read(stream: Readable, onChunk: (text: string) => void): Promise<BodyOutcome> {
    if (this.#outcome) return Promise.resolve(this.#outcome);
    return new Promise((resolve) => {
      this.#finish = resolve;
      const decoder = new StringDecoder('utf8');
      // What came in one packet is read in one piece, however many chunks the server made of it.
      this.#takeWaiting = () => {
        for (let bytes = stream.read(); bytes !== null; bytes = stream.read()) {
          if (this.#outcome || !this.#take(bytes)) continue;
          const text = decoder.write(bytes);
          if (text !== '') onChunk(text);
        }
      };
      stream.on('readable', this.#takeWaiting);
      stream.on('end', () => {
        const rest = decoder.end();
        if (rest !== '' && !this.#outcome) onChunk(rest);
        this.#succeed();
      });
    });
  }

  readBytes(stream: Readable, onChunk: (bytes: Uint8Array) => void | Promise<void>): Promise<BodyOutcome> {
    if (this.#outcome) return Promise.resolve(this.#outcome);
    return new Promise((resolve, reject) => {
      this.#finish = resolve;
      const work = async (bytes: Buffer): Promise<void> => {
        stream.pause();
        this.#isTaking = true;
        await onChunk(bytes);
        this.#isTaking = false;
        this.#watch();
        if (!this.#outcome) stream.resume();
      };
      stream.on('data', (bytes: Buffer) => {
        if (this.#outcome || !this.#take(bytes)) return;
        work(bytes).catch((error: unknown) => {
          this.#client.destroy();
          reject(error);
        });
      });
      stream.on('end', () => this.#succeed());
    });
  }

  /** True while the bytes still fit into what was asked for. */
  #take(bytes: Buffer): boolean {
    this.#watch();
    this.#received += bytes.length;
    const { maxResponseBytes: most } = this.#request;
    if (this.#received <= most) return true;
    this.#fail('too_large', `the answer of ${this.#target} is larger than ${most} bytes`);
    return false;
  }

  /** Something came: the time of silence begins anew. */
  #watch(): void {
    if (this.#outcome) return;
    clearTimeout(this.#first);
    const { silenceTimeoutMs: limit } = this.#request;
    if (this.#silence) this.#silence.refresh();
    else if (limit !== undefined) this.#silence = setTimeout(() => this.#onSilence(), limit);
  }

  #onSilence(): void {
    const request = this.#request;
    if (this.#isTaking || request.silenceCounts?.() === false) this.#silence?.refresh();
    else this.#fail('silence_timeout', `${this.#target} sent nothing more for ${request.silenceTimeoutMs} ms`);
  }

  #succeed(): void {
    this.#end({ ok: true, value: undefined });
  }

  #fail(kind: HttpFailure['kind'], text: string): void {
    this.#end({ ok: false, error: { kind, message: text } });
  }

  #end(result: BodyOutcome): void {
    if (this.#outcome) return;
    this.#outcome = result;
    clearTimeout(this.#silence);
    clearTimeout(this.#first);
    this.#request.signal.removeEventListener('abort', this.#cancel);
    if (!result.ok) this.#client.destroy();
    this.#finish?.(result);
  }
}
