import { type Format, JSON_BODY, THINK } from './engine/format.ts';
import { arrayPrompt, type PromptForm } from './engine/prompt.ts';

/** Nemotron Nano 2, Deci. */
export const nemotronNanoV2: Format = {
  name: 'nemotron-nano-v2',
  reasoning: THINK,
  calls: [{ open: ['<TOOLCALL>'], close: ['</TOOLCALL>'], bodies: [JSON_BODY] }],
};

export const nemotronNanoV2Prompt = (): PromptForm => ({
  ...arrayPrompt('<TOOLCALL>', '</TOOLCALL>'),
  result: ({ content }) => `<TOOL_RESPONSE>[${content}]</TOOL_RESPONSE>`,
});
