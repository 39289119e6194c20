/** The embedded engine with the starter model: what it read is there again after a restart, and nothing else changes. */
import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../src/core/message.ts';
import type { ModelRequest } from '../src/core/model-port.ts';
import { createEmbeddedProvider } from '../src/providers/embedded/index.ts';
import { starterModel } from './support/embedded-model.ts';
import { scratchFolder } from './support/scratch.ts';

const { file, problem } = await starterModel();
const never = new AbortController().signal;
const NOTE = 'The harbour was quiet and the boats lay in a row along the wall, as they do in autumn. ';
const messages = (note: string, asked: string): ModelMessage[] => [
  { role: 'system', content: `You are short. ${note.repeat(12)}` },
  { role: 'user', content: asked },
];
const request = (list: ModelMessage[]): ModelRequest => ({
  model: 'starter',
  messages: list,
  tools: [],
  sampling: { temperature: 0, max_tokens: 12 },
});

/** One process: opened, asked, closed. */
const answer = async (statesFolder: string | undefined, list: ModelMessage[]) => {
  const provider = createEmbeddedProvider({ modelFile: file ?? '', statesFolder });
  let text = '';
  const outcome = await provider.stream(
    request(list),
    (part) => {
      if (part.type === 'text_delta') text += part.delta;
    },
    never,
  );
  await provider.close();
  if (!outcome.ok) throw new Error(outcome.error.message);
  const { prompt_tokens = 0, cached_tokens = 0 } = outcome.answer.usage ?? {};
  return { text, prompt_tokens, cached_tokens };
};

describe.skipIf(file === undefined)(`the starter model${problem === undefined ? '' : ` (${problem})`}`, () => {
  it('reads nothing again after a restart, and answers as it would have', { timeout: 600_000 }, async () => {
    const folder = scratchFolder();
    const cold = await answer(undefined, messages(NOTE, 'What lay in a row?'));
    await answer(folder, messages(NOTE, 'Say yes.'));
    const warm = await answer(folder, messages(NOTE, 'What lay in a row?'));
    expect(cold.cached_tokens).toBe(0);
    expect(warm.cached_tokens / warm.prompt_tokens).toBeGreaterThan(0.9);
    expect(warm.text).toBe(cold.text);
    // Another beginning shares nothing but its first words.
    const other = await answer(folder, messages('Snow fell on the hills all night and nobody went out. ', 'Say yes.'));
    expect(other.cached_tokens / other.prompt_tokens).toBeLessThan(0.2);
  });
});
