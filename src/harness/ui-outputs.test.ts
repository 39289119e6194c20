/** What a page of `useChat` gets of a result: text that a tool gave stays text, whatever it looks like. */
import { expect, onTestFinished, test } from 'vitest';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { defineTool, ok } from '../core/index.ts';
import { toUIMessageStream } from '../dialects/ai-sdk.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';

const outputOf = async (value: unknown, pure = false): Promise<unknown> => {
  const give = defineTool({
    name: 'give',
    description: 'Gives it',
    parameters: { type: 'object', properties: {} },
    risk: 'safe',
    pure,
    run: () => value,
  });
  const call = { calls: [{ name: 'give', arguments: {} }] };
  const harness = createHarness({
    model: 'm',
    provider: scriptedProvider([call, { text: 'Once.' }, call, { text: 'Done.' }]),
    workspace: scratchFolder(),
    tools: [give],
  });
  onTestFinished(() => harness.close());
  // The second time a pure tool's result is an earlier one.
  await harness.chat('Go.');
  const outputs: unknown[] = [];
  for await (const chunk of toUIMessageStream(harness.chat('Again.')))
    if (chunk.type === 'tool-output-available') outputs.push(chunk['output']);
  return outputs;
};

test.each<[string, unknown, unknown]>([
  ['text that looks like a list', '[1]', '[1]'],
  ['text that looks like an object', ' {"a":1}', ' {"a":1}'],
  ['text that looks like a number', '123', '123'],
  ['a list', [1], [1]],
  ['an object', { a: '[1]' }, { a: '[1]' }],
  ['a number', 123, 123],
  ['a truth value', false, false],
  ['null', null, null],
  ['a map', new Map([['a', 1]]), { a: 1 }],
  ['ok() with text', ok('[1]'), '[1]'],
  ['ok() with a list', ok([1]), [1]],
  ['nothing', undefined, ''],
  ['a list too long to be told whole', Array.from({ length: 40_000 }, () => 1), expect.any(String)],
])('%s', async (_name, value, output) => {
  expect(await outputOf(value)).toEqual([output]);
  expect(await outputOf(value, true)).toEqual([output]);
});
