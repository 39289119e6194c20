import { type Format, JSON_BODY } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';
import { INVOKE_TAGS } from './minimax-m2.ts';

/** dots. */
export const dots: Format = {
  name: 'dots',
  calls: [
    { open: ['<dots_function_call>'], close: ['</dots_function_call>'], bodies: [INVOKE_TAGS, JSON_BODY] },
    { open: ['<invoke '], close: ['</dots_function_call>'], bodies: [INVOKE_TAGS], offeredOnly: true },
  ],
};

export const dotsPrompt = (): PromptForm =>
  tagsPrompt({
    open: '<dots_function_call>\n',
    call: (name) => `<invoke name="${name}">\n`,
    parameter: (key, value) => `<parameter name="${key}">${value}</parameter>\n`,
    callClose: '</invoke>\n',
    close: '</dots_function_call>',
  });
