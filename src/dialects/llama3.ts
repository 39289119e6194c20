import { type Format, THINK } from './engine/format.ts';
import { QWEN_TAGS } from './qwen3-coder.ts';

/** Llama 3.1 to 3.3 and 4: a bare object, or one behind `<|python_tag|>`, which also introduces code. */
export const llama3Json: Format = {
  name: 'llama3-json',
  calls: [{ open: ['<|python_tag|>'], bodies: [{ kind: 'json' }, { kind: 'code' }] }],
  bare: [{ kind: 'json' }],
};

/** Llama 3.1 with its own prompt, Functionary 3.1: `<function=N>{…}</function>`. */
export const llama3Function: Format = {
  name: 'llama3-function',
  reasoning: THINK,
  calls: [
    { open: ['<function='], close: ['</tool_call>'], bodies: [QWEN_TAGS] },
    { open: ['<|python_tag|>'], bodies: [{ kind: 'json' }, { kind: 'code' }] },
  ],
};
