import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { openModelSpeeds } from './model-speeds.ts';

const SERVER = { provider: 'ollama', endpoint: 'http://127.0.0.1:11434' };
const usage = { prompt_tokens: 1_000, completion_tokens: 100, seconds: 15, prompt_seconds: 10 };

describe('the speed of a model', () => {
  it('is learned from its answers, and known the next time', async () => {
    verifies('B4');
    const cache = scratchFolder();
    const speeds = await openModelSpeeds(cache, SERVER);
    expect(speeds.of('qwen')).toEqual({});
    speeds.learn('qwen', usage);
    expect(speeds.of('qwen')).toEqual({ prefill_tokens_per_second: 100, decode_tokens_per_second: 20 });
    await speeds.keep();
    const again = await openModelSpeeds(cache, SERVER);
    expect(again.of('qwen')).toEqual(speeds.of('qwen'));
    expect(again.of('other')).toEqual({});
    expect((await openModelSpeeds(cache, { ...SERVER, endpoint: 'http://elsewhere' })).of('qwen')).toEqual({});
  });

  it('is not taken from what came out of a cache, nor from too little', async () => {
    const speeds = await openModelSpeeds(scratchFolder(), SERVER);
    speeds.learn('m', { ...usage, cached_tokens: 990, completion_tokens: 3 });
    speeds.learn('m', { ...usage, shared_tokens: 980, completion_tokens: 3 });
    speeds.learn('m', { prompt_tokens: 9_000, completion_tokens: 100, seconds: 3 });
    expect(speeds.of('m')).toEqual({});
    speeds.learn('m', usage);
    // A cache that the server does not speak of.
    speeds.learn('m', { ...usage, prompt_seconds: 0.01 });
    expect(speeds.of('m').prefill_tokens_per_second).toBe(100);
    speeds.learn('m', { ...usage, prompt_seconds: 5 });
    expect(speeds.of('m').prefill_tokens_per_second).toBeCloseTo(130);
  });

  it('keeps the window that was learned with what was told then, and reads the form of an earlier version', async () => {
    verifies('B7');
    const cache = scratchFolder();
    const speeds = await openModelSpeeds(cache, SERVER);
    speeds.learnWindow('qwen', { tokens: 6_000, told: 32_768, is_cut: true });
    speeds.learn('qwen', usage);
    await speeds.keep();
    const again = await openModelSpeeds(cache, SERVER);
    expect(again.of('qwen').window).toEqual({ tokens: 6_000, told: 32_768, is_cut: true });
    again.learnWindow('qwen', undefined);
    await again.keep();
    expect((await openModelSpeeds(cache, SERVER)).of('qwen').window).toBeUndefined();
    const models = { 'ollama http://127.0.0.1:11434 old': { context_tokens: 4_096 } };
    writeFileSync(join(cache, 'model-speeds.json'), JSON.stringify({ version: 1, models }));
    expect((await openModelSpeeds(cache, SERVER)).of('old')).toEqual({ window: { tokens: 4_096 } });
  });

  it('begins anew where the file is damaged, and keeps what another halter wrote', async () => {
    const cache = scratchFolder();
    const [one, other] = [await openModelSpeeds(cache, SERVER), await openModelSpeeds(cache, SERVER)];
    one.learn('a', usage);
    other.learn('b', usage);
    await one.keep();
    await other.keep();
    const both = await openModelSpeeds(cache, SERVER);
    expect([both.of('a'), both.of('b')]).toEqual([one.of('a'), one.of('a')]);
    const file = join(cache, 'model-speeds.json');
    for (const damage of ['{', '[]', '{"version":1,"models":{"ollama x":{"prefill_tokens_per_second":"fast"}}}', '']) {
      writeFileSync(file, damage);
      expect((await openModelSpeeds(cache, SERVER)).of('a')).toEqual({});
    }
    const anew = await openModelSpeeds(cache, SERVER);
    anew.learn('a', usage);
    await anew.keep();
    expect(readFileSync(file, 'utf8')).toContain('prefill_tokens_per_second');
  });

  it('is what the profile says until something was learned', async () => {
    const speeds = await openModelSpeeds(scratchFolder(), SERVER, { m: { prefill_tokens_per_second: 50 } });
    expect(speeds.of('m').prefill_tokens_per_second).toBe(50);
  });
});
