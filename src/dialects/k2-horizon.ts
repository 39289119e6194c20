import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** K2 Horizon: GLM's pairs in markers of its own, a type where the model gives one, or JSON. */
export const grammar: Grammar = {
  name: 'k2-horizon',
  reasoning: [{ open: '<ifm|think>', close: ['</ifm|think>'] }],
  calls: [
    {
      open: ['<ifm|tool_calls>', '<ifm|tool_call>'],
      close: ['</ifm|tool_call>', '</ifm|tool_calls>'],
      bodies: [
        JSON_BODY,
        {
          kind: 'pairs',
          key: ['<ifm|arg_key>'],
          keyClose: ['</ifm|arg_key>'],
          type: ['<ifm|arg_type>'],
          typeClose: ['</ifm|arg_type>'],
          value: ['<ifm|arg_value>'],
          valueClose: ['</ifm|arg_value>'],
        },
      ],
    },
  ],
};

export const clues: Clues = { template: ['<ifm|tool_call'], model: ['k2horizon'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<ifm|tool_calls>',
    call: (name) => `<ifm|tool_call>${name}`,
    parameter: (key, value) => `<ifm|arg_key>${key}</ifm|arg_key><ifm|arg_value>${value}</ifm|arg_value>`,
    callClose: '</ifm|tool_call>',
    close: '</ifm|tool_calls>',
  });
