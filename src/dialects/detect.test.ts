import { expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { detectDialect, startsInReasoning } from './index.ts';

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
  // The clue that begins first counts, and of those the longest.
  ['NousResearch/Hermes-3-Llama-3.2-3B', 'hermes'],
  ['deepseek-ai/DeepSeek-R1-Distill-Qwen-32B', 'hermes'],
  ['nvidia/Llama-3.1-Nemotron-Nano-8B-v1', 'nemotron-nano-v2'],
  ['google/functiongemma-270m-it', 'functiongemma'],
  ['CohereLabs/c4ai-command-r7b-12-2024', 'command-r7b'],
  ['CohereForAI/c4ai-command-r-plus-08-2024', 'command-r-plus'],
  ['fireworks-ai/llama-3-firefunction-v2', 'functools'],
  // A publisher's name is no clue where the model's own is one.
  ['mistralai/Codestral-22B-v0.1', 'mistral-json'],
  ['mistralai/Mixtral-8x7B-Instruct-v0.1', 'mistral-json'],
  // The size is no version.
  ['Qwen/Qwen3-8B', 'hermes'],
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

test('sees that a prompt leaves the model inside its reasoning', () => {
  expect(startsInReasoning('<|im_start|>assistant\n<think>\n')).toBe(true);
  expect(startsInReasoning('<|im_start|>assistant\n<think></think>\n')).toBe(false);
});
