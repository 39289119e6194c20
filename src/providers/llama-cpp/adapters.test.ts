import { expect, it } from 'vitest';
import type { LoraAdapter } from '../../core/engine-options.ts';
import type { ModelProvider } from '../../core/model-port.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createLlamaCppProvider } from './llama-cpp.ts';

const json = (value: unknown, status = 200) => ({ status, chunks: [JSON.stringify(value)] });
const never = new AbortController().signal;

/** `listed`: the adapters that the server was started with; undefined: it knows nothing of any. */
const server = (listed: readonly string[] | undefined, adapters: readonly LoraAdapter[]) => {
  const bodies: Record<string, unknown>[] = [];
  const network = scriptedNetwork((request) => {
    const { pathname } = new URL(request.url);
    if (pathname === '/lora-adapters')
      return listed === undefined ? json({}, 404) : json(listed.map((path, id) => ({ id, path, scale: 1 })));
    if (pathname === '/apply-template') return json({ prompt: 'p' });
    if (pathname === '/tokenize') return json({ tokens: [1] });
    bodies.push({ of: pathname, ...(JSON.parse(String(request.body)) as object) });
    if (pathname === '/completion') return json({ content: 'a', timings: {} });
    return { chunks: ['data: {"choices":[{"delta":{"content":"Yes"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'] };
  });
  const clock = { now: () => 0, monotonic: () => 0 };
  const provider = createLlamaCppProvider({ network, clock, baseUrl: 'http://h:1', adapters });
  return { provider, bodies };
};
const ask = (provider: ModelProvider) =>
  provider.stream(
    { model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [], sampling: {} },
    () => undefined,
    never,
  );

it('every request says how much of which adapter counts, in whatever folder the server has it', async () => {
  const { provider, bodies } = server(
    ['/srv/other.gguf', 'C:\\models\\mine.gguf'],
    [{ file: '/home/me/mine.gguf', scale: 0.5 }],
  );
  expect(await ask(provider)).toMatchObject({ ok: true });
  const led = 'led' in provider ? (provider as { led?: (model: string, signal: AbortSignal) => Promise<unknown> }) : {};
  const port = (await led.led?.('m', never)) as {
    likelihood(of: object): Promise<unknown>;
  };
  await port.likelihood({ prompt: 'p', text: 'a', mostTokens: 1, signal: never });
  expect(bodies.map(({ of, lora }) => [of, lora])).toEqual([
    ['/v1/chat/completions', [{ id: 1, scale: 0.5 }]],
    ['/completion', [{ id: 1, scale: 0.5 }]],
  ]);
});

it('nothing is said where none was named', async () => {
  const { provider, bodies } = server(['/srv/other.gguf'], []);
  await ask(provider);
  expect(bodies).toHaveLength(1);
  expect(bodies[0]).not.toHaveProperty('lora');
});

it.each([
  ['has others', ['/srv/other.gguf'], 'It has other.gguf.'],
  ['has none', [], 'It has none.'],
  ['knows nothing of any', undefined, 'It has none.'],
] as const)('a server that %s answers nothing without the adapter that was named', async (_what, listed, words) => {
  const { provider, bodies } = server(listed, [{ file: 'mine.gguf', scale: 1 }]);
  const outcome = await ask(provider);
  expect(outcome).toMatchObject({ ok: false, error: { code: 'bad_request', hint: expect.stringContaining('--lora') } });
  expect(outcome.ok ? '' : outcome.error.message).toContain(`no adapter mine.gguf. ${words}`);
  expect(bodies).toEqual([]);
});
