import { describe, expect, it } from 'vitest';
import type { ModelMessage } from '../message.ts';
import type { ToolSchema } from '../tool.ts';
import { toolsTokens } from '../window.ts';
import { leftOutTools } from './left-out-tools.ts';
import { messageTokens } from './tokens.ts';

const tool = (at: number): ToolSchema => ({
  type: 'function',
  function: {
    name: `look_up_${at}`,
    description: 'Looks a word up in the files of the folder, and returns the lines that hold it with their numbers.',
    parameters: {
      type: 'object',
      properties: {
        word: { type: 'string', description: 'The word to look for, as it stands in the file.' },
        folder: { type: 'string', description: 'The folder to look in; the whole workspace where it is left out.' },
      },
      required: ['word'],
    },
  },
});
const tools = Array.from({ length: 12 }, (_, at) => tool(at));
const words = (count: number): ModelMessage[] => [
  { role: 'system', content: 'You are of help with the files of this folder, and you answer briefly and plainly.' },
  { role: 'user', content: Array.from({ length: count }, (_, at) => `thing ${at} of them`).join(', ') },
];
const tokensOf = (messages: readonly ModelMessage[]): number =>
  messages.reduce((sum, message) => sum + messageTokens(message), 0);

describe('whether a server left the tools out', () => {
  // Tokenizers make more or fewer tokens of the same words.
  const rates = [0.7, 0.85, 1, 1.2, 1.5];

  it.each(rates)('is seen where its count has room for the messages alone, at %f tokens for one', (rate) => {
    for (const messages of [words(1), words(5), words(20)])
      expect(leftOutTools(Math.round(tokensOf(messages) * rate) + 12, messages, tools)).toBe(true);
  });

  it.each(rates)('is never said of one that wrote them, however short, at %f tokens for one', (rate) => {
    for (const form of [0.6, 0.8, 1, 1.3]) {
      for (const messages of [words(1), words(20), words(200), words(2_000)]) {
        for (const some of [tools.slice(0, 1), tools.slice(0, 4), tools]) {
          const read = Math.round((tokensOf(messages) + toolsTokens(some) * form) * rate);
          expect(leftOutTools(read, messages, some), `${form} ${messages.length} ${some.length}`).toBe(false);
        }
      }
    }
  });

  it('is not said of a count of nothing but what was new, nor where there are no tools', () => {
    expect(leftOutTools(8, words(50), tools)).toBe(false);
    expect(leftOutTools(0, words(1), tools)).toBe(false);
    expect(leftOutTools(tokensOf(words(1)), words(1), [])).toBe(false);
  });
});
