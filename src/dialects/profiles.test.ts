import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { detectDialect, dialectNames, startsInReasoning } from './index.ts';

test.each([
  ['gpt-oss:20b', 'harmony'],
  ['qwen2.5:7b-instruct', 'hermes'],
  ['Qwen/Qwen3-Coder-30B-A3B-Instruct', 'qwen3-coder'],
  ['llama3.1:8b', 'llama3-json'],
  ['mistralai/Mistral-Nemo-Instruct-2407', 'mistral-json'],
  ['mistral-small3.2', 'mistral-args'],
  ['command-r-plus', 'command-r-plus'],
  ['deepseek-ai/DeepSeek-V3.1', 'deepseek-v3.1'],
  ['moonshotai/Kimi-K2-Instruct', 'kimi-k2'],
  ['zai-org/GLM-4.6', 'glm-4.5'],
])('knows that %s speaks %s', (model, dialect) => {
  verifies('Z16');
  expect(detectDialect({ model })).toBe(dialect);
});

test('believes the template more than the name', () => {
  verifies('Z16', 'L2');
  expect(detectDialect({ model: 'llama3.1-custom', template: '…<tool_call>\n{"name": …' })).toBe('hermes');
  expect(detectDialect({ template: 'plain chat' })).toBeUndefined();
  expect(detectDialect({ model: 'some-model-nobody-knows' })).toBeUndefined();
});

test('names only dialects that there are', () => {
  const names = new Set(dialectNames());
  for (const model of [
    'gemma-4-it',
    'phi-4-mini',
    'lfm2-8b',
    'olmo-3',
    'hy3',
    'k2-horizon',
    'plamo-3',
    'step-3',
    'dots.llm',
  ]) {
    expect(names.has(detectDialect({ model }) ?? ''), model).toBe(true);
  }
});

test('sees that a prompt leaves the model inside its reasoning', () => {
  expect(startsInReasoning('<|im_start|>assistant\n<think>\n')).toBe(true);
  expect(startsInReasoning('<|im_start|>assistant\n<think></think>\n')).toBe(false);
});
