import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Granite 3.0 to 3.2: an array behind a marker, and nothing that closes it. */
export const grammar: Grammar = {
  name: 'granite',
  calls: [{ open: ['<|tool_call|>', '<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY] }],
};

export const clues: Clues = { template: ['<|tool_call|>'], model: ['granite'] };

export const prompt = (): PromptWriter => arrayPrompt('<|tool_call|>', '');
