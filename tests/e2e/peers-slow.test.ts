/** A server that takes its time over the prompt: how long is told, from what was learned the times before, and nothing is resent. */
import { expect, it, onTestFinished } from 'vitest';
import { startScriptedServer } from '../../src/testing/index.ts';
import { verifies } from '../requirements.ts';
import { runHalter, startHalter } from '../support/halter-process.ts';
import { putFiles, scratchFolder } from '../support/scratch.ts';

it.each(['openai', 'ollama'] as const)('says how long the prompt will take, the %s form', async (provider) => {
  verifies('B4');
  const gate = Promise.withResolvers<void>();
  const server = await startScriptedServer({ turns: [{ text: 'Hello.', bodyGate: gate.promise }] });
  onTestFinished(() => server.close());
  const url = provider === 'openai' ? server.openaiUrl : server.url;
  const home = scratchFolder();
  const models = { [`${provider} ${url} test-model`]: { prefill_tokens_per_second: 20 } };
  putFiles(home, { '.cache/halter/model-speeds.json': JSON.stringify({ version: 1, models }) });
  const run = ['run', 'x', '--format', 'stream-json', '--provider', provider, '--base-url', url, '-m', 'test-model'];
  const running = startHalter(run, { home });
  await running.said('"estimated":true');
  gate.resolve();
  const ran = await running.finished;
  expect(ran.code).toBe(0);
  const told = ran.lines().find(({ type }) => type === 'prefill');
  expect(told).toMatchObject({ estimated: true, seconds_left: expect.any(Number) });
  expect(told?.['total']).toBeGreaterThan(500);
  // Between half and the whole of what the prompt takes at that speed.
  const seconds = Number(told?.['total']) / 20;
  expect(told?.['seconds_left']).toBeLessThanOrEqual(seconds);
  expect(told?.['seconds_left']).toBeGreaterThan(seconds / 2);
  expect(server.requests).toHaveLength(1);
});

it('asks for nothing ahead in a run', async () => {
  verifies('B4');
  const server = await startScriptedServer({ turns: () => ({ text: 'Hello.' }) });
  onTestFinished(() => server.close());
  for (const provider of ['llama-cpp', 'ollama']) {
    const url = provider === 'ollama' ? server.url : server.openaiUrl;
    const ran = await runHalter(['run', 'x', '--format', 'stream-json', '--provider', provider, '--base-url', url]);
    expect(ran.lines().map(({ type }) => type)).not.toContain('warm_up');
  }
  expect(server.requests).toHaveLength(2);
});
