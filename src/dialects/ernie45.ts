import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { HERMES_PROMPT, type PromptForm } from './engine/prompt.ts';

/** ERNIE 4.5: calls as Hermes writes them, the answer in a frame. */
export const ernie45: Format = {
  name: 'ernie45',
  reasoning: THINK,
  frame: ['<response>', '</response>'],
  calls: [{ open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY] }],
};

export const ernie45Prompt = (): PromptForm => HERMES_PROMPT;
