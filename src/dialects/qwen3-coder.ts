import { type Clues, type Grammar, JSON_BODY, type TagsBody, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';
import { INVOKE_TAGS } from './minimax-m2.ts';

/** Some models put blanks into a tag. */
const spaced = (tag: string): string[] => {
  const open = [tag, tag.replace('=', ' =')];
  return [...open, ...open.map((one) => one.replace('<', '< '))];
};

/** `<function=N><parameter=K>V</parameter></function>`: values are raw text with one line break on each side. */
export const QWEN_TAGS: TagsBody = {
  kind: 'tags',
  open: spaced('<function='),
  close: ['</function>', '</function >', '</ function>'],
  parameter: spaced('<parameter='),
  parameterClose: ['</parameter>', '</parameter >', '</ parameter>'],
  trimsNewline: true,
};

/** Qwen3-Coder, Qwen 3.5 and later, Nemotron 3, Step 3.5, MiMo. They often leave out `<tool_call>`. */
export const grammar: Grammar = {
  name: 'qwen3-coder',
  reasoning: THINK,
  calls: [
    { open: ['<tool_call>'], close: ['</tool_call>', '</tool_call >'], bodies: [QWEN_TAGS, JSON_BODY, INVOKE_TAGS] },
    { open: QWEN_TAGS.open, close: ['</tool_call>', '</tool_call >'], bodies: [QWEN_TAGS], offeredOnly: true },
  ],
};

export const clues: Clues = {
  template: [['<tool_call>', '<function=']],
  model: ['qwen3coder', 'qwen35', 'qwen36', 'qwen38', 'nemotron3', 'step35', 'mimo', 'ornith', 'nanbeige'],
};

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<tool_call>\n',
    call: (name) => `<function=${name}>\n`,
    parameter: (key, value) => `<parameter=${key}>\n${value}\n</parameter>\n`,
    close: '</function>\n</tool_call>',
  });
