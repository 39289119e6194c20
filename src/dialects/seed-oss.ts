import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** A value stands beside its tags, so a line break at its end alone is its own. */
const TAGS = { ...QWEN_TAGS, trimsNewline: 'pair' } as const;

/** Seed-OSS: Qwen's elements in a wrapper of its own, values on one line. */
export const grammar: Grammar = {
  name: 'seed-oss',
  reasoning: [{ open: '<seed:think>', close: ['</seed:think>'] }],
  calls: [
    { open: ['<seed:tool_call>'], close: ['</seed:tool_call>'], bodies: [TAGS, JSON_BODY, INVOKE_TAGS] },
    { open: ['<function='], close: ['</seed:tool_call>'], bodies: [TAGS], offeredOnly: true },
  ],
  endTokens: ['<seed:eos>'],
};

export const clues: Clues = { template: ['<seed:tool_call>'], model: ['seedoss'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<seed:tool_call>\n',
    call: (name) => `<function=${name}>\n`,
    // A break at the beginning would be read as one of a pair.
    parameter: (key, value) => `<parameter=${key}>${/^\r?\n/.test(value) ? `\n${value}\n` : value}</parameter>\n`,
    close: '</function>\n</seed:tool_call>',
  });
