import { Template } from '@huggingface/jinja';
import { expect, it } from 'vitest';
import type { Sampling } from '../core/model-port.ts';
import { ollamaThinking, serverThinking, templateThinking } from './thinking.ts';

/** How each family's template asks, as far as it asks, in our own words. */
const FAMILIES: readonly [family: string, model: string, template: string, unsaid: string][] = [
  [
    'Qwen3',
    'qwen3:8b',
    '{% if enable_thinking is defined and enable_thinking is false %}off{% else %}on{% endif %}',
    'on',
  ],
  ['GLM', 'glm-4.6', "{{ 'off' if enable_thinking is defined and not enable_thinking else 'on' }}", 'on'],
  ['Gemma 4', 'gemma-4-31b', "{{ 'on' if enable_thinking is defined and enable_thinking else 'off' }}", 'off'],
  ['Granite 3.3', 'granite-3.3-2b', '{% if thinking %}on{% else %}off{% endif %}', 'off'],
  [
    'DeepSeek 3.1',
    'deepseek-v3.1',
    '{% if not thinking is defined %}{% set thinking = false %}{% endif %}{{ "on" if thinking else "off" }}',
    'off',
  ],
  [
    'Kimi K3',
    'kimi-k3',
    '{% if thinking is undefined %}{% set thinking = true %}{% endif %}{{ "on" if thinking else "off" }}',
    'on',
  ],
  [
    'Command A',
    'cohere2moe',
    '{% set reasoning = reasoning if reasoning is not undefined else true %}{{ "on" if reasoning else "off" }}',
    'on',
  ],
  [
    'MiniMax M3',
    'minimax-m3',
    '{% if thinking_mode is defined and thinking_mode == "disabled" %}off{% else %}on{% endif %}',
    'on',
  ],
  [
    'Seed-OSS',
    'seed-oss-36b',
    '{% if not thinking_budget is defined %}{% set thinking_budget = -1 %}{% endif %}{{ "off" if thinking_budget == 0 else "on" }}',
    'on',
  ],
  [
    'gpt-oss',
    '/models/gpt-oss-20b.gguf',
    '{% if reasoning_effort is not defined %}{% set reasoning_effort = "medium" %}{% endif %}{{ "off" if reasoning_effort == "low" else "on" }}',
    'on',
  ],
];

it.each(FAMILIES)('thinking is switched in the words of %s', (_, model, source, unsaid) => {
  const said = (think: boolean | undefined): string =>
    new Template(source).render(templateThinking(model, think === undefined ? {} : { think }));
  expect([said(true), said(false), said(undefined)]).toEqual(['on', 'off', unsaid]);
});

it('sends no effort to templates that may know other ones, and Ollama the word that gpt-oss hears', () => {
  expect(templateThinking('mistral-small', { think: false })).not.toHaveProperty('reasoning_effort');
  const asked = [true, false, undefined].map((think) => [
    ollamaThinking('gpt-oss:20b', think === undefined ? {} : { think }),
    ollamaThinking('qwen3', think === undefined ? {} : { think }),
  ]);
  expect(asked).toEqual([
    [{ think: true }, { think: true }],
    [{ think: 'low' }, { think: false }],
    [{}, {}],
  ]);
});

it.each([
  [{}, undefined, undefined, undefined, undefined],
  [{ think: true }, undefined, undefined, undefined, undefined],
  [{ think_budget: 512 }, 512, 'low', 'low', 512],
  [{ think_budget: 1_024 }, 1_024, 'low', 'low', 1_024],
  [{ think_budget: 4_000 }, 4_000, 'medium', 'medium', 4_000],
  [{ think: true, think_budget: 20_000 }, 20_000, 'high', 'high', 20_000],
  [{ think: false, think_budget: 512 }, 0, 'low', 'low', undefined],
] as [Sampling, number | undefined, string | undefined, string | undefined, number | undefined][])(
  '%j bounds the thinking as far as each can be told',
  (sampling, budget, effort, word, tokens) => {
    expect(templateThinking('seed-oss-36b', sampling)['thinking_budget']).toBe(budget);
    expect(templateThinking('gpt-oss-20b', sampling)['reasoning_effort']).toBe(effort);
    expect(templateThinking('qwen3', sampling)).not.toHaveProperty('reasoning_effort');
    const said = ollamaThinking('gpt-oss:20b', sampling)['think'];
    expect(typeof said === 'string' ? said : undefined).toBe(word);
    expect(serverThinking(sampling)['thinking_budget_tokens']).toBe(tokens);
    if ('think_budget' in sampling) expect(ollamaThinking('qwen3', sampling)['think']).toBe(sampling.think !== false);
  },
);
