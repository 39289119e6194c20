/** Vectors by a GGUF model in this process, with the real engine: the starter model gives them as any model does. */
import path from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkspace } from '../src/io/workspace.ts';
import { createGgufEmbedder } from '../src/search/gguf-embedder.ts';
import { openRetrieval } from '../src/search/open-retrieval.ts';
import { verifies } from './requirements.ts';
import { starterModel } from './support/embedded-model.ts';
import { onlyLong } from './support/long.ts';
import { putFiles, scratchFolder } from './support/scratch.ts';

const model = await starterModel();
const DIMENSIONS = 576;
/** Small, so that a text is soon too long for it. */
const CONTEXT_TOKENS = 64;
const never = new AbortController().signal;

describe.skipIf(model.file === undefined)(
  `a GGUF embedder${model.problem ? ` (skipped: ${model.problem})` : ''}`,
  () => {
    const embedder = createGgufEmbedder(model.file ?? '', 1, CONTEXT_TOKENS);

    // Usually the folder below shows that vectors are near where the meaning is.
    it.for(onlyLong(['texts']))(
      'gives a vector of the model’s dimension, the same for the same text, nearer for what is related',
      { timeout: 120_000 },
      async () => {
        verifies('Z20', 'Z13');
        const long = 'the cat sleeps on the sofa '.repeat(200);
        const made = await embedder.embed(
          [
            'The cat sleeps on the sofa.',
            'The cat sleeps on the sofa.',
            'A kitten is napping on the couch.',
            'Interest rates rose by two percent.',
            long,
          ],
          never,
        );
        if (!made.ok) throw new Error(made.error.message);
        expect(made.value.map((vector) => vector.length)).toEqual(Array(5).fill(DIMENSIONS));
        const [cat, same, kitten, money] = made.value as [Float32Array, Float32Array, Float32Array, Float32Array];
        expect(nearness(cat, same)).toBeGreaterThan(0.9999);
        expect(nearness(cat, kitten)).toBeGreaterThan(nearness(cat, money) + 0.02);
      },
    );

    it('makes vectors of a folder, and finds what is meant where no word is shared', async () => {
      verifies('Z20');
      const root = scratchFolder();
      putFiles(root, {
        'pets.md': 'The cat sleeps on the sofa all day.\n',
        'money.md': 'Interest rates rose by two percent this quarter.\n',
      });
      const workspace = await createWorkspace({ root });
      if (!workspace.ok) throw new Error(workspace.error.message);
      const service = openRetrieval({
        dataFolder: path.join(scratchFolder(), 'data'),
        workspace: workspace.value,
        embedder,
      });
      onTestFinished(() => service.close());
      expect(await service.index()).toMatchObject({ ok: true, value: { indexed: 2, warnings: [] } });
      expect(await service.vectors.coverage()).toEqual({ model: model.file, vectors: 2, chunks: 2 });
      const found = await service.search('kittens nap upon couches', { limit: 1 });
      expect(found).toMatchObject({ value: [{ path: 'pets.md', found_by: ['vector'] }] });
    }, 120_000);

    it('says so where the file is no model, and stops between texts', async () => {
      const root = scratchFolder();
      putFiles(root, { 'not.gguf': 'this is no model' });
      const broken = await createGgufEmbedder(path.join(root, 'not.gguf'), 1).embed(['a'], never);
      expect(broken).toMatchObject({ ok: false, error: { reason: 'no_embedder' } });
      expect(await embedder.embed(['a'], AbortSignal.abort())).toMatchObject({ error: { reason: 'cancelled' } });
    }, 120_000);
  },
);

const nearness = (a: Float32Array, b: Float32Array): number => {
  const product = (one: Float32Array, other: Float32Array): number =>
    one.reduce((sum, value, at) => sum + value * (other[at] as number), 0);
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b));
};
