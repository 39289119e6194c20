import type { JsonValue } from '../core/json.ts';
import { entryText } from '../core/written-numbers.ts';
import type { Clues, Grammar } from './engine/grammar.ts';
import { offerWith, type PromptCall, type PromptWriter, rawText } from './engine/prompt.ts';

const PREFIX = ']<]minimax[>[';

const inner = (value: JsonValue): string => {
  if (typeof value !== 'object' || value === null) return rawText(value);
  const element = (tag: string, key: string | number): string =>
    `${PREFIX}<${tag}>${entryText(value, key, inner)}${PREFIX}</${tag}>`;
  const elements = Array.isArray(value)
    ? value.map((_, index) => element('item', index))
    : Object.keys(value).map((key) => element(key, key));
  return elements.join('');
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
