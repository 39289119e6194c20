import type { Clues, Grammar } from './engine/grammar.ts';
import { type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';
import { MISTRAL_CALLS, MISTRAL_THINK, offerToMistral } from './mistral-args.ts';

const callJson = ({ id, name, arguments: args }: PromptCall): string =>
  spacedJson({ name, arguments: args, ...(id === undefined ? {} : { id }) });

/** Mistral 7B v0.3, Nemo and others before the v11 tokenizer: an array of calls. */
export const grammar: Grammar = {
  name: 'mistral-json',
  reasoning: MISTRAL_THINK,
  calls: MISTRAL_CALLS,
};

export const clues: Clues = {
  template: ['[TOOL_CALLS]'],
  model: ['mistralnemo', 'mixtral', 'mistral7b', 'mistrallarge', 'codestral'],
};

export const prompt = (): PromptWriter => ({
  offer: offerToMistral,
  calls: (calls) => `[TOOL_CALLS] [${calls.map(callJson).join(', ')}]`,
  result: ({ id, content }) =>
    `[TOOL_RESULTS]${spacedJson({ content, ...(id === undefined ? {} : { call_id: id }) })}[/TOOL_RESULTS]`,
});
