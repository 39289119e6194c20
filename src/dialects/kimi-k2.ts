import { type Clues, type Grammar, JSON_BODY, THINK } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, spacedJson } from './engine/prompt.ts';

const ARGUMENTS = '<|tool_call_argument_begin|>';
const COUNTER = /[:_]\d+$/;

/** The id holds the name: `functions.N:0`. Models also write `N:0`, `functions_N_0`, or the counter alone. */
const head = (text: string): { name: string; id?: string } | undefined => {
  const id = (text.split(ARGUMENTS)[0] ?? '').trim();
  if (/^\d+$/.test(id)) return { name: '', id };
  const bare = id.startsWith('functions_') ? id.slice('functions_'.length) : id;
  const name = id.includes(':') || bare !== id ? bare.replace(COUNTER, '') : bare;
  return { name, id };
};

const callText = ({ id, name, arguments: args }: PromptCall, index: number): string =>
  `<|tool_call_begin|>${id?.startsWith('functions.') ? id : `functions.${name}:${index}`}${ARGUMENTS}${spacedJson(args)}<|tool_call_end|>`;

/** Kimi K2, K2.5, K2.7. */
export const grammar: Grammar = {
  name: 'kimi-k2',
  reasoning: THINK,
  calls: [
    {
      open: ['<|tool_calls_section_begin|>', '<|tool_call_section_begin|>', '<|tool_call_begin|>'],
      close: ['<|tool_call_end|>', '<|tool_calls_section_end|>', '<|tool_call_section_end|>'],
      bodies: [{ kind: 'named', head }, JSON_BODY],
      many: true,
    },
  ],
  endTokens: ['<|im_user|>', '<|im_system|>'],
};

export const clues: Clues = { template: ['<|tool_calls_section_begin|>'], model: ['kimi'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    `Write calls like this:\n<|tool_calls_section_begin|><|tool_call_begin|>functions.NAME:0${ARGUMENTS}{"parameter": value}<|tool_call_end|><|tool_calls_section_end|>`,
  ),
  calls: (calls) => `<|tool_calls_section_begin|>${calls.map(callText).join('')}<|tool_calls_section_end|>`,
  result: ({ id, content }) => `## Return of ${id ?? ''}\n${content}`,
});
