import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { arrayPrompt, type PromptWriter } from './engine/prompt.ts';

/** Nemotron Nano 2, Deci. */
export const grammar: Grammar = {
  name: 'nemotron-nano-v2',
  reasoning: THINK,
  calls: [{ open: ['<TOOLCALL>'], close: ['</TOOLCALL>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] }],
};

export const clues: Clues = {
  template: ['<TOOLCALL>'],
  model: [['nemotronnano', 'v2'], 'nemotronnano', ['llama3', 'nemotronnano']],
};

export const prompt = (): PromptWriter => ({
  ...arrayPrompt('<TOOLCALL>', '</TOOLCALL>'),
  result: ({ content }) => `<TOOL_RESPONSE>[${content}]</TOOL_RESPONSE>`,
});
