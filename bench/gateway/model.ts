/** A model server that does what a trap says, byte by byte. It speaks chat completions, as llama.cpp does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Chunk = Record<string, unknown>;

/** One answer of the model: deltas in their order, or something that is no answer at all. */
export type Reply = {
  deltas?: readonly Chunk[];
  finish?: string;
  usage?: { prompt_tokens: number; completion_tokens: number };
  /** In the place of an answer. */
  status?: { code: number; body: string; headers?: Record<string, string> };
  /** The connection ends after the deltas, without a finish. */
  breaksOff?: boolean;
};

export type ModelRequest = {
  messages: readonly Record<string, unknown>[];
  tools: readonly { name: string }[];
  /** As it came. */
  text: string;
};

export type ModelServer = {
  url: string;
  requests: ModelRequest[];
  reply: (request: ModelRequest, index: number) => Reply;
  close(): Promise<void>;
};

export const startModel = async (): Promise<ModelServer> => {
  const model: ModelServer = { url: '', requests: [], reply: () => ({}), close: async () => {} };
  const server = createServer((request, response) => {
    void answer(model, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  model.url = `http://127.0.0.1:${address.port}`;
  model.close = () =>
    new Promise((resolve) => {
      server.closeAllConnections();
      server.close(() => resolve());
    });
  return model;
};

const answer = async (model: ModelServer, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  if (request.method === 'GET') {
    const path = request.url ?? '';
    if (!path.endsWith('/models')) return void response.writeHead(404).end('{}');
    response.writeHead(200, { 'content-type': 'application/json' });
    return void response.end(
      JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', context_length: 32_768 }] }),
    );
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  const body = JSON.parse(text) as Record<string, unknown>;
  const tools = (body['tools'] ?? []) as { function: { name: string } }[];
  const seen: ModelRequest = {
    messages: body['messages'] as ModelRequest['messages'],
    tools: tools.map((tool) => tool.function),
    text,
  };
  model.requests.push(seen);
  const reply = model.reply(seen, model.requests.length - 1);
  if (reply.status) {
    response.writeHead(reply.status.code, { 'content-type': 'application/json', ...reply.status.headers });
    return void response.end(reply.status.body);
  }
  const usage = reply.usage ?? { prompt_tokens: Math.ceil(text.length / 4), completion_tokens: 20 };
  if (body['stream'] === true) stream(reply, usage, response);
  else whole(reply, usage, response);
};

const stream = (reply: Reply, usage: object, response: ServerResponse): void => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (choices: readonly object[], more: object = {}): void => {
    const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more };
    response.write(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  for (const delta of reply.deltas ?? []) send([{ index: 0, delta, finish_reason: null }]);
  if (reply.breaksOff) return void response.destroy();
  send([{ index: 0, delta: {}, finish_reason: reply.finish ?? 'stop' }]);
  send([], { usage });
  response.end('data: [DONE]\n\n');
};

type CallPart = { index?: number; id?: string; function?: { name?: string; arguments?: unknown } };

/** The same deltas as one message, for clients that do not stream. */
const whole = (reply: Reply, usage: object, response: ServerResponse): void => {
  const message: Record<string, unknown> = { role: 'assistant', content: '' };
  const calls: CallPart[] = [];
  for (const delta of reply.deltas ?? []) {
    for (const key of ['content', 'reasoning_content']) {
      if (typeof delta[key] === 'string') message[key] = `${message[key] ?? ''}${delta[key]}`;
    }
    for (const part of (delta['tool_calls'] ?? []) as CallPart[]) addPart(calls, part);
  }
  if (calls.length > 0) message['tool_calls'] = calls.map((call) => ({ type: 'function', ...call }));
  response.writeHead(200, { 'content-type': 'application/json' });
  if (reply.breaksOff) {
    response.write('{"id": "c", "choices": [');
    return void response.destroy();
  }
  const choices = [{ index: 0, message, finish_reason: reply.finish ?? 'stop' }];
  response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }));
};

const addPart = (calls: CallPart[], part: CallPart): void => {
  const last = calls.at(-1);
  const goesOn = part.id === undefined && last !== undefined && part.function?.name === undefined;
  if (!goesOn)
    return void calls.push({ id: part.id ?? `c${calls.length}`, function: { arguments: '', ...part.function } });
  const before = last.function?.arguments;
  last.function = { ...last.function, arguments: `${before ?? ''}${part.function?.arguments ?? ''}` };
};
