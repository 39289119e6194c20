import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { gemmaPrompt, type PromptWriter } from './engine/prompt.ts';
import { gemmaHead } from './functiongemma.ts';

/** Gemma 4. */
export const grammar: Grammar = {
  name: 'gemma4',
  reasoning: [
    { open: '<|channel>thought\n', close: ['<channel|>'] },
    { open: '<|channel>thought', close: ['<channel|>'] },
  ],
  frame: ['<channel|>', '<tool_call|>', '<|channel>final\n', '<|channel>response\n'],
  calls: [
    {
      open: ['<|tool_call>'],
      close: ['<tool_call|>'],
      bodies: [JSON_BODY, { kind: 'named', head: gemmaHead, value: { quoteMarker: '<|"|>', bareStrings: true } }],
    },
  ],
  endTokens: ['<|tool_response>'],
};

export const clues: Clues = { template: [['<|tool_call>', 'call:']], model: ['gemma4'] };

export const prompt = (): PromptWriter =>
  gemmaPrompt({
    open: '<|tool_call>',
    close: '<tool_call|>',
    quote: '<|"|>',
    result: ({ name, content }) => `<|tool_response>response:${name}{value:<|"|>${content}<|"|>}<tool_response|>`,
  });
