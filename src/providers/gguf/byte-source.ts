/** Bytes of a model file, wherever it lies: on this machine, or behind an address that answers to ranges. */
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { HttpResponse, Network } from '../../core/ports.ts';
import { PROVIDER_LIMITS } from '../limits.ts';
import { GGUF_LIMITS } from './limits.ts';
import { openModelFile } from './open-file.ts';

export type ByteSource = {
  /** How it is named in messages. */
  readonly name: string;
  /** Of the whole file; undefined until it is known. */
  size(): number | undefined;
  /** Fewer bytes than asked for only at the end of the file. */
  read(offset: number, length: number): Promise<Outcome<Uint8Array>>;
  close(): Promise<void>;
};

export const openLocalFile = async (file: string): Promise<Outcome<ByteSource>> => {
  try {
    const handle = await openModelFile(file);
    const stat = await handle.stat();
    if (!stat.isFile()) {
      await handle.close();
      return failure('validation_failed', `${file} is not a regular file.`);
    }
    return succeed({
      name: file,
      size: () => stat.size,
      async read(offset, length) {
        try {
          const bytes = new Uint8Array(Math.max(0, Math.min(length, stat.size - offset)));
          const { bytesRead } = await handle.read(bytes, 0, bytes.length, offset);
          return succeed(bytes.subarray(0, bytesRead));
        } catch (error) {
          return failure('io_error', `${file} cannot be read: ${(error as Error).message}`);
        }
      },
      close: () => handle.close(),
    });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'ENOENT'
      ? failure('not_found', `There is no file ${file}.`)
      : failure('io_error', `${file} cannot be read: ${code ?? message}`);
  }
};

/** Reads pieces by HTTP ranges. The hub sends on to a store of its own, so a few redirects are followed. */
export const openRemoteFile = (network: Network, url: string, signal: AbortSignal): ByteSource => {
  let size: number | undefined;
  let address = url;
  const ask = async (range: string): Promise<Outcome<HttpResponse>> => {
    for (let hop = 0; hop <= GGUF_LIMITS.redirects; hop += 1) {
      const answer = await network.request({
        method: 'GET',
        url: address,
        headers: { range, 'accept-encoding': 'identity' },
        signal,
        connectTimeoutMs: PROVIDER_LIMITS.modelConnectTimeoutMs,
        firstByteTimeoutMs: GGUF_LIMITS.silenceMs,
        silenceTimeoutMs: GGUF_LIMITS.silenceMs,
        maxResponseBytes: GGUF_LIMITS.pieceBytes + GGUF_LIMITS.extraBytes,
      });
      if (!answer.ok) return failure('io_error', `${url} cannot be read: ${answer.error.message}`);
      const { status, headers } = answer.value;
      if (![301, 302, 303, 307, 308].includes(status)) return succeed(answer.value);
      const next = URL.parse(headers['location'] ?? '', address);
      if (next === null || (address.startsWith('https:') && next.protocol !== 'https:')) {
        return failure('io_error', `${url} is sent on to an address that cannot be used.`);
      }
      address = next.href;
    }
    return failure('io_error', `${url} is sent on more than ${GGUF_LIMITS.redirects} times.`);
  };
  return {
    name: url,
    size: () => size,
    async read(offset, length) {
      const answer = await ask(`bytes=${offset}-${offset + Math.min(length, GGUF_LIMITS.pieceBytes) - 1}`);
      if (!answer.ok) return answer;
      const { status, headers, readBytes } = answer.value;
      if (status === 416) return succeed(new Uint8Array());
      if (status === 404) return failure('not_found', `There is no file at ${url} (status 404).`);
      if (status !== 206) {
        const what = status === 200 ? 'serves whole files only, not parts of them' : `answered with status ${status}`;
        return failure('io_error', `The server of ${url} ${what}.`);
      }
      const [, from, total] = /^bytes (\d+)-\d+\/(\d+|\*)\s*$/i.exec(headers['content-range'] ?? '') ?? [];
      // Bytes of another place would be read as numbers and names.
      if (Number(from) !== offset)
        return failure('io_error', `The server of ${url} sent another part of the file than it was asked for.`);
      if (total !== '*') size = Number(total);
      if (readBytes === undefined) return failure('io_error', 'This network port reads text only.');
      const pieces: Uint8Array[] = [];
      const read = await readBytes((bytes) => {
        pieces.push(bytes.slice());
      });
      return read.ok ? succeed(Buffer.concat(pieces)) : failure('io_error', `${url}: ${read.error.message}`);
    },
    close: async () => undefined,
  };
};
