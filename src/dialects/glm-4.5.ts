import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type CallSyntax, type Clues, type Grammar, JSON_BODY, type PairsBody, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** The name, then keys and values. Some models write the line breaks between them as two characters. */
export const GLM_PAIRS: PairsBody = {
  kind: 'pairs',
  nameEnd: ['\\n'],
  key: ['<arg_key>'],
  keyClose: ['</arg_key>'],
  value: ['<arg_value>'],
  valueClose: ['</arg_value>'],
};

export const GLM_CALLS: readonly CallSyntax[] = [
  { open: ['<tool_call>'], close: ['</tool_call>'], bodies: [JSON_BODY, GLM_PAIRS, QWEN_TAGS, INVOKE_TAGS] },
];

/** GLM 4.5 and 4.6, Ling 3, Spark 2.5, Laguna. */
export const grammar: Grammar = {
  name: 'glm-4.5',
  reasoning: THINK,
  calls: GLM_CALLS,
  endTokens: ['<|role_end|>'],
};

export const clues: Clues = { template: [['<arg_key>', '<tool_call>']], model: ['glm', 'ling3', 'laguna'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '',
    call: (name) => `<tool_call>${name}\n`,
    parameter: (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`,
    callClose: '</tool_call>\n',
    close: '',
  });
