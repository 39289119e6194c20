/** LoRA adapters and guesses ahead in the real engine, with the starter. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { createEmbeddedProvider, type EmbeddedOptions } from '../src/providers/embedded/index.ts';
import { starterModel } from './support/embedded-model.ts';
import { loraBytes } from './support/gguf-bytes.ts';
import { scratchFolder } from './support/scratch.ts';

const { file: modelFile, problem } = await starterModel();
const never = new AbortController().signal;
const QUOTED = 'Say this again word for word: the harbour was quiet and the boats lay in a row along the wall.';

const answer = async (options: EmbeddedOptions): Promise<string> => {
  const provider = createEmbeddedProvider({ modelFile: modelFile ?? '', threads: 1, decoding: 'template', ...options });
  const text: string[] = [];
  try {
    const outcome = await provider.stream(
      {
        model: 'starter',
        messages: [{ role: 'user', content: QUOTED }],
        tools: [],
        sampling: { temperature: 0, max_tokens: 24 },
      },
      (part) => part.type === 'text_delta' && text.push(part.delta),
      never,
    );
    if (!outcome.ok) throw new Error(outcome.error.message);
    return text.join('');
  } finally {
    await provider.close();
  }
};
const adapterIn = (folder: string): string => {
  const file = path.join(folder, 'adapter.gguf');
  const changes = [0, 9, 19, 29].map((layer) => [`blk.${layer}.attn_output.weight`, 576, 576] as const);
  writeFileSync(file, loraBytes({ changes, value: 0.5 }));
  return file;
};

it.skipIf(problem)('an adapter changes what the model writes, as much as its scale says', async () => {
  const file = adapterIn(scratchFolder());
  const plain = await answer({});
  expect(await answer({ adapters: [{ file, scale: 0 }] })).toBe(plain);
  expect(await answer({ adapters: [{ file, scale: 1 }] })).not.toBe(plain);
});

it.skipIf(problem)('what was read with an adapter is not taken for what was read without it', async () => {
  const folder = scratchFolder();
  const file = adapterIn(folder);
  const plain = await answer({});
  const statesFolder = path.join(folder, 'states');
  const changed = await answer({ statesFolder, adapters: [{ file, scale: 1 }] });
  expect(await answer({ statesFolder })).toBe(plain);
  expect(await answer({ statesFolder, adapters: [{ file, scale: 1 }] })).toBe(changed);
});

it.skipIf(problem)('guesses ahead change nothing of what is written', async () => {
  expect(await answer({ speculation: 'lookup' })).toBe(await answer({ speculation: 'off' }));
});
