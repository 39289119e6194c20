/**
 * What reading a stream costs, as a ratio to a loop written by hand for nothing else (node:http, split, JSON.parse):
 * 1 MB of text in 4-character deltas, the same one delta a packet, and 1 MB of tool arguments.
 *
 *   node bench/provider-stream.ts [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelPart } from '../src/core/model-port.ts';
import { createNetwork } from '../src/io/network.ts';
import { createProvider } from '../src/providers/index.ts';

const BYTES = 1_000_000;
const PIECE = 4;
const PACKETS = 20_000;

const TEXT = Array.from({ length: Math.ceil(BYTES / 40) }, (_, i) =>
  `Line ${i} says "x" and more of it. é\n`.padEnd(40, '.'),
)
  .join('')
  .slice(0, BYTES);
const ARGUMENTS = JSON.stringify({ path: 'a.txt', content: TEXT.slice(0, BYTES - TEXT.length / 20) });

const cut = (text: string, size: number): string[] => {
  const result: string[] = [];
  for (let start = 0; start < text.length; start += size) result.push(text.slice(start, start + size));
  return result;
};

const head = {
  id: 'chatcmpl-9f3a7c12',
  object: 'chat.completion.chunk',
  created: 1_761_955_200,
  model: 'qwen3-8b-instruct',
};
const openaiEvent = (delta: object, finish: string | null = null): string =>
  `data: ${JSON.stringify({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] })}\n\n`;
const ollamaLine = (message: object, more: object): string =>
  `${JSON.stringify({ model: 'qwen3:8b', created_at: '2026-11-01T10:20:30.123456789Z', message: { role: 'assistant', content: '', ...message }, ...more })}\n`;

const openaiText = (text: string): string[] => [
  ...cut(text, PIECE).map((content) => openaiEvent({ content })),
  openaiEvent({}, 'stop'),
  'data: [DONE]\n\n',
];
const BODIES: Record<string, () => string[]> = {
  '/text/v1/chat/completions': () => openaiText(TEXT),
  '/packets/v1/chat/completions': () => openaiText(TEXT.slice(0, PACKETS * PIECE)),
  '/arguments/v1/chat/completions': () => [
    openaiEvent({
      tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'write_file', arguments: '' } }],
    }),
    ...cut(ARGUMENTS, PIECE).map((piece) =>
      openaiEvent({ tool_calls: [{ index: 0, function: { arguments: piece } }] }),
    ),
    openaiEvent({}, 'tool_calls'),
    'data: [DONE]\n\n',
  ],
  '/text/api/chat': () => [
    ...cut(TEXT, PIECE).map((content) => ollamaLine({ content }, { done: false })),
    ollamaLine({}, { done: true, done_reason: 'stop', prompt_eval_count: 1, eval_count: 1 }),
  ],
};

/** In a process of its own, so that its work is not counted. */
const serve = (): void => {
  const ready = new Map<string, Buffer[]>();
  const server = createServer((asked, response) => {
    const path = asked.url ?? '';
    const make = BODIES[path];
    asked.resume();
    if (!make) {
      response.writeHead(404).end('{"error":"none"}');
      return;
    }
    const onePacketEach = path.startsWith('/packets');
    const pieces = (): Buffer[] => (onePacketEach ? make() : [make().join('')]).map((piece) => Buffer.from(piece));
    const body = ready.get(path) ?? pieces();
    ready.set(path, body);
    response.writeHead(200, {
      'content-type': path.endsWith('/api/chat') ? 'application/x-ndjson' : 'text/event-stream',
    });
    let position = 0;
    const next = (): void => {
      const piece = body[position];
      position += 1;
      if (piece === undefined) response.end();
      else response.write(piece, () => setImmediate(next));
    };
    next();
  });
  server.listen(0, '127.0.0.1', () => console.log((server.address() as AddressInfo).port));
};

type Chunk = {
  choices?: { delta?: { content?: string; tool_calls?: { function: { arguments?: string } }[] } }[];
  message?: { content?: string };
};

/** The baseline: what a person writes who knows exactly what comes. */
const byHand = (url: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const asked = httpRequest(url, { method: 'POST' }, (response) => {
      response.setEncoding('utf8');
      let rest = '';
      const texts: string[] = [];
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) {
          const json = line.startsWith('data: ') ? line.slice(6) : line;
          if (json === '' || json === '[DONE]') continue;
          const event = JSON.parse(json) as Chunk;
          const delta = event.choices?.[0]?.delta;
          texts.push(delta?.content ?? delta?.tool_calls?.[0]?.function.arguments ?? event.message?.content ?? '');
        }
      });
      response.on('end', () => resolve(texts.join('').length));
      response.on('error', reject);
    });
    asked.on('error', reject);
    asked.end('{}');
  });

const network = createNetwork();
const clock = { now: Date.now, monotonic: () => performance.now() };

const byProvider = async (base: string, kind: 'openai' | 'ollama'): Promise<number> => {
  const provider = createProvider(kind, { network, clock, baseUrl: base });
  const texts: string[] = [];
  const onPart = (part: ModelPart): void => {
    if (part.type === 'text_delta') texts.push(part.delta);
    else if (part.type === 'tool_call_delta') texts.push(part.arguments_delta);
  };
  const request = { model: 'm', messages: [], tools: [], sampling: {} };
  const outcome = await provider.stream(request, onPart, new AbortController().signal);
  if (!outcome.ok) throw new Error(outcome.error.message);
  return texts.join('').length;
};

const cpuMs = async (work: () => Promise<number>, length: number): Promise<number> => {
  const before = process.cpuUsage();
  const got = await work();
  if (got !== length) throw new Error(`${got} characters of ${length}`);
  const used = process.cpuUsage(before);
  return (used.user + used.system) / 1_000;
};

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const measure = async (rounds: number): Promise<void> => {
  const child = spawn(process.execPath, [import.meta.filename, 'serve'], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  const root = `http://127.0.0.1:${printed.toString().trim()}`;
  const cases = [
    {
      title: '1 MB text, 4-character deltas, OpenAI',
      path: '/text/v1/chat/completions',
      base: '/text/v1',
      kind: 'openai',
      length: TEXT.length,
      goal: 1.5,
    },
    {
      title: '1 MB text, 4-character deltas, Ollama',
      path: '/text/api/chat',
      base: '/text',
      kind: 'ollama',
      length: TEXT.length,
      goal: 1.5,
    },
    {
      title: `${PACKETS} deltas, one a packet, OpenAI`,
      path: '/packets/v1/chat/completions',
      base: '/packets/v1',
      kind: 'openai',
      length: PACKETS * PIECE,
      goal: 1.15,
    },
    {
      title: '1 MB tool arguments, 4-character deltas',
      path: '/arguments/v1/chat/completions',
      base: '/arguments/v1',
      kind: 'openai',
      length: ARGUMENTS.length,
      goal: 2,
    },
  ] as const;
  for (const { title, path, base, kind, length, goal } of cases) {
    const baseline: number[] = [];
    const ours: number[] = [];
    // The first round warms both up; the two take turns, so that noise meets both.
    for (let round = 0; round <= rounds; round += 1) {
      const hand = await cpuMs(() => byHand(root + path), length);
      const made = await cpuMs(() => byProvider(root + base, kind), length);
      if (round === 0) continue;
      baseline.push(hand);
      ours.push(made);
    }
    const ratio = median(ours) / median(baseline);
    const verdict = ratio <= goal ? 'reached' : 'MISSED';
    console.log(
      `${title}: ${ratio.toFixed(2)}x (${median(ours).toFixed(0)} ms to ${median(baseline).toFixed(0)} ms CPU; goal ${goal}x ${verdict})`,
    );
  }
  network.close();
  child.kill();
};

if (process.argv[2] === 'serve') serve();
else await measure(Number(process.argv[2] ?? 7));
