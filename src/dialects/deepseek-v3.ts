import { type CallSyntax, type Clues, type Grammar, JSON_BODY, type NamedBody, THINK } from './engine/grammar.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';

/** The tokens are written with full-width bars and a block for a blank; distilled models write them in other ways. */
const spellings = (words: string): string[] =>
  ['｜', '|'].flatMap((bar) => ['▁', '_', ' ', '\\_'].map((blank) => `<${bar}${words.replaceAll(' ', blank)}${bar}>`));

const SEPARATORS = spellings('tool sep');

/** `function<sep>N` and a fence (V3), or `N<sep>` (V3.1). */
const head: NamedBody['head'] = (text) => {
  const separator = SEPARATORS.find((one) => text.includes(one)) ?? '\n';
  const [first = '', second = ''] = text.split(separator);
  const [line = ''] = second.trim().split('\n');
  const name = line.startsWith('```') ? '' : line.trim();
  return name === '' ? { name: first.trim(), form: 'name first' } : { name };
};

export const DEEPSEEK_CALLS: readonly CallSyntax[] = [
  {
    open: [...spellings('tool calls begin'), ...spellings('tool call begin')],
    close: [...spellings('tool call end'), ...spellings('tool calls end')],
    bodies: [{ kind: 'named', head }, JSON_BODY],
    many: true,
  },
];

export const deepseekResult = ({ content }: { content: string }): string =>
  `<｜tool▁output▁begin｜>${content}<｜tool▁output▁end｜>`;

/** V3-0324, R1-0528, the distilled R1 models, Cogito. */
export const grammar: Grammar = {
  name: 'deepseek-v3',
  reasoning: THINK,
  calls: DEEPSEEK_CALLS,
};

export const clues: Clues = { template: [['<｜tool▁calls▁begin｜>', '```json']], model: ['deepseek', 'cogito'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write calls like this:\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME\n```json\n{"parameter": value}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ),
  calls: (calls) =>
    `<｜tool▁calls▁begin｜>${eachCall(
      ({ name, arguments: args }) =>
        `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${spacedJson(args)}\n\`\`\`<｜tool▁call▁end｜>`,
    )(calls)}<｜tool▁calls▁end｜>`,
  result: deepseekResult,
});
