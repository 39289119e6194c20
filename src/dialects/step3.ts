import { type Format, THINK } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';

/** Step 3. */
export const step3: Format = {
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

export const step3Prompt = (): PromptForm =>
  tagsPrompt({
    open: '<｜tool_calls_begin｜>\n',
    call: (name) => `<｜tool_call_begin｜>function<｜tool_sep｜><steptml:invoke name="${name}">\n`,
    parameter: (key, value) => `<steptml:parameter name="${key}">${value}</steptml:parameter>\n`,
    callClose: '</steptml:invoke><｜tool_call_end｜>\n',
    close: '<｜tool_calls_end｜>',
  });
