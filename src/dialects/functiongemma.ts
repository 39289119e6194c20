import type { Clues, Grammar } from './engine/grammar.ts';
import { gemmaPrompt, type PromptWriter } from './engine/prompt.ts';

/** `call:N`. */
export const gemmaHead = (text: string): { name: string } => {
  const head = text.trim();
  return { name: head.startsWith('call:') ? head.slice('call:'.length).trim() : head };
};

/** FunctionGemma 270M. */
export const grammar: Grammar = {
  name: 'functiongemma',
  calls: [
    {
      open: ['<start_function_call>'],
      close: ['<end_function_call>'],
      bodies: [{ kind: 'named', head: gemmaHead, value: { quoteMarker: '<escape>', bareStrings: true } }],
    },
  ],
  endTokens: ['<start_function_response>'],
};

export const clues: Clues = { template: ['<start_function_call>'], model: ['functiongemma'] };

export const prompt = (): PromptWriter =>
  gemmaPrompt({
    open: '<start_function_call>',
    close: '<end_function_call>',
    quote: '<escape>',
    result: ({ name, content }) =>
      `<start_function_response>response:${name}{value:<escape>${content}<escape>}<end_function_response>`,
  });
