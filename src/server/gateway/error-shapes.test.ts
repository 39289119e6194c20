/** Whatever is wrong with a request, it is told in the shape that the clients of its API read. */
import { once } from 'node:events';
import net from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { errorIn, type Shape } from '../../../tests/support/error-shapes.ts';
import { NO_BODIES } from '../../../tests/support/malformed-requests.ts';
import { testServer } from '../../../tests/support/test-server.ts';
import { WIRES } from '../../../tests/support/wire-cases.ts';
import type { JsonObject } from '../../core/json.ts';
import { listen } from '../index.ts';
import { SERVER_LIMITS } from '../limits.ts';

type Headers = Record<string, string>;
type Sent = { method: string; path: string; body?: JsonObject | string; headers?: Headers };
/** `shared`: halter's own shape, in a body that Ollama's clients show as it is. */
type Told = Shape | 'shared';

const OLLAMA: Headers = { 'user-agent': 'ollama-js/0.6.4 (x64 linux)' };
const ANTHROPIC: Headers = { 'anthropic-version': '2023-06-01' };

/** Told `undefined` where the answer is no error of the shape that is wanted. */
const said = async (shape: Told, response: Response): Promise<string | undefined> => {
  const type = response.headers.get('content-type') ?? '';
  // As the package `ollama` decides what it reads.
  if (type.includes('application/json') !== (shape !== 'shared')) return undefined;
  return errorIn(shape === 'shared' ? 'halter' : shape, (await response.json()) as JsonObject);
};

/** Paths with a model in their bodies. */
const ASKED: readonly [shape: Shape, path: string, body: JsonObject][] = [
  ...WIRES.map((wire): [Shape, string, JsonObject] => {
    const shape = wire.path.startsWith('/api/') ? 'ollama' : wire.name === 'messages' ? 'anthropic' : 'openai';
    return [shape, wire.path, wire.body({})];
  }),
  ['anthropic', '/v1/messages/count_tokens', { model: 'm', messages: [{ role: 'user', content: 'x' }] }],
  ['openai', '/v1/embeddings', { model: 'm', input: 'x' }],
  ['ollama', '/api/generate', { model: 'm', prompt: 'x', stream: false }],
  ['ollama', '/api/show', { model: 'm' }],
  ['ollama', '/api/embed', { model: 'm', input: 'x' }],
  ['ollama', '/api/embeddings', { model: 'm', prompt: 'x' }],
];
const LISTED: readonly [Shape, string][] = [
  ['openai', '/v1/models'],
  ['openai', '/v1/models/m'],
  ['ollama', '/api/tags'],
  ['ollama', '/api/ps'],
  ['ollama', '/api/version'],
];
const NOT_THERE: readonly [shape: Told, method: string, path: string, headers?: Headers][] = [
  ['openai', 'GET', '/v1'],
  ['openai', 'GET', '/v1/'],
  ['openai', 'GET', '/v1/files'],
  ['openai', 'GET', '/v1/models/none'],
  ['openai', 'GET', '/v1/chat/completions/x', ANTHROPIC],
  ['openai', 'GET', '/v1/responses/none'],
  ['openai', 'POST', '/v1/images/generations'],
  ['anthropic', 'GET', '/v1/files', ANTHROPIC],
  ['anthropic', 'GET', '/v1/models/none', ANTHROPIC],
  ['ollama', 'GET', '/api/tags/x'],
  ['ollama', 'POST', '/api/generate/'],
  ['ollama', 'POST', '/api/web_search', OLLAMA],
  ['shared', 'POST', '/api/web_search'],
  ['shared', 'GET', '/api/nothing'],
  ['shared', 'GET', '/api'],
  ['shared', 'POST', '/api/chat/x'],
  ['halter', 'GET', '/nothing'],
  ['halter', 'POST', '/apiary'],
];

/** What no route does, with what to use in its place. */
const NOT_DONE: readonly [shape: Told, method: string, path: string, use: string][] = [
  ['openai', 'POST', '/v1/completions', '/v1/chat/completions'],
  // As programs ask that complete code while it is typed.
  ['openai', 'POST', '/v1/completions', 'the model server itself'],
  ['openai', 'POST', '/v1/engines/m/completions', '/v1/chat/completions'],
  ['openai', 'POST', '/v1/responses/resp_1/cancel', 'closed'],
  ['openai', 'POST', '/v1/responses/input_tokens', '/v1/messages/count_tokens'],
  ['openai', 'POST', '/v1/responses/compact', '/v1/responses'],
  ['openai', 'POST', '/v1/batches', 'its own path'],
  ['anthropic', 'POST', '/v1/complete', '/v1/messages'],
  ['anthropic', 'POST', '/v1/messages/batches', '/v1/messages'],
  ['anthropic', 'GET', '/v1/messages/batches/x', '/v1/messages'],
  ['ollama', 'POST', '/api/pull', 'halter models'],
  ['ollama', 'POST', '/api/push', 'halter models'],
  ['ollama', 'POST', '/api/create', 'halter models'],
  ['ollama', 'POST', '/api/copy', 'halter models'],
  ['ollama', 'DELETE', '/api/delete', 'halter models'],
  ['ollama', 'POST', '/api/blobs/sha256:0', 'halter models'],
];
/** As clients ask that were given a wrong address. */
const MISLED: readonly [shape: Told, method: string, path: string, headers?: Headers][] = [
  ['openai', 'POST', '/chat/completions'],
  ['openai', 'POST', '/completions'],
  ['openai', 'POST', '/responses'],
  ['openai', 'GET', '/models'],
  ['openai', 'POST', '/v1/v1/chat/completions'],
  ['anthropic', 'POST', '/v1/v1/messages', ANTHROPIC],
  ['ollama', 'POST', '/v1/api/chat'],
];

/** Every fault before a route is reached; what a path belongs to alone decides. */
const refusals = (path: string, method: string): [status: number, Sent][] => [
  [401, { method, path, headers: { authorization: '' } }],
  [401, { method, path, headers: { authorization: 'Bearer wrong' } }],
  [403, { method, path, headers: { host: 'evil.example' } }],
  [403, { method, path, headers: { origin: 'http://evil.example' } }],
];
const WRONG_METHODS = ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

type Row = [shape: Told, status: number, sent: Sent];
const byHeaders = (rows: readonly Row[], headers: Headers): Row[] =>
  rows.map(([shape, status, sent]) => [shape, status, { ...sent, headers: { ...sent.headers, ...headers } }]);

const beforeRoutes = (shape: Told, method: string, path: string): Row[] => [
  ...refusals(path, method).map(([status, sent]): Row => [shape, status, sent]),
  ...WRONG_METHODS.filter((other) => other !== method).map((other): Row => [shape, 405, { method: other, path }]),
];
const tooLarge = (path: string): Sent => ({
  method: 'POST',
  path,
  body: '{}',
  headers: { 'content-length': String(SERVER_LIMITS.messageBytes + 1) },
});
const withoutBody = (shape: Told, path: string): Row[] => [
  ...NO_BODIES.filter(([, text, , status]) => !(path === '/api/show' && text === '{}' && status === 400)).map(
    ([, body, headers, status]): Row => [shape, status, { method: 'POST', path, ...(body ? { body } : {}), headers }],
  ),
  [shape, 413, tooLarge(path)],
];

const ROWS: readonly Row[] = [
  ...ASKED.flatMap(([shape, path, body]): Row[] => {
    // Halter's own clients send to the same path.
    const isShared = path === '/api/chat';
    const unread = isShared ? 'shared' : shape;
    return [
      ...beforeRoutes(unread, 'POST', path),
      ...withoutBody(unread, path),
      [shape, 404, { method: 'POST', path, body: { ...body, model: 'nobody' } }],
      [shape, 400, { method: 'POST', path, body: { ...body, model: 7 } }],
      ...(isShared ? byHeaders([...beforeRoutes('ollama', 'POST', path), ...withoutBody('ollama', path)], OLLAMA) : []),
    ];
  }),
  ...LISTED.flatMap(([shape, path]) =>
    beforeRoutes(shape, 'GET', path).filter(([, , { method }]) => method !== 'DELETE' || !path.includes('/models/')),
  ),
  ...byHeaders(
    refusals('/v1/models', 'GET').map(([status, sent]): Row => ['anthropic', status, sent]),
    ANTHROPIC,
  ),
  ...NOT_DONE.flatMap(([shape, method, path]): Row[] => [
    [shape, 501, { method, path }],
    [shape, 401, { method, path, headers: { authorization: '' } }],
  ]),
  ...[...NOT_THERE, ...MISLED].flatMap(([shape, method, path, headers = {}]): Row[] => [
    [shape, 404, { method, path, headers }],
    [shape, 401, { method, path, headers: { ...headers, authorization: '' } }],
  ]),
  // What halter's own clients say counts as theirs, whatever they are called.
  ['halter', 400, { method: 'POST', path: '/api/chat', body: { message: '' }, headers: OLLAMA }],
  ['halter', 400, { method: 'POST', path: '/api/chat', body: { chat_id: 'x' } }],
  ['shared', 400, { method: 'POST', path: '/api/chat', body: { stream: true } }],
  ['halter', 404, { method: 'POST', path: '/api/chat/none/cancel', body: {} }],
  ['halter', 401, { method: 'GET', path: '/api/tools', headers: { authorization: '' } }],
];

describe('an error of the server', () => {
  it(`has the shape of the API that was asked (${ROWS.length} faults)`, async () => {
    verifies('B2');
    const server = await testServer({ text: 'x' });
    const wrong: unknown[] = [];
    for (const [shape, status, { method, path, body, headers }] of ROWS) {
      const response = await server.call(method, path, body, headers);
      const text = await response.clone().text();
      if (response.status !== status || (await said(shape, response)) === undefined)
        wrong.push([shape, status, method, path, body, headers, response.status, text]);
    }
    expect(wrong).toEqual([]);
    expect(server.provider.requests).toEqual([]);
    expect(server.defects).toEqual([]);
  });

  it('says what to use in the place of what is not done here, and that it is of no use to ask again', async () => {
    const server = await testServer({ text: 'x' });
    for (const [shape, method, path, use] of NOT_DONE) {
      const response = await server.call(method, path);
      expect(response.headers.get('x-should-retry')).toBe('false');
      // No server behind halter was asked.
      expect(await response.clone().text()).not.toMatch(/upstream|api_error|server_error/);
      expect(await said(shape, response)).toContain(use);
    }
    for (const [shape, method, path, headers] of MISLED)
      expect(await said(shape, await server.call(method, path, undefined, headers))).toContain('The base URL of');
  });

  it.each(ASKED.filter(([, path]) => WIRES.some((wire) => wire.path === path) || path === '/api/generate'))(
    'has that shape where it is a defect: %s %s',
    async (shape, path, body) => {
      const server = await testServer(async () => {
        throw new Error('a bug');
      });
      const response = await server.call('POST', path, body);
      expect([response.status, await said(shape, response)]).toEqual([500, expect.stringContaining('defect')]);
    },
  );

  it('has that shape where the request never comes to a route', async () => {
    const listening = await listen(async () => new Response('here'), { host: '127.0.0.1', port: 0 });
    if (!listening.ok) throw new Error(listening.error.message);
    onTestFinished(() => listening.value.close());
    const ask = async (path: string, more = ''): Promise<string> => {
      const socket = net.connect(listening.value.port, '127.0.0.1');
      let text = '';
      socket.on('data', (chunk) => {
        text += String(chunk);
      });
      socket.end(`GET ${path} HTTP/1.1\r\nHost: a\r\nHost: b\r\n${more}\r\n`);
      await once(socket, 'close');
      return text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
    };
    const paths: [Shape, string][] = [
      ['openai', '/v1/models?x=1'],
      ['anthropic', '/v1/messages'],
      ['ollama', '/api/tags'],
      ['halter', '/api/tools'],
    ];
    for (const [shape, path] of paths)
      expect(errorIn(shape, JSON.parse(await ask(path)) as JsonObject), path).toContain('Host');
    expect(
      errorIn('anthropic', JSON.parse(await ask('/v1/models', 'Anthropic-Version: 1\r\n')) as JsonObject),
    ).toContain('Host');
  });
});
