import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** Step 3. */
export const grammar: Grammar = {
  name: 'step3',
  reasoning: THINK,
  calls: [
    {
      open: ['<｜tool_calls_begin｜>', '<｜tool_call_begin｜>', '<steptml:invoke '],
      close: ['<｜tool_call_end｜>', '<｜tool_calls_end｜>'],
      skip: ['function<｜tool_sep｜>', '<｜tool_sep｜>'],
      bodies: [
        {
          kind: 'tags',
          open: ['<steptml:invoke '],
          close: ['</steptml:invoke>'],
          parameter: ['<steptml:parameter '],
          parameterClose: ['</steptml:parameter>'],
        },
      ],
    },
  ],
};

export const clues: Clues = { template: ['<steptml:invoke'], model: ['step3'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<｜tool_calls_begin｜>\n',
    call: (name) => `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">\n`,
    parameter: (key, value) => `<steptml:parameter name="${key}">${value}</steptml:parameter>\n`,
    callClose: '</steptml:invoke><｜tool_call_end｜>\n',
    close: '<｜tool_calls_end｜>',
  });
