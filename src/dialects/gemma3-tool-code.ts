import type { Clues, Grammar } from './engine/grammar.ts';
import { eachCall, offerWith, type PromptWriter, pythonCallText } from './engine/prompt.ts';

/** Gemma 2 and 3, prompted: Python in a fence of its own name. */
export const grammar: Grammar = {
  name: 'gemma3-tool-code',
  calls: [{ open: ['```tool_code'], close: ['```'], bodies: [{ kind: 'python' }], many: true }],
  endTokens: ['<end_of_turn>'],
};

export const clues: Clues = { model: ['gemma'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith('Write calls as Python in a fence:\n```tool_code\nNAME(parameter=value)\n```'),
  calls: (calls) => `\`\`\`tool_code\n${eachCall(pythonCallText)(calls)}\n\`\`\``,
  result: ({ content }) => `\`\`\`tool_output\n${content}\n\`\`\``,
});
