/** An answer that is of no use is told as that, and not as a connection that broke: trying again would cost as much. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { PROVIDER_LIMITS } from '../providers/limits.ts';
import { scriptedProvider, startScriptedServer } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const LONG = 'word '.repeat(PROVIDER_LIMITS.modelAnswerCharacters / 10 + 1);

test.each(['content', 'reasoning_content'])('an endless %s', async (field) => {
  const line = `data: ${JSON.stringify({ choices: [{ delta: { [field]: LONG } }] })}\n\n`;
  await using server = await startScriptedServer({ turns: [{ raw: [line, line, line] }] });
  const model = { name: 'test-model', provider: 'openai', baseUrl: server.openaiUrl };
  const harness = createHarness({ model, tools: [], workspace: scratchFolder() });
  onTestFinished(() => harness.close());
  const error = await harness.chat('Go').then(undefined, (thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: 'ModelFailure',
    code: 'protocol',
    message: expect.stringMatching(/grew past/),
    partial: { finishReason: 'error' },
  });
});

test.each([
  [['no', 'no', 'no'].map((text) => ({ text })), 'error'],
  [[{ text: 'no', finish: 'length' as const }], 'length'],
])('an answer that never fits its schema: %j', async (turns, finishReason) => {
  const provider = scriptedProvider(turns);
  const harness = createHarness({ model: 'm', provider, tools: [], workspace: scratchFolder() });
  onTestFinished(() => harness.close());
  const schema = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] } as const;
  const error = await harness.chat('Go', { schema }).then(undefined, (thrown: unknown) => thrown);
  expect(error).toMatchObject({ name: 'ModelFailure', code: 'protocol', partial: { finishReason } });
});
