import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { type PromptWriter, tagsPrompt } from './engine/prompt.ts';

const CDATA = ['<![CDATA[', ']]>'] as const;
const needsCdata = (value: string): boolean => /[<&]/.test(value) && !value.includes(CDATA[1]);

/** MiniCPM 5: text with tags in it stands in CDATA. */
export const grammar: Grammar = {
  name: 'minicpm5',
  reasoning: THINK,
  calls: [
    {
      open: ['<function '],
      bodies: [
        {
          kind: 'tags',
          open: ['<function '],
          close: ['</function>'],
          parameter: ['<param '],
          parameterClose: ['</param>'],
          literal: CDATA,
        },
      ],
    },
  ],
};

export const clues: Clues = { template: ['<function name='], model: ['minicpm5'] };

export const prompt = (): PromptWriter =>
  tagsPrompt({
    open: '',
    call: (name) => `<function name="${name}">`,
    parameter: (key, value) =>
      `<param name="${key}">${needsCdata(value) ? CDATA[0] + value + CDATA[1] : value}</param>`,
    callClose: '</function>\n',
    close: '',
  });
