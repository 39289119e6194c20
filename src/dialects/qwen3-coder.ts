import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** Qwen3-Coder, Qwen 3.5 and later, Nemotron 3, Step 3.5, MiMo. They often leave out `<tool_call>`. */
export const grammar: Grammar = {
  name: 'qwen3-coder',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [QWEN_TAGS, JSON_BODY, INVOKE_TAGS] },
    { open: QWEN_TAGS.open, close: ['</tool_call>'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
};

export const clues: Clues = {
  template: [['<tool_call>', '<function=']],
  model: ['qwen3coder', 'qwen35', 'qwen36', 'qwen38', 'nemotron3', 'step35', 'mimo', 'ornith', 'nanbeige'],
};

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<tool_call>\n',
    call: (name) => `<function=${name}>\n`,
    parameter: (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`,
    close: '</function>\n</tool_call>',
  });
