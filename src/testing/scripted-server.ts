/**
 * A model server that says what a script says, over real sockets, in OpenAI's and in Ollama's protocol. It records
 * every request, and it can fail in all the ways that real servers do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../core/json.ts';
import { thrownText } from '../core/thrown-text.ts';
import { informationFor, type ScriptedModel, type ServedRoutes } from './scripted-server/models.ts';
import { playPull, removeModel, type ScriptedPulls } from './scripted-server/ollama-admin.ts';
import { playTurn } from './scripted-server/play-turn.ts';
import type { ScriptedRequest } from './scripted-server/request.ts';
import type { ScriptedServerTurn } from './scripted-server/turn.ts';

export type { ScriptedRequest } from './scripted-server/request.ts';

export type ScriptedTurnSource =
  | ScriptedServerTurn
  | ((request: ScriptedRequest) => ScriptedServerTurn | Promise<ScriptedServerTurn>);

export type ScriptedServerOptions = {
  /** One for each model request in order, or one function for all of them. Past the end the server answers 400. */
  turns?:
    | readonly ScriptedTurnSource[]
    | ((request: ScriptedRequest) => ScriptedServerTurn | Promise<ScriptedServerTurn>);
  /** Default: one model, `test-model`. */
  models?: readonly ScriptedModel[];
  /** Answers 404 in the server's own words for a model that is not in `models`. */
  strictModels?: boolean;
  /** Which servers' own routes are there besides the chat routes of both protocols. Default: all. */
  serves?: readonly ServedRoutes[];
  /** What Ollama's `/api/pull` says; absent: the model is there after three lines. */
  pulls?: ScriptedPulls;
  /** A key that every request must bear. */
  apiKey?: string;
  /** Where it listens: that of a server that was closed, so that it is back. Default: any that is free. */
  port?: number;
};

export type ScriptedServer = {
  /** `http://127.0.0.1:PORT`: Ollama's base. */
  readonly url: string;
  /** `http://127.0.0.1:PORT/v1`: OpenAI's base. */
  readonly openaiUrl: string;
  readonly port: number;
  /** Model requests only. */
  readonly requests: ScriptedRequest[];
  /** Every request as `METHOD /path`. */
  readonly paths: string[];
  /** The `authorization` of each request that had one. */
  readonly authorizations: string[];
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
};

const readBody = async (message: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
};

const parseObject = (text: string): JsonObject => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
};

const sendJson = (response: ServerResponse, value: JsonObject, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(value));
};

const errorJson = (protocol: 'openai' | 'ollama', message: string): JsonObject =>
  protocol === 'ollama' ? { error: message } : { error: { message, type: 'invalid_request_error' } };

export const startScriptedServer = async (options: ScriptedServerOptions = {}): Promise<ScriptedServer> => {
  const models = [...(options.models ?? [{ id: 'test-model' }])];
  const serves = new Set<ServedRoutes>(options.serves ?? ['ollama', 'openai', 'llama-cpp', 'lm-studio']);
  const requests: ScriptedRequest[] = [];
  const paths: string[] = [];
  const authorizations: string[] = [];

  const turnFor = (request: ScriptedRequest): ScriptedServerTurn | Promise<ScriptedServerTurn> => {
    const turns = options.turns ?? [];
    const source = typeof turns === 'function' ? turns : turns[request.number];
    if (source === undefined) {
      const message = `the script has no turn ${request.number}`;
      return { status: 400, body: JSON.stringify(errorJson(request.protocol, message)) };
    }
    return typeof source === 'function' ? source(request) : source;
  };

  const known = (id: unknown): ScriptedModel | undefined =>
    models.find((model) => model.id === id || `${model.id}:latest` === id || model.id === `${String(id)}:latest`);

  const unknownModel = (response: ServerResponse, protocol: 'openai' | 'ollama', name: string): void =>
    sendJson(
      response,
      errorJson(
        protocol,
        protocol === 'ollama'
          ? `model "${name}" not found, try pulling it first`
          : `The model \`${name}\` does not exist.`,
      ),
      404,
    );

  const answerModel = async (
    response: ServerResponse,
    message: IncomingMessage,
    protocol: 'openai' | 'ollama',
    text: string,
  ): Promise<void> => {
    const request: ScriptedRequest = {
      protocol,
      number: requests.length,
      path: message.url ?? '',
      headers: Object.fromEntries(Object.entries(message.headers).map(([name, value]) => [name, String(value)])),
      body: parseObject(text),
      text,
      ended: new Promise((resolve) => {
        response.once('close', () => resolve(response.writableFinished));
      }),
    };
    const name = String(request.body['model'] ?? '');
    requests.push(request);
    if (options.strictModels && !known(name)) {
      unknownModel(response, protocol, name);
      return;
    }
    await playTurn(response, await turnFor(request), request);
  };

  const handle = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    const text = await readBody(message);
    const path = (message.url ?? '').split('?')[0] ?? '';
    paths.push(`${message.method} ${path}`);
    if (message.headers.authorization !== undefined) authorizations.push(message.headers.authorization);
    if (options.apiKey !== undefined && message.headers.authorization !== `Bearer ${options.apiKey}`) {
      sendJson(response, errorJson('openai', 'Invalid API key'), 401);
      return;
    }
    if (message.method === 'POST' && path.endsWith('/chat/completions')) {
      await answerModel(response, message, 'openai', text);
    } else if (message.method === 'POST' && path === '/api/chat') {
      await answerModel(response, message, 'ollama', text);
    } else if (message.method === 'POST' && path === '/api/pull' && serves.has('ollama')) {
      await playPull(response, models, String(parseObject(text)['model']), options.pulls);
    } else if (message.method === 'DELETE' && path === '/api/delete' && serves.has('ollama')) {
      const model = String(parseObject(text)['model']);
      if (removeModel(models, model)) sendJson(response, {});
      else unknownModel(response, 'ollama', model);
    } else {
      const asked = parseObject(text);
      const wanted = asked['model'] ?? asked['name'];
      const information = informationFor(path, { models, serves, asked: known(wanted) });
      if (information) sendJson(response, information);
      else if (path === '/api/show') unknownModel(response, 'ollama', String(wanted));
      else sendJson(response, errorJson('openai', `no route ${path}`), 404);
    }
  };

  const server = createServer((message, response) => {
    // A client that goes away in the middle is part of many tests, not a failure of the server.
    response.on('error', () => undefined);
    handle(message, response).catch((error: unknown) => {
      if (!response.headersSent)
        sendJson(response, errorJson('openai', `the script failed: ${thrownText(error)}`), 400);
      else response.destroy();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { url, openaiUrl: `${url}/v1`, port, requests, paths, authorizations, close, [Symbol.asyncDispose]: close };
};
