import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { eachCall, type PromptWriter, PYTHON_PROMPT, pythonCallText } from './engine/prompt.ts';

/** OLMo 3: one Python call a line. */
export const grammar: Grammar = {
  name: 'olmo3',
  reasoning: THINK,
  calls: [
    {
      open: ['<function_calls>'],
      close: ['</function_calls>'],
      bodies: [{ kind: 'python' }, JSON_BODY, QWEN_TAGS, INVOKE_TAGS],
      many: true,
    },
  ],
};

export const clues: Clues = { template: ['<function_calls>'], model: ['olmo3'] };

export const prompt = (): PromptWriter => ({
  ...PYTHON_PROMPT,
  calls: (calls) => `<function_calls>\n${eachCall(pythonCallText)(calls)}\n</function_calls>`,
});
