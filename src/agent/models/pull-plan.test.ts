import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ggufBytes } from '../../../tests/support/gguf-bytes.ts';
import type { HttpRequest, Network } from '../../core/ports.ts';
import { freeDisk, type PlanOptions, planPull, registryPlace } from './advise/pull-plan.ts';

const GB = 1e9;
const FACTS = {
  platform: 'linux' as const,
  arch: 'x64',
  totalBytes: 16 * GB,
  freeBytes: 12 * GB,
  cores: 4,
  processor: 'A processor',
};
const MODEL = Buffer.concat([
  ggufBytes(
    {
      'general.architecture': 'qwen3',
      'qwen3.block_count': 36,
      'qwen3.context_length': 40_960,
      'qwen3.embedding_length': 2_560,
      'qwen3.attention.head_count': 32,
      'qwen3.attention.head_count_kv': 8,
      'qwen3.attention.key_length': 128,
      'qwen3.attention.value_length': 128,
    },
    [{ name: 'token_embd.weight', shape: [2_560, 151_936], type: 12 }],
  ),
  Buffer.alloc(5_000_000),
]);
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** A registry with one model of three parts. */
const registry = (asked: HttpRequest[] = [], layers: unknown = undefined): Network => ({
  request: async (request) => {
    asked.push(request);
    const read = async () => ({ ok: true as const, value: undefined });
    if (request.url.includes('/manifests/')) {
      const parts = layers ?? [
        { mediaType: 'application/vnd.ollama.image.model', digest: DIGEST, size: 2.5 * GB },
        { mediaType: 'application/vnd.ollama.image.template', digest: DIGEST, size: 1_000 },
      ];
      const text = async () => ({ ok: true as const, value: JSON.stringify({ layers: parts }) });
      const known = request.url.includes('/qwen3/manifests/4b') || request.url.includes('/o/m/manifests/Q4');
      return { ok: true, value: { status: known ? 200 : 404, headers: {}, read, text } };
    }
    const [, from = 0, to = 0] = /bytes=(\d+)-(\d+)/.exec(request.headers?.['range'] ?? '')?.map(Number) ?? [];
    const headers = { 'content-range': `bytes ${from}-${to}/${2.5 * GB}` };
    const readBytes = async (onChunk: (bytes: Uint8Array) => void | Promise<void>) => {
      await onChunk(MODEL.subarray(from, to + 1));
      return { ok: true as const, value: undefined };
    };
    const text = async () => ({ ok: true as const, value: '' });
    return { ok: true, value: { status: 206, headers, read, text, readBytes } };
  },
});
const plan = (more: Partial<PlanOptions> = {}) =>
  planPull({
    network: registry(),
    signal: new AbortController().signal,
    offline: false,
    provider: 'ollama',
    model: 'qwen3:4b',
    isHere: true,
    window: 8_192,
    facts: FACTS,
    ...more,
  });

describe('before a model is pulled', () => {
  test('a registry is asked for its size, and the header of its file for the memory', async () => {
    const asked: HttpRequest[] = [];
    const found = await plan({ network: registry(asked) });
    expect(found).toMatchObject({ from: 'registry.ollama.ai', bytes: 2.5 * GB + 1_000, fits: 'yes', window: 8_192 });
    expect(found?.memory?.cache).toBe(36 * 8 * 256 * 2 * 8_192);
    expect(asked.map(({ url }) => url)).toEqual([
      'https://registry.ollama.ai/v2/library/qwen3/manifests/4b',
      `https://registry.ollama.ai/v2/library/qwen3/blobs/${DIGEST}`,
    ]);
  });

  test('what is too large, or runs on another machine, is told apart', async () => {
    expect(await plan({ facts: { ...FACTS, totalBytes: 3 * GB, freeBytes: 2 * GB } })).toMatchObject({ fits: 'no' });
    expect(await plan({ isHere: false })).not.toHaveProperty('fits');
    expect(await plan({ provider: 'embedded', model: 'starter' })).toMatchObject({ bytes: 98_362_432, fits: 'yes' });
  });

  test('nothing is said of what cannot be asked', async () => {
    const asked: HttpRequest[] = [];
    expect(await plan({ offline: true, network: registry(asked) })).toBeUndefined();
    expect(await plan({ model: 'unknown:1b' })).toBeUndefined();
    expect(await plan({ provider: 'embedded', model: 'another' })).toBeUndefined();
    expect(await plan({ network: registry([], 'no list') })).toBeUndefined();
    expect(asked).toEqual([]);
    // A digest that is none is no part of an address.
    const layers = [{ mediaType: 'application/vnd.ollama.image.model', digest: '../x', size: 5 }];
    expect(await plan({ network: registry([], layers) })).toEqual({
      from: 'registry.ollama.ai',
      bytes: 5,
      window: 8_192,
      memoryBytes: 16 * GB,
      freeBytes: 12 * GB,
    });
  });

  test('names are read as Ollama reads them', () => {
    const host = 'registry.ollama.ai';
    expect(registryPlace('qwen3')).toEqual({ host, repository: 'library/qwen3', tag: 'latest' });
    expect(registryPlace('someone/model:7b')).toEqual({ host, repository: 'someone/model', tag: '7b' });
    expect(registryPlace('hf.co/o/m:Q4')).toEqual({ host: 'hf.co', repository: 'o/m', tag: 'Q4' });
    for (const name of ['', '../x', 'a/../b', 'a b', 'http://x/y', 'host/a/b'])
      expect(registryPlace(name)).toBeUndefined();
  });

  test('the room of a disk that cannot be asked is not known', async () => {
    expect(await freeDisk(import.meta.dirname)).toBeGreaterThan(0);
    expect(await freeDisk(`${import.meta.filename}/below-a-file`)).toBeUndefined();
  });

  test('the room of a folder that is not there yet is that of its disk', async () => {
    expect(await freeDisk(join(import.meta.dirname, 'not', 'there', 'yet'))).toBeGreaterThan(0);
  });
});
