/** Calls as elements, in the two notations that models know from elsewhere and write in other wrappers too. */
import type { TagsBody } from './grammar.ts';

/** `<function=N><parameter=K>V</parameter></function>`: values are raw text with one line break on each side. */
export const QWEN_TAGS: TagsBody = {
  kind: 'tags',
  open: ['<function='],
  close: ['</function>'],
  parameter: ['<parameter='],
  parameterClose: ['</parameter>'],
  trimsNewline: 'each',
};

/** `<invoke name="N"><parameter name="K">V</parameter></invoke>`, values as they are. */
export const INVOKE_TAGS: TagsBody = {
  kind: 'tags',
  open: ['<invoke '],
  close: ['</invoke>'],
  parameter: ['<parameter '],
  parameterClose: ['</parameter>'],
};
