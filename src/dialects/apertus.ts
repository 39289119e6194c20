import type { Clues, Grammar } from './engine/grammar.ts';
import { offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';

/** Apertus: objects whose only key is the name. */
export const grammar: Grammar = {
  name: 'apertus',
  reasoning: [{ open: '<|inner_prefix|>', close: ['<|inner_suffix|>'] }],
  calls: [{ open: ['<|tools_prefix|>'], close: ['<|tools_suffix|>'], bodies: [{ kind: 'json', keyed: true }] }],
  endTokens: ['<|assistant_end|>'],
};

export const clues: Clues = { template: ['<|tools_prefix|>'], model: ['apertus'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith('Write calls as <|tools_prefix|>[{"NAME": <arguments as a JSON object>}]<|tools_suffix|>'),
  calls: (calls) =>
    `<|tools_prefix|>[${calls.map(({ name, arguments: args }) => spacedJson({ [name]: args })).join(', ')}]<|tools_suffix|>`,
  result: ({ content }) => `[${content}]`,
});
