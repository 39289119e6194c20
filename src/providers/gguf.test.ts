import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type GgufPair, type GgufTensorSpec, ggufBytes } from '../../tests/support/gguf-bytes.ts';
import { cacheBytes } from '../core/model-shape.ts';
import type { HttpRequest, HttpResponse, Network } from '../core/ports.ts';
import { type ByteSource, factsOf, openLocalFile, openRemoteFile, readGgufHeader } from './gguf.ts';

const F32 = 0;
const Q8_0 = 8;
const sourceOf = (bytes: Uint8Array): ByteSource => ({
  name: 'the file',
  size: () => bytes.length,
  read: async (offset, length) => ({ ok: true, value: bytes.subarray(offset, offset + length) }),
  close: async () => undefined,
});

const LLAMA: Record<string, GgufPair> = {
  'general.architecture': 'llama',
  'general.name': 'A model',
  'general.file_type': 7,
  'llama.block_count': 2,
  'llama.context_length': 4_096,
  'llama.embedding_length': 64,
  'llama.attention.head_count': 4,
  'llama.attention.head_count_kv': 2,
  'tokenizer.ggml.tokens': ['a', 'b', 'c'],
  'tokenizer.chat_template': '{% if tools %}<tool_call>{% endif %}',
};
const TENSORS: GgufTensorSpec[] = [
  { name: 'token_embd.weight', shape: [64, 32], type: Q8_0 },
  { name: 'output.weight', shape: [64, 32], type: Q8_0 },
  { name: 'output_norm.weight', shape: [64], type: F32 },
];
const facts = async (metadata: Record<string, GgufPair>, tensors: GgufTensorSpec[] = TENSORS) => {
  const header = await readGgufHeader(sourceOf(ggufBytes(metadata, tensors)));
  if (!header.ok) throw new Error(header.error.message);
  return factsOf(header.value);
};

describe('the header of a model file', () => {
  it('says what the model is and what it is made of', async () => {
    expect(await facts(LLAMA)).toMatchObject({
      architecture: 'llama',
      name: 'A model',
      quantisation: 'Q8_0',
      chatTemplate: '{% if tools %}<tool_call>{% endif %}',
      shape: {
        parameters: 64 * 32 * 2 + 64,
        // The table of words is only looked up; the output is passed.
        activeBytes: 64 * 34 + 64 * 4,
        cache: { bytesPerToken: 2 * 2 * (16 + 16) * 2 },
        vocabulary: 3,
        trainedWindow: 4_096,
      },
    });
  });

  it('counts the table of words where it is the output too, and of experts those that one token asks', async () => {
    const tied = await facts(LLAMA, [{ name: 'token_embd.weight', shape: [64, 32], type: Q8_0 }]);
    expect(tied?.shape.activeBytes).toBe(64 * 34);
    const mixture = await facts({ ...LLAMA, 'llama.expert_count': 8, 'llama.expert_used_count': 2 }, [
      { name: 'blk.0.ffn_up_exps.weight', shape: [64, 32, 8], type: Q8_0 },
      { name: 'output.weight', shape: [64, 32], type: Q8_0 },
    ]);
    expect(mixture?.shape).toMatchObject({
      parameters: 64 * 32 * 9,
      readingWork: 64 * 32 * 3 * 0.36,
      activeBytes: 64 * 34 * 3,
    });
  });

  it('knows layers that look at a part of the window, and layers that keep no cache', async () => {
    const gemma = await facts({
      'general.architecture': 'gemma3',
      'gemma3.block_count': 12,
      'gemma3.embedding_length': 64,
      'gemma3.attention.head_count': 4,
      'gemma3.attention.head_count_kv': 1,
      'gemma3.attention.key_length': 16,
      'gemma3.attention.value_length': 16,
      'gemma3.attention.sliding_window': 512,
    });
    const cache = gemma?.shape.cache;
    expect(cache).toEqual({ bytesPerToken: 2 * 64, slidingBytesPerToken: 10 * 64, slidingTokens: 512 });
    expect(cache && cacheBytes(cache, 8_192, 256)).toBe(2 * 64 * 8_192 + 10 * 64 * 768);

    const mixed = await facts({
      ...LLAMA,
      'llama.block_count': 4,
      'llama.attention.head_count_kv': [0, 2, 0, 2],
      'llama.ssm.conv_kernel': 4,
      'llama.ssm.inner_size': 128,
      'llama.ssm.state_size': 16,
    });
    expect(mixed?.shape.cache).toEqual({
      bytesPerToken: 2 * 2 * 32 * 2,
      fixedBytes: 2 * 4 * (128 * 16 + 3 * (128 + 32)),
    });
  });

  it.each<[string, Uint8Array, string]>([
    ['another format', Buffer.from('not a model at all, just words'), 'is not a GGUF file'],
    ['an older version', ggufBytes(LLAMA, TENSORS, 1), 'is GGUF version 1'],
    ['a file that was cut', ggufBytes(LLAMA, TENSORS).subarray(0, 200), 'is cut short'],
    ['no bytes', new Uint8Array(), 'is cut short'],
    ['a page of a few bytes', Buffer.from('<html>\n'), 'is not a GGUF file'],
    ['one of the other byte order', Buffer.from('GGUF\0\0\0\u0003'.padEnd(40, '\0'), 'latin1'), 'the other byte order'],
  ])('is refused where it is %s', async (_name, bytes, words) => {
    const header = await readGgufHeader(sourceOf(bytes));
    expect(header).toMatchObject({ ok: false, error: { error_type: 'parse_error' } });
    expect(header.ok ? '' : header.error.message).toContain(words);
  });

  it('believes no count that a file cannot hold', async () => {
    const bytes = ggufBytes(LLAMA, TENSORS);
    for (const at of [8, 16, 24]) {
      const damaged = Buffer.from(bytes);
      damaged.writeBigUInt64LE(2n ** 62n, at);
      expect((await readGgufHeader(sourceOf(damaged))).ok).toBe(false);
    }
  });

  it('is none of a language model where a file has no layers', async () => {
    expect(await facts({ 'general.architecture': 'clip' })).toBeUndefined();
    expect(await facts({ 'llama.block_count': 2 })).toBeUndefined();
  });
});

describe('where model files are read', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'halter-gguf-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  const signal = new AbortController().signal;

  it('is a file of this machine', async () => {
    const file = join(folder, 'model.gguf');
    await writeFile(file, ggufBytes(LLAMA, TENSORS));
    const source = await openLocalFile(file);
    expect(source.ok && (await readGgufHeader(source.value)).ok).toBe(true);
    if (source.ok) await source.value.close();
    expect(await openLocalFile(join(folder, 'none.gguf'))).toMatchObject({ error: { error_type: 'not_found' } });
    expect(await openLocalFile(folder)).toMatchObject({ error: { error_type: 'validation_failed' } });
  });

  /** Serves ranges of some bytes, after a redirect to another host. */
  const server = (bytes: Uint8Array, asked: HttpRequest[], status = 206): Network => ({
    request: async (request): ReturnType<Network['request']> => {
      asked.push(request);
      if (request.url.startsWith('https://hub/'))
        return { ok: true, value: { ...EMPTY, status: 302, headers: { location: 'https://store/model.gguf' } } };
      const [, from = 0, to = 0] = /bytes=(\d+)-(\d+)/.exec(request.headers?.['range'] ?? '')?.map(Number) ?? [];
      const part = bytes.subarray(from, to + 1);
      return {
        ok: true,
        value: {
          ...EMPTY,
          status: part.length === 0 ? 416 : status,
          headers: { 'content-range': `bytes ${from}-${to}/${bytes.length}` },
          readBytes: async (onChunk) => {
            await onChunk(part);
            return { ok: true, value: undefined };
          },
        },
      };
    },
  });
  const EMPTY = {
    read: async () => ({ ok: true as const, value: undefined }),
    text: async () => ({ ok: true as const, value: '' }),
  };

  it('is an address, of which the header alone is asked', async () => {
    const words = Array.from({ length: 90_000 }, (_, index) => `word-number-${index}`);
    const bytes = ggufBytes({ ...LLAMA, 'tokenizer.ggml.tokens': words }, TENSORS);
    const file = Buffer.concat([bytes, Buffer.alloc(5_000_000)]);
    const asked: HttpRequest[] = [];
    const source = openRemoteFile(server(file, asked), 'https://hub/model.gguf', signal);
    const header = await readGgufHeader(source);
    expect(header.ok && factsOf(header.value)?.shape.vocabulary).toBe(90_000);
    expect(source.size()).toBe(file.length);
    // The redirect, then one piece of a megabyte after another until the header ends.
    expect(asked.length).toBeLessThanOrEqual(2 + Math.ceil(bytes.length / (1024 * 1024)));
  });

  it.each([
    ['another place', (from: number) => `bytes ${from + 500}-${from + 600}/5000`],
    ['the beginning, whatever was asked for', () => 'bytes 0-99/5000'],
    ['no place at all', () => ''],
    ['several places', (from: number) => `bytes ${from}-${from + 9}, 20-30/5000`],
  ])('is no server that sends %s', async (_, place) => {
    const bytes = ggufBytes(LLAMA, TENSORS);
    const network: Network = {
      request: async (request): ReturnType<Network['request']> => {
        const [, from = 0] = /bytes=(\d+)-/.exec(request.headers?.['range'] ?? '')?.map(Number) ?? [];
        const readBytes: NonNullable<HttpResponse['readBytes']> = async (onChunk) => {
          await onChunk(bytes.subarray(0, 100));
          return { ok: true, value: undefined };
        };
        return { ok: true, value: { ...EMPTY, status: 206, headers: { 'content-range': place(from) }, readBytes } };
      },
    };
    const header = await readGgufHeader(openRemoteFile(network, 'https://store/model.gguf', signal));
    expect(header.ok ? '' : header.error.message).toContain('another part of the file than it was asked for');
  });

  it('is no server that serves whole files only, or has none', async () => {
    for (const [status, words] of [
      [200, 'serves whole files only'],
      [404, 'There is no file'],
      [500, 'status 500'],
    ] as const) {
      const source = openRemoteFile(server(ggufBytes(LLAMA), [], status), 'https://store/model.gguf', signal);
      const header = await readGgufHeader(source);
      expect(header.ok ? '' : header.error.message).toContain(words);
    }
  });

  it('is never an address without encryption that an encrypted one sends on to', async () => {
    const network: Network = {
      request: async () => ({ ok: true, value: { ...EMPTY, status: 302, headers: { location: 'http://store/m' } } }),
    };
    const header = await readGgufHeader(openRemoteFile(network, 'https://hub/model.gguf', signal));
    expect(header.ok ? '' : header.error.message).toContain('cannot be used');
  });
});
