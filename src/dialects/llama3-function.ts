import { QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';

/** Llama 3.1 with its own prompt, Functionary 3.1: `<function=N>{…}</function>`. */
export const grammar: Grammar = {
  name: 'llama3-function',
  reasoning: THINK,
  calls: [
    { open: ['<function='], close: ['</tool_call>'], bodies: [QWEN_TAGS] },
    { open: ['<|python_tag|>'], bodies: [JSON_BODY, { kind: 'code' }] },
  ],
};

export const clues: Clues = { template: ['<function='], model: [['functionary', 'v31']] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'To call a tool, write <function=NAME>{"parameter": value}</function> on one line, with valid JSON.',
  ),
  calls: eachCall(({ name, arguments: args }) => `<function=${name}>${spacedJson(args)}</function>`),
  result: ({ content }) => content,
});
