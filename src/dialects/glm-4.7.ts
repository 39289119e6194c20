import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';
import { GLM_CALLS } from './glm-4.5.ts';

/** GLM 4.7 and 5: as 4.5, without line breaks. */
export const grammar: Grammar = {
  name: 'glm-4.7',
  reasoning: THINK,
  calls: GLM_CALLS,
  endTokens: ['<|role_end|>'],
};

export const clues: Clues = { model: ['glm47', 'glm5', 'spark25'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '',
    call: (name) => `<tool_call>${name}`,
    parameter: (key, value) => `<arg_key>${key}</arg_key><arg_value>${value}</arg_value>`,
    callClose: '</tool_call>',
    close: '',
  });
