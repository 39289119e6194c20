/** A model server on this machine that answers as a case wants, broken answers included. Speaks OpenAI's API. */
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import type { JsonObject, JsonValue } from '../../src/core/json.ts';

export type Reply = {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  /** Written one after the other; `!close` cuts the connection, `!hang` leaves it open and says nothing more. */
  stream?: readonly string[];
  delayMs?: number;
  /** So many of the stream's parts in a second; absent: as fast as they are taken. */
  perSecond?: number;
};
/** Some servers send the arguments as an object. */
export type ScriptedCall = { id?: string; name: string; arguments: string | JsonObject };

export type ModelServer = {
  baseUrl: string;
  /** When each question came, in milliseconds, and what it held. */
  requests: { at: number; body: JsonValue; headers: http.IncomingHttpHeaders }[];
  close(): void;
};

export const MODEL = 'test-model';

const event = (value: JsonValue): string => `data: ${JSON.stringify(value)}\n\n`;
const delta = (value: JsonValue, finish: string | null): string =>
  event({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: value, finish_reason: finish }] });

/** Words in the pieces given, then calls. */
export const answer = (pieces: readonly string[], calls: readonly ScriptedCall[] = []): Reply => ({
  stream: [
    ...pieces.map((content) => delta({ content }, null)),
    ...calls.map((call, index) =>
      delta(
        {
          tool_calls: [
            {
              index,
              type: 'function',
              ...(call.id === undefined ? {} : { id: call.id }),
              function: { name: call.name, arguments: call.arguments },
            },
          ],
        },
        null,
      ),
    ),
    delta({}, calls.length > 0 ? 'tool_calls' : 'stop'),
    'data: [DONE]\n\n',
  ],
});

const WINDOW_TOKENS = 32_768;

/** `windowTokens`: what its model says that it can read. */
export const startModelServer = async (
  model: string,
  script: (number: number) => Reply,
  windowTokens = WINDOW_TOKENS,
): Promise<ModelServer> => {
  const requests: ModelServer['requests'] = [];
  const server = http.createServer(async (request, response) => {
    if (request.method !== 'POST') {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ object: 'list', data: [{ id: model, object: 'model', max_model_len: windowTokens }] }),
      );
      return;
    }
    const body = JSON.parse((await readText(request)) || 'null') as JsonValue;
    requests.push({ at: performance.now(), body, headers: request.headers });
    await play(script(requests.length - 1), response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

const play = async (reply: Reply, response: http.ServerResponse): Promise<void> => {
  if (reply.delayMs !== undefined) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, reply.delayMs);
      response.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  const type = reply.stream ? 'text/event-stream' : 'application/json';
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...lowerCased(reply.headers) });
  if (!reply.stream) {
    response.end(reply.body ?? '');
    return;
  }
  const started = performance.now();
  for (const [index, part] of reply.stream.entries()) {
    const due = reply.perSecond === undefined ? 0 : (index / reply.perSecond) * 1_000 - (performance.now() - started);
    // A timer is no finer than this.
    if (due > TICK_MS) await new Promise((resolve) => setTimeout(resolve, due));
    if (part === '!hang') return;
    if (part === '!close') {
      response.destroy();
      return;
    }
    // In slices, so that a line of many megabytes is never held twice.
    for (let at = 0; at < part.length; at += SLICE)
      await new Promise((resolve) => response.write(part.slice(at, at + SLICE), resolve));
  }
  response.end();
};

const SLICE = 64 * 1024;
const TICK_MS = 4;

const lowerCased = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
