/** The processes of the bench, one of each: a model server, a bare proxy, halter as a gateway, halter with sessions. */

import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import type { ModelProvider } from '../../src/core/model-port.ts';
import { createApp, listen, openHalter } from '../../src/server/index.ts';
import { agentOptions, type TestAgentOptions } from '../../src/testing/test-agent.ts';

const TOKEN = 'a-token-of-the-bench';
const PIECES = Array.from({ length: 200 }, (_, index) => `word${index} `);
const PIECE_MS = 30;
const ANSWER_PIECES = 40;

const [role = '', upstreamPort = ''] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'halter-bench-'));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
process.on('SIGTERM', () => process.exit());
process.on('disconnect', () => process.exit());
process.on('message', (question) => {
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage();
    process.send?.(user + system);
  } else {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    process.send?.({ rss, heap: heapUsed });
  }
});

const head = { id: 'chatcmpl-1', created: 1, model: 'm' };
const chunk = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const USAGE = { prompt_tokens: 5, completion_tokens: 200, total_tokens: 205 };
const STREAM = [
  ...PIECES.map((content) => chunk({ content })),
  chunk({}, 'stop'),
  `data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', choices: [], usage: USAGE })}\n\n`,
  'data: [DONE]\n\n',
];
const WHOLE = JSON.stringify({
  ...head,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: PIECES.join('') }, finish_reason: 'stop' }],
  usage: USAGE,
});

/** A model that writes a few tokens a packet, as servers do. */
const upstream = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer(async (request, response) => {
      if (request.method === 'GET') {
        response.end(JSON.stringify({ object: 'list', data: [{ id: 'm', object: 'model', max_model_len: 32_768 }] }));
        return;
      }
      let body = '';
      for await (const part of request) body += part;
      if (!(JSON.parse(body) as { stream?: boolean }).stream) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(WHOLE);
        return;
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      for (const [index, piece] of STREAM.entries()) {
        response.write(piece);
        if (index % 4 === 3) await new Promise(setImmediate);
      }
      response.end();
    }).listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
  });

const proxy = (): Promise<number> =>
  new Promise((resolve) => {
    const app = new Hono();
    app.post('/v1/chat/completions', async (context) => {
      const answer = await fetch(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: await context.req.text(),
      });
      return new Response(answer.body, { headers: { 'content-type': answer.headers.get('content-type') ?? '' } });
    });
    serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => resolve(port));
  });

const halter = async (options: Partial<TestAgentOptions>): Promise<number> => {
  const environment = { HOME: folder, PATH: process.env['PATH'] };
  const opened = await openHalter(agentOptions({ folder, environment, sandbox: false, ...options }));
  const app = createApp({ halter: opened, token: TOKEN, onDefect: (error) => console.error(error) });
  const listening = await listen(app, { host: '127.0.0.1', port: 0, ownProcess: true });
  if (!listening.ok) throw new Error(listening.error.message);
  return listening.value.port;
};

/** Says a piece at a time, as a local model does. */
const pacedModel: ModelProvider = {
  name: 'paced',
  endpoint: 'paced:',
  async stream(_request, emit, signal) {
    for (const delta of PIECES.slice(0, ANSWER_PIECES)) {
      if (signal.aborted) return { ok: false, error: { code: 'cancelled', message: 'cancelled' }, partial: true };
      emit({ type: 'text_delta', delta });
      await wait(PIECE_MS);
    }
    return { ok: true, answer: { calls: [], finish: 'stop' } };
  },
  models: async () => ({ ok: true, models: [{ id: 'm' }] }),
  describe: async (id) => ({ ok: true, model: { id, context_length: 32_768 } }),
  close: async () => undefined,
};

const PARTS: Readonly<Record<string, () => Promise<number>>> = {
  upstream,
  proxy,
  gateway: () => halter({ provider: 'openai', baseUrl: `http://127.0.0.1:${upstreamPort}/v1`, model: 'm' }),
  server: () => halter({ modelProvider: pacedModel, model: 'm' }),
};

const port = await PARTS[role]?.();
process.send?.({ port });
