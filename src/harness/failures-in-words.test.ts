/** What a program can do nothing with says what to write instead. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const failureOf = async (options: Partial<HarnessOptions>): Promise<unknown> => {
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([]),
    workspace: scratchFolder(),
    ...options,
  });
  onTestFinished(() => harness.close());
  return await harness.chat('hello').then(
    () => 'an answer',
    (error: unknown) => error,
  );
};

const inFiles = (): Partial<HarnessOptions> => {
  const base = scratchFolder();
  const folders = { config: base, data: base, cache: base, sessions: `${base}/sessions`, undo: `${base}/undo` };
  return { storage: { kind: 'files', folders } };
};

test.each<[string, () => Partial<HarnessOptions>, RegExp]>([
  [
    'in memory',
    () => ({}),
    /^There is no session "nope" that fork could copy\. storage is 'memory', .*storage: 'files'/,
  ],
  ['in files', inFiles, /^There is no session "nope" that fork could copy\. Without fork/],
])('fork of a session that there is not, %s', async (_name, options, words) => {
  expect(await failureOf({ ...options(), session: 'nope', fork: true })).toMatchObject({
    name: 'ModelFailure',
    reason: 'not_found',
    message: expect.stringMatching(words),
  });
});

test.each<[string, RegExp]>([
  ['m', /there is no model "m"\. .*as in "ollama\/m".*ollama, openai, llama-cpp, embedded/],
  ['olama/m', /There is no provider "olama"\. Did you mean ollama\?/],
])('model %s, where nothing answers', async (model, words) => {
  const io = { environment: { HOME: scratchFolder(), OLLAMA_HOST: '127.0.0.1:9' }, onWarning: () => {} };
  expect(await failureOf({ model, provider: undefined, io } as Partial<HarnessOptions>)).toMatchObject({
    name: 'ModelFailure',
    code: 'model_not_found',
    message: expect.stringMatching(words),
  });
});

test.each([[undefined], [null], ['ollama/m'], [{}], [{ model: null }]])(
  'createHarness(%j) says what it takes',
  (options) => {
    expect(() => createHarness(options as never)).toThrow(/createHarness\(\{ model: 'ollama\/qwen3:4b' \}\)/);
  },
);
