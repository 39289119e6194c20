import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { HERMES_PROMPT, type PromptWriter } from './engine/prompt.ts';

/** ERNIE 4.5: calls as Hermes writes them, the answer in a frame. */
export const grammar: Grammar = {
  name: 'ernie45',
  reasoning: THINK,
  frame: ['<response>', '</response>'],
  calls: [{ open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY, QWEN_TAGS, INVOKE_TAGS] }],
};

export const clues: Clues = { template: [['<tool_call>', '<response>']], model: ['ernie'] };

export const prompt = (): PromptWriter => HERMES_PROMPT;
