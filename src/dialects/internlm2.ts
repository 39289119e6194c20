import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';

const BLANKS = ['', ' ', '\n'];

/** InternLM 2.5 and 3, Intern-S1; a channel of its own for code. */
export const grammar: Grammar = {
  name: 'internlm2',
  reasoning: THINK,
  calls: [
    { open: ['<|action_start|>', '<|plugin|>'], close: ['<|action_end|>'], bodies: [JSON_BODY] },
    {
      open: BLANKS.map((blank) => `<|action_start|>${blank}<|interpreter|>`),
      close: ['<|action_end|>'],
      bodies: [{ kind: 'code' }],
    },
  ],
};

export const clues: Clues = { template: ['<|action_start|>'], model: ['internlm', 'interns1'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write each call as <|action_start|><|plugin|>\n{"name": <name>, "parameters": <arguments as a JSON object>}<|action_end|>',
  ),
  calls: eachCall(
    ({ name, arguments: args }) =>
      `<|action_start|><|plugin|>\n${spacedJson({ name, parameters: args })}<|action_end|>\n`,
    '',
  ),
  result: ({ content }) => content,
});
