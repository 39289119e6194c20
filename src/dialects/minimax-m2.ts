import { type Format, JSON_BODY, type TagsBody, THINK } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';

/** `<invoke name="N"><parameter name="K">V</parameter></invoke>`, values as they are. */
export const INVOKE_TAGS: TagsBody = {
  kind: 'tags',
  open: ['<invoke '],
  close: ['</invoke>'],
  parameter: ['<parameter '],
  parameterClose: ['</parameter>'],
};

/** MiniMax M2. */
export const minimaxM2: Format = {
  name: 'minimax-m2',
  reasoning: THINK,
  calls: [
    { open: ['<minimax:tool_call>'], close: ['</minimax:tool_call>'], bodies: [INVOKE_TAGS, JSON_BODY] },
    { open: ['<invoke '], close: ['</minimax:tool_call>'], bodies: [INVOKE_TAGS], offeredOnly: true },
  ],
  endTokens: ['[e~['],
};

export const minimaxM2Prompt = (): PromptForm =>
  tagsPrompt({
    open: '<minimax:tool_call>\n',
    call: (name) => `<invoke name="${name}">\n`,
    parameter: (key, value) => `<parameter name="${key}">${value}</parameter>\n`,
    callClose: '</invoke>\n',
    close: '</minimax:tool_call>',
    result: ({ content }) => `<response>${content}</response>`,
  });
