import type { JsonValue } from '../core/json.ts';
import type { Clues, Grammar } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, rawText } from './engine/prompt.ts';

const PREFIX = ']<]minimax[>[';

const element = (key: string, value: JsonValue): string => `${PREFIX}<${key}>${inner(value)}${PREFIX}</${key}>`;

const inner = (value: JsonValue): string => {
  if (Array.isArray(value)) return value.map((item) => element('item', item)).join('');
  if (typeof value !== 'object' || value === null) return rawText(value);
  return Object.entries(value)
    .map(([key, one]) => element(key, one))
    .join('');
};

const callText = ({ name, arguments: args }: PromptCall): string =>
  `${PREFIX}<invoke name="${name}">${inner(args)}${PREFIX}</invoke>\n`;

/** MiniMax M3: arguments as nested elements, every tag behind a token. */
export const grammar: Grammar = {
  name: 'minimax-m3',
  reasoning: [{ open: '<mm:think>', close: ['</mm:think>'] }],
  calls: [
    {
      open: [`${PREFIX}<tool_call>`, `${PREFIX}<invoke`],
      close: [`${PREFIX}</tool_call>`],
      bodies: [{ kind: 'elements', open: [`${PREFIX}<invoke`], close: [`${PREFIX}</invoke>`], prefix: PREFIX }],
    },
  ],
  endTokens: ['[e~['],
};

export const clues: Clues = { template: [']<]minimax[>['], model: ['minimaxm3'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    `Write calls like this, arrays as repeated <item> elements:\n${PREFIX}<tool_call>\n${PREFIX}<invoke name="NAME">${PREFIX}<parameter>value${PREFIX}</parameter>${PREFIX}</invoke>\n${PREFIX}</tool_call>`,
  ),
  calls: (calls) => `${PREFIX}<tool_call>\n${calls.map(callText).join('')}${PREFIX}</tool_call>`,
  result: ({ content }) => `<response>${content}</response>`,
});
