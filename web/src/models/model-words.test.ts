import { describe, expect, it } from 'vitest';
import type { ModelRow } from '../state/api.ts';
import { groupsOf, probeFacts, pullName } from './model-words.ts';

const row = (id: string, more: Partial<ModelRow> = {}): ModelRow => ({
  id,
  provider: id.split('/')[0] ?? '',
  endpoint: 'http://127.0.0.1:11434',
  ...more,
});

describe('the list of models', () => {
  it('stands by server, with what is loaded first', () => {
    const groups = groupsOf(
      [row('ollama/a'), row('ollama/b', { loaded: true }), row('openai/a', { endpoint: 'http://box:8000/v1' })],
      '',
    );
    expect(groups.map(({ title, place, models }) => [title, place, models.map(({ id }) => id)])).toEqual([
      ['Ollama', '127.0.0.1:11434', ['ollama/b', 'ollama/a']],
      ['OpenAI-compatible server', 'box:8000', ['openai/a']],
    ]);
  });

  it('is searched by every word, of the name, the server and what the model can do', () => {
    const models = [row('ollama/qwen3:8b', { vision: true }), row('ollama/qwen3:4b'), row('openai/llama')];
    const found = (search: string) => groupsOf(models, search).flatMap((group) => group.models.map(({ id }) => id));
    expect(found('QWEN 8b')).toEqual(['ollama/qwen3:8b']);
    expect(found('qwen images')).toEqual(['ollama/qwen3:8b']);
    expect(found('ollama')).toHaveLength(2);
    expect(found('mistral')).toEqual([]);
  });

  it('says nothing of a model that was not probed', () => {
    expect(probeFacts(row('ollama/a'))).toEqual([]);
  });
});

describe('the name of a model to get', () => {
  it.each([
    ['qwen3:8b', 'ollama/qwen3:8b'],
    [' starter ', 'embedded/starter'],
    ['ollama/starter', 'ollama/starter'],
    ['hf.co/unsloth/model:Q4', 'ollama/hf.co/unsloth/model:Q4'],
  ])('%s is %s', (typed, meant) => {
    expect(pullName(typed)).toBe(meant);
  });
});
