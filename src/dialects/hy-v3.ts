import { INVOKE_TAGS, QWEN_TAGS } from './engine/call-tags.ts';
import { type Clues, type Grammar, JSON_BODY, type PairsBody } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

/** The released Hy3 puts a suffix on every marker. */
const SUFFIX = ':opensource';
const open = (tag: string): string[] => [`<${tag}>`, `<${tag}${SUFFIX}>`];
const close = (tag: string): string[] => [`</${tag}>`, `</${tag}${SUFFIX}>`];

export const HY_PAIRS: PairsBody = {
  kind: 'pairs',
  nameEnd: open('tool_sep'),
  key: open('arg_key'),
  keyClose: close('arg_key'),
  value: open('arg_value'),
  valueClose: close('arg_value'),
};

/** Hy3 and Hy4; Hy4 writes no `<tool_sep>`. */
export const grammar: Grammar = {
  name: 'hy-v3',
  reasoning: open('think').map((marker) => ({ open: marker, close: close('think') })),
  calls: [
    {
      open: [...open('tool_calls'), ...open('tool_call')],
      close: [...close('tool_call'), ...close('tool_calls')],
      bodies: [JSON_BODY, HY_PAIRS, QWEN_TAGS, INVOKE_TAGS],
    },
  ],
  endTokens: ['<｜hy_eos｜>', '<｜hy_eos:opensource｜>'],
};

export const clues: Clues = { template: ['<tool_sep'], model: ['hy3', 'hy4'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '<tool_calls>\n',
    call: (name) => `<tool_call>${name}<tool_sep>\n`,
    parameter: (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>\n`,
    callClose: '</tool_call>\n',
    close: '</tool_calls>',
    result: ({ content }) => `<tool_responses>\n<tool_response>\n${content}\n</tool_response>\n</tool_responses>`,
  });
