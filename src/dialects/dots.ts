import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** dots. */
export const grammar: Grammar = {
  name: 'dots',
  calls: [
    { open: ['<dots_function_call>'], close: ['</dots_function_call>'], bodies: [INVOKE_TAGS, JSON_BODY, QWEN_TAGS] },
    { open: ['<invoke '], close: ['</dots_function_call>'], bodies: [INVOKE_TAGS], offeredOnly: true },
  ],
};

export const clues: Clues = { template: ['<dots_function_call>'], model: ['dots'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<dots_function_call>\n',
    call: (name) => `<invoke name="${name}">\n`,
    parameter: (key, value) => `<parameter name="${key}">${value}</parameter>\n`,
    callClose: '</invoke>\n',
    close: '</dots_function_call>',
  });
