import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { ggufBytes, type LoraSpec, loraBytes } from '../../../tests/support/gguf-bytes.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { adapterProblem, withAdapters } from './lora-adapters.ts';

const MODEL = ggufBytes({ 'general.architecture': 'llama' }, [
  { name: 'blk.0.attn_output.weight', shape: [576, 576], type: 0 },
  { name: 'blk.0.ffn_up.weight', shape: [576, 1_536], type: 0 },
]);

const files = (adapter: Buffer | undefined) => {
  const folder = scratchFolder();
  const [model, file] = [path.join(folder, 'model.gguf'), path.join(folder, 'adapter.gguf')];
  writeFileSync(model, MODEL);
  if (adapter) writeFileSync(file, adapter);
  return { model, file };
};

it.each([
  ['of one weight', {}],
  [
    'of two weights',
    {
      changes: [
        ['blk.0.attn_output.weight', 576, 576],
        ['blk.0.ffn_up.weight', 576, 1_536],
      ],
    },
  ],
] as [string, LoraSpec][])('an adapter %s fits', async (_what, spec) => {
  const { model, file } = files(loraBytes(spec));
  expect(await adapterProblem([{ file, scale: 1 }], model)).toBeUndefined();
});

it.each([
  ['that is not there', undefined, /There is no file/],
  ['that is empty', Buffer.alloc(0), /cannot be used/],
  ['that is text', Buffer.from('not a model at all, but a text of some length'), /cannot be used/],
  ['that is cut short', loraBytes().subarray(0, 60), /cannot be used/],
  ['that is a model', MODEL, /it is no adapter/],
  ['of another kind', loraBytes({ metadata: { 'adapter.type': 'control' } }), /of the kind "control"/],
  [
    'of another architecture',
    loraBytes({ metadata: { 'general.architecture': 'qwen3' } }),
    /qwen3, and this one is llama/,
  ],
  ['without weights', loraBytes({ changes: [] }), /it holds no weights/],
  ['of a weight that is not there', loraBytes({ changes: [['blk.9.attn_q.weight', 576, 576]] }), /blk\.9\.attn_q/],
  ['of another size', loraBytes({ changes: [['blk.0.ffn_up.weight', 576, 2_048]] }), /blk\.0\.ffn_up\.weight/],
])('an adapter %s is refused before the engine sees it', async (_what, bytes, words) => {
  const { model, file } = files(bytes);
  const problem = await adapterProblem([{ file, scale: 1 }], model);
  expect(problem).toMatchObject({ code: 'load_failed', hint: expect.stringContaining('made for this very model') });
  expect(problem?.message).toMatch(words);
  expect(problem?.message).toContain(file);
});

it('a folder is refused', async () => {
  const { model, file } = files(undefined);
  mkdirSync(file);
  expect((await adapterProblem([{ file, scale: 1 }], model))?.message).toContain('cannot be used');
});

it('a model with an adapter, or with another scale of it, is another model', async () => {
  const { file } = files(loraBytes());
  const digests = [
    await withAdapters('model', []),
    await withAdapters('model', [{ file, scale: 1 }]),
    await withAdapters('model', [{ file, scale: 0.5 }]),
    await withAdapters('other', [{ file, scale: 1 }]),
  ];
  expect(digests[0]).toBe('model');
  expect(new Set(digests).size).toBe(4);
});
