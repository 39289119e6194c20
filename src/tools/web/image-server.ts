/** One image server: its address, its key, JSON there and back, and how it is asked to stop. */
import type { JsonObject, JsonValue } from '../../core/json.ts';
import type { ToolContext } from '../../core/tool.ts';
import { fail, type ToolOutput } from '../../core/tool-result.ts';
import type { ImageSettings } from '../../core/web-settings.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { cutText, oneLine } from './clean-text.ts';
import { statusFailure, type WebAnswer, type WebRequest, webRequest } from './get.ts';

export type ImageRequest = { prompt: string; width: number; height: number; steps: number; guidance_scale: number };
export type ImageOutcome = { ok: true; bytes: Uint8Array } | { ok: false; output: ToolOutput };
export type JsonOutcome = { ok: true; value: JsonValue } | { ok: false; output: ToolOutput };

export type ImageServer = {
  context: ToolContext;
  settings: ImageSettings;
  address(path: string): string;
  send(request: Omit<WebRequest, 'timeoutMs'> & { timeoutMs?: number }): Promise<ReturnType<typeof answerOf>>;
  json(method: 'GET' | 'POST', path: string, body?: JsonObject, timeoutMs?: number): Promise<JsonOutcome>;
  /** Sent although the call is over: it asks the server to stop. */
  tell(path: string, body?: JsonObject): void;
};
const answerOf = (answer: WebAnswer): { ok: true; answer: WebAnswer } | { ok: false; output: ToolOutput } =>
  answer.status === 200 || answer.status === 202 ? { ok: true, answer } : { ok: false, output: refusal(answer) };

const parse = (bytes: Uint8Array): JsonValue | undefined => {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as JsonValue;
  } catch {
    return undefined;
  }
};

/** The value at a path of names and indexes, or undefined. */
export const at = (value: JsonValue | undefined, ...path: (string | number)[]): JsonValue | undefined => {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null || !Object.hasOwn(found, name)) return undefined;
    found = (found as Record<string | number, JsonValue>)[name];
  }
  return found;
};

const refusal = (answer: WebAnswer): ToolOutput => {
  const json = parse(answer.bytes);
  const words = [at(json, 'error', 'message'), at(json, 'error'), at(json, 'detail'), at(json, 'message')].find(
    (value) => typeof value === 'string',
  );
  return statusFailure(answer, cutText(oneLine(String(words ?? '')), TOOL_LIMITS.webSearchSnippetCharacters));
};

export const protocol = (what: string): { ok: false; output: ToolOutput } => ({
  ok: false,
  output: fail('io_error', `The image server's answer is not what was expected: ${what}.`, { reason: 'protocol' }),
});

export const fromBase64 = (value: JsonValue | undefined): ImageOutcome => {
  if (typeof value !== 'string') return protocol('there is no picture in it');
  // Some send it as a data: address.
  const bytes = Buffer.from(value.slice(value.indexOf(',') + 1), 'base64');
  return bytes.length > 0 ? { ok: true, bytes } : protocol('the picture in it is empty');
};

export const connectImageServer = (context: ToolContext, settings: ImageSettings): ImageServer => {
  const base = settings.url.endsWith('/') ? settings.url : `${settings.url}/`;
  const authorization: Record<string, string> =
    settings.key === undefined ? {} : { authorization: `Bearer ${settings.key}` };
  const server: ImageServer = {
    context,
    settings,
    address: (path) => new URL(path, base).href,
    async send(request) {
      const sent = await webRequest(context, {
        maxResponseBytes: TOOL_LIMITS.imageResponseBytes,
        timeoutMs: TOOL_LIMITS.imageTimeoutMs,
        ...request,
        personsWord: request.personsWord ?? true,
      });
      return sent.ok ? answerOf(sent.answer) : sent;
    },
    async json(method, path, body, timeoutMs) {
      const sent = await server.send({
        method,
        url: server.address(path),
        headers: { accept: 'application/json', 'content-type': 'application/json', ...authorization },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      if (!sent.ok) return sent;
      const value = parse(sent.answer.bytes);
      return value === undefined ? protocol('it is no JSON') : { ok: true, value };
    },
    tell(path, body = {}) {
      const late = { ...context, signal: AbortSignal.timeout(TOOL_LIMITS.imageProbeTimeoutMs) };
      void webRequest(late, {
        method: 'POST',
        url: server.address(path),
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify(body),
        personsWord: true,
        timeoutMs: TOOL_LIMITS.imageProbeTimeoutMs,
      });
    },
  };
  return server;
};

export const pause = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, TOOL_LIMITS.imagePollMs);
    signal.addEventListener('abort', done, { once: true });
    if (signal.aborted) done();
  });

/** Runs `stop` if the person cancels or time is up while `work` goes on. */
export const stoppable = async <T>(server: ImageServer, stop: () => void, work: () => Promise<T>): Promise<T> => {
  const { signal } = server.context;
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

export const reporter = (context: ToolContext) => {
  let last = '';
  return (text: string): void => {
    if (text !== last) context.report(`${text}\n`);
    last = text;
  };
};
