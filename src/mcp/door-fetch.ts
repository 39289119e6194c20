/** `fetch` over the one door to the network, for the protocol's own HTTP: the ledger and `--offline` hold for it. */
import type { FetchLike } from '@modelcontextprotocol/client';
import { LIMITS } from '../core/limits.ts';
import type { HttpRequest, HttpResponse, Network } from '../core/ports.ts';

const METHODS: ReadonlySet<string> = new Set(['GET', 'POST', 'DELETE', 'PUT', 'HEAD']);
/** Answers that may hold no body. */
const EMPTY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

const bodyOf = (response: HttpResponse, abort: () => void): ReadableStream<Uint8Array> => {
  let isCancelled = false;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const read = response.readBytes
        ? response.readBytes((bytes) => {
            if (!isCancelled) controller.enqueue(bytes);
          })
        : response.read((text) => {
            if (!isCancelled) controller.enqueue(encoder.encode(text));
          });
      void read.then((end) => {
        if (isCancelled) return;
        if (end.ok) controller.close();
        else controller.error(new Error(end.error.message));
      });
    },
    cancel() {
      isCancelled = true;
      abort();
    },
  });
};

/** The address is the person's own setting, so it may lie in a private network. */
export const doorFetch =
  (network: Network): FetchLike =>
  async (address, init = {}) => {
    const method = init.method ?? 'GET';
    if (!METHODS.has(method)) throw new TypeError(`the method ${method} is not used by MCP`);
    const { body } = init;
    if (body !== undefined && body !== null && typeof body !== 'string') throw new TypeError('only text is sent');
    const controller = new AbortController();
    const given = init.signal;
    const abort = (): void => controller.abort();
    if (given?.aborted) abort();
    given?.addEventListener('abort', abort, { once: true });
    const request: HttpRequest = {
      method: method as HttpRequest['method'],
      url: String(address),
      headers: Object.fromEntries(new Headers(init.headers)),
      ...(typeof body === 'string' ? { body } : {}),
      signal: controller.signal,
      connectTimeoutMs: LIMITS.mcpConnectTimeoutMs,
      maxResponseBytes: LIMITS.mcpResponseBytes,
      personsWord: true,
    };
    const sent = await network.request(request);
    if (!sent.ok) {
      given?.removeEventListener('abort', abort);
      if (sent.error.kind === 'cancelled') throw new DOMException(sent.error.message, 'AbortError');
      throw new TypeError(sent.error.message);
    }
    const { status, headers } = sent.value;
    const hasBody = !EMPTY.has(status) && method !== 'HEAD';
    if (!hasBody) void sent.value.text();
    return new Response(hasBody ? bodyOf(sent.value, abort) : null, { status, headers });
  };
