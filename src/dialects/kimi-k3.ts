import type { Clues, Grammar } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

const open = (tag: string): string => `<|open|>${tag}<|sep|>`;
const close = (tag: string): string => `<|close|>${tag}<|sep|>`;

const typeName = (value: string, isString: boolean): string => {
  if (isString) return 'string';
  if (value === 'true' || value === 'false') return 'boolean';
  return value.startsWith('{') ? 'object' : value.startsWith('[') ? 'array' : 'number';
};

/** Kimi K3: elements whose brackets alone are tokens. */
export const grammar: Grammar = {
  name: 'kimi-k3',
  reasoning: [{ open: open('think'), close: [close('think')] }],
  frame: [open('response'), close('response'), close('message'), open('message role="assistant"')],
  endTokens: ['<|end_of_msg|>'],
  calls: [
    {
      open: [open('tools'), '<|open|>call '],
      close: [close('tools')],
      bodies: [
        {
          kind: 'tags',
          open: ['<|open|>call '],
          openEnd: ['<|sep|>'],
          close: [close('call')],
          parameter: ['<|open|>argument '],
          parameterEnd: ['<|sep|>'],
          parameterClose: [close('argument')],
          entities: true,
        },
      ],
    },
  ],
};

export const clues: Clues = { template: [['<|open|>', '<|sep|>']], model: ['kimik3'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: open('tools'),
    call: (name, index) => open(`call tool="${name}" index="${index + 1}"`),
    parameter: (key, value, isString) =>
      `${open(`argument key="${key}" type="${typeName(value, isString)}"`)}${value}${close('argument')}`,
    callClose: close('call'),
    close: close('tools'),
    result: ({ content }) => content,
  });
