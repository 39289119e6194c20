import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** Seed-OSS: Qwen's elements in a wrapper of its own, values on one line. */
export const grammar: Grammar = {
  name: 'seed-oss',
  reasoning: [{ open: '<seed:think>', close: ['</seed:think>'] }],
  calls: [
    { open: ['<seed:tool_call>'], close: ['</seed:tool_call>'], bodies: [QWEN_TAGS, JSON_BODY, INVOKE_TAGS] },
    { open: ['<function='], close: ['</seed:tool_call>'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
  endTokens: ['<seed:eos>'],
};

export const clues: Clues = { template: ['<seed:tool_call>'], model: ['seedoss'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<seed:tool_call>\n',
    call: (name) => `<function=${name}>\n`,
    parameter: (key, value) => `<parameter=${key}>${value}</parameter>\n`,
    close: '</function>\n</seed:tool_call>',
  });
