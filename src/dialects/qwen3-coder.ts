import { type Format, JSON_BODY, type TagsBody, THINK } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';

/** `<function=N><parameter=K>V</parameter></function>`: values are raw text with one line break on each side. */
export const QWEN_TAGS: TagsBody = {
  kind: 'tags',
  open: ['<function='],
  close: ['</function>'],
  parameter: ['<parameter='],
  parameterClose: ['</parameter>'],
  trimsNewline: true,
};

/** Qwen3-Coder, Qwen 3.5 and later, Nemotron 3, Step 3.5, MiMo. They often leave out `<tool_call>`. */
export const qwen3Coder: Format = {
  name: 'qwen3-coder',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [QWEN_TAGS, JSON_BODY] },
    { open: ['<function='], close: ['</tool_call>'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
};

export const qwen3CoderPrompt = (): PromptForm =>
  tagsPrompt({
    open: '<tool_call>\n',
    call: (name) => `<function=${name}>\n`,
    parameter: (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`,
    close: '</function>\n</tool_call>',
  });
