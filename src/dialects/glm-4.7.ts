import { type Format, THINK } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';
import { GLM_CALLS } from './glm-4.5.ts';

/** GLM 4.7 and 5: as 4.5, without line breaks. */
export const glm47: Format = {
  name: 'glm-4.7',
  reasoning: THINK,
  calls: GLM_CALLS,
  endTokens: ['<|role_end|>'],
};

export const glm47Prompt = (): PromptForm =>
  tagsPrompt({
    open: '',
    call: (name) => `<tool_call>${name}`,
    parameter: (key, value) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`,
    callClose: '</tool_call>',
    close: '',
  });
