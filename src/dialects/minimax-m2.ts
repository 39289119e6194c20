import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** MiniMax M2. */
export const grammar: Grammar = {
  name: 'minimax-m2',
  reasoning: THINK,
  calls: [
    { open: ['<minimax:tool_call>'], close: ['</minimax:tool_call>'], bodies: [INVOKE_TAGS, JSON_BODY, QWEN_TAGS] },
    { open: ['<invoke '], close: ['</minimax:tool_call>'], bodies: [INVOKE_TAGS], offeredOnly: true },
  ],
  endTokens: ['[e~['],
};

export const clues: Clues = { template: ['<minimax:tool_call>'], model: ['minimaxm2'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<minimax:tool_call>\n',
    call: (name) => `<invoke name="${name}">\n`,
    parameter: (key, value) => `<parameter name="${key}">${value}</parameter>\n`,
    callClose: '</invoke>\n',
    close: '</minimax:tool_call>',
    result: ({ content }) => `<response>${content}</response>`,
  });
