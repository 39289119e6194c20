import { type Format, THINK } from './engine/format.ts';
import { type PromptForm, tagsPrompt } from './engine/prompt.ts';

const CDATA = ['<![CDATA[', ']]>'] as const;
const needsCdata = (value: string): boolean => /[<&]/.test(value) && !value.includes(CDATA[1]);

/** MiniCPM 5: text with tags in it stands in CDATA. */
export const minicpm5: Format = {
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

export const minicpm5Prompt = (): PromptForm =>
  tagsPrompt({
    open: '',
    call: (name) => `<function name="${name}">`,
    parameter: (key, value) =>
      `<param name="${key}">${needsCdata(value) ? CDATA[0] + value + CDATA[1] : value}</param>`,
    callClose: '</function>\n',
    close: '',
  });
