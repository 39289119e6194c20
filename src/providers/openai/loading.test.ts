/** A server that lists its models while it still loads one: only the request itself tells when it is there. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelPart } from '../../core/model-port.ts';
import { scriptedNetwork } from '../../testing/scripted-server/network.ts';
import { createOpenAIProvider } from './openai.ts';

const clock = { now: () => 0, monotonic: () => 0 };

it('waits for a server that lists its models while it loads one, and says nothing untrue', async () => {
  verifies('B4');
  const loading = { status: 503, chunks: ['{"error":{"message":"Model m is loading"}}'] };
  let asked = 0;
  const network = scriptedNetwork((request) => {
    if (request.url.endsWith('/models')) return { chunks: ['{"data":[{"id":"m"}]}'] };
    asked += 1;
    return asked < 12
      ? loading
      : { chunks: ['data: {"choices":[{"delta":{"content":"ok"},"finish_reason":"stop"}]}\n\n'] };
  });
  const parts: ModelPart[] = [];
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => void pauses.push(ms);
  const provider = createOpenAIProvider({ network, clock, sleep, baseUrl: 'http://h:1/v1' });
  const request = { model: 'm', messages: [], tools: [], sampling: {} };
  const outcome = await provider.stream(request, (part) => parts.push(part), new AbortController().signal);
  expect(outcome.ok).toBe(true);
  expect(asked).toBe(12);
  expect(JSON.stringify(parts)).not.toContain('loaded now');
  expect(pauses.filter((ms) => ms > 0).at(-1)).toBeGreaterThan(1_000);
});

it('waits half an hour and no longer for a server that lists its models and never has one loaded', async () => {
  verifies('B4');
  const network = scriptedNetwork((request) =>
    request.url.endsWith('/models')
      ? { chunks: ['{"data":[{"id":"m"}]}'] }
      : { status: 503, chunks: ['{"error":{"message":"Model m is loading"}}'] },
  );
  let waited = 0;
  const sleep = async (ms: number): Promise<void> => {
    waited += ms;
  };
  const provider = createOpenAIProvider({ network, clock, sleep, baseUrl: 'http://h:1/v1' });
  const request = { model: 'm', messages: [], tools: [], sampling: {} };
  const outcome = await provider.stream(request, () => {}, new AbortController().signal);
  expect(outcome.ok).toBe(false);
  expect(waited / 60_000).toBeLessThan(35);
  expect(waited / 60_000).toBeGreaterThan(25);
});
