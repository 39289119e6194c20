import { describe, expect, it } from 'vitest';
import { serverChoice } from './server-choice.ts';

const set = { base_url: 'http://models.example:9000/v1', model: 'their-model' };

describe('which server is meant', () => {
  it.each([
    ['the settings alone', {}, set, { model: 'their-model', provider: 'openai', baseUrl: set.base_url }],
    ['-m keeps the address', { model: 'other' }, set, { model: 'other', provider: 'openai', baseUrl: set.base_url }],
    [
      '-m with the provider of the address',
      { model: 'openai/other' },
      set,
      { model: 'openai/other', baseUrl: set.base_url },
    ],
    ['-m of another provider', { model: 'ollama/qwen' }, set, { model: 'ollama/qwen' }],
    [
      'a slash that is no provider',
      { model: 'qwen/qwen3' },
      set,
      { model: 'qwen/qwen3', provider: 'openai', baseUrl: set.base_url },
    ],
    ['a role', { model: 'fast' }, { ...set, model_fast: 'ollama/tiny' }, { model: 'ollama/tiny' }],
    [
      'a role on the server of the settings',
      { model: 'deep' },
      { ...set, model_deep: 'large' },
      { model: 'large', provider: 'openai', baseUrl: set.base_url },
    ],
    ['a role by its newer name', { model: 'fast' }, { 'models.roles.fast': 'ollama/tiny' }, { model: 'ollama/tiny' }],
    ['a role of later ones', { model: 'plan' }, { 'models.roles.plan': 'ollama/big' }, { model: 'ollama/big' }],
    ['a role that is not set', { model: 'deep' }, set, { model: 'deep', provider: 'openai', baseUrl: set.base_url }],
    ['--provider alone', { provider: 'ollama' as const }, set, { provider: 'ollama' }],
    ['--base-url alone', { 'base-url': 'http://x/v1' }, set, { baseUrl: 'http://x/v1' }],
    [
      'a provider in the name of the settings',
      { model: 'llama3' },
      { base_url: 'http://o:1', model: 'ollama/qwen' },
      { model: 'llama3', provider: 'ollama', baseUrl: 'http://o:1' },
    ],
    ['nothing set', { model: 'ollama/qwen' }, {}, { model: 'ollama/qwen' }],
  ])('%s', (_what, flags, config, expected) => {
    const given = Object.entries(serverChoice(flags, config)).filter(([, value]) => value !== undefined);
    expect(Object.fromEntries(given)).toEqual(expected);
  });

  it('is not the server of the settings where a plugin has the name', () => {
    expect(serverChoice({ model: 'mistral/large' }, set, ['mistral'])).toEqual({ model: 'mistral/large' });
  });
});
