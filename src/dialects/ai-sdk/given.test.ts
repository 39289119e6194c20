/** Wrong arguments of the helpers for the AI SDK are told where they are given. */
import { expect, test } from 'vitest';
import { readCalls, readingMiddleware, readingProvider, toUIMessageResponse, toUIMessageStream } from '../ai-sdk.ts';

const model = { modelId: 'm', doGenerate: async () => ({}), doStream: async () => ({}) };
const MAKERS: Readonly<Record<string, (options: never) => unknown>> = {
  'readCalls()': (options) => readCalls(model, options),
  'readingProvider()': (options) => readingProvider({}, options),
  'readingMiddleware()': (options) => readingMiddleware(options),
};
const OPTIONS: [options: object, words: string][] = [
  [{ tolls: 'prompt' }, 'WHO has no option "tolls". The options are: dialect, tools, startInReasoning'],
  [{ dialect: 'hermez' }, 'dialect of WHO must be one of: '],
  [{ dialect: 5 }, 'dialect of WHO must be one of: '],
  [{ tools: 'promt' }, 'tools of WHO must be native or prompt'],
  [{ startInReasoning: 'yes' }, 'startInReasoning of WHO must be true or false'],
];
test.each(Object.entries(MAKERS))('%s refuses wrong options in words', (who, make) => {
  for (const [options, words] of OPTIONS) {
    expect(() => make(options as never)).toThrow(TypeError);
    expect(() => make(options as never)).toThrow(words.replace('WHO', who));
  }
  for (const options of [{}, { dialect: 'auto' }, { dialect: 'hermes', tools: 'prompt', startInReasoning: true }])
    expect(() => make(options as never)).not.toThrow();
});

const TAKERS: [words: RegExp, take: (value: never) => unknown][] = [
  [/^readCalls\(\) takes a language model/, readCalls],
  [/^readingProvider\(\) takes a provider/, readingProvider],
  [/^A stream for useChat takes a chat/, toUIMessageStream],
  [/^A stream for useChat takes a chat/, toUIMessageResponse],
];
test.each(TAKERS)('%s', (words, take) => {
  for (const value of [5, null, undefined, 'm']) expect(() => take(value as never)).toThrow(words);
});
