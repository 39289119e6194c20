import { DEEPSEEK_CALLS, deepseekResult } from './deepseek-v3.ts';
import { type Clues, type Grammar, THINK } from './engine/grammar.ts';
import { eachCall, offerWith, type PromptWriter, spacedJson } from './engine/prompt.ts';

/** V3.1: the same tokens as V3, the name before them and no fence. */
export const grammar: Grammar = {
  name: 'deepseek-v3.1',
  reasoning: THINK,
  calls: DEEPSEEK_CALLS,
};

export const clues: Clues = { template: ['<｜tool▁calls▁begin｜>'], model: ['deepseekv31'] };

export const prompt = (): PromptWriter => ({
  offer: offerWith(
    'Write calls like this:\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>NAME<｜tool▁sep｜>{"parameter": value}<｜tool▁call▁end｜><｜tool▁calls▁end｜>',
  ),
  calls: (calls) =>
    `<｜tool▁calls▁begin｜>${eachCall(
      ({ name, arguments: args }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${spacedJson(args)}<｜tool▁call▁end｜>`,
      '',
    )(calls)}<｜tool▁calls▁end｜>`,
  result: deepseekResult,
});
