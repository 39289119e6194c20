/** The smallest number of each limit works, and a tool or an executor takes no other. */
import { expect, onTestFinished, test } from 'vitest';
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import { createToolExecutor } from '../core/tool-executor.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const NO_NUMBERS = [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '5', {}, null, true] as const;
/** The smallest that each may be. */
const SMALLEST: Readonly<Record<keyof Limits, number>> = {
  toolCallsPerIteration: 1,
  iterations: 1,
  repairs: 0,
  toolTimeoutMs: 1,
  summaryCharacters: 0,
};
const NAMES = Object.keys(DEFAULT_LIMITS) as (keyof Limits)[];
const TOO_LONG_MS = 2 ** 31;

const look = defineTool({
  name: 'look',
  description: 'Look',
  risk: 'safe',
  parameters: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] },
  run: ({ at }) => `a sea at ${at}`,
});
const open = (options: Partial<HarnessOptions>) => {
  const call = (args: object) => ({ name: 'look', arguments: args as { at: string } });
  const provider = scriptedProvider([
    { calls: [call({ at: 'noon' }), call({ at: 'night' })] },
    { text: 'Done.' },
    { text: 'Done.' },
  ]);
  const harness = createHarness({ model: 'm', provider, tools: [look], ...options });
  onTestFinished(() => harness.close());
  return { harness, provider };
};

test.each(NAMES)('the limit %s may be the smallest', async (name) => {
  const { harness } = open({ limits: { [name]: SMALLEST[name] }, results: 'summary' });
  const ended = await harness.chat('go').then(
    (result) => result,
    (error: { partial?: object }) => error.partial,
  );
  expect(ended).toMatchObject({ answer: 'Done.' });
  expect(() => open({ limits: { [name]: SMALLEST[name] - 1 } })).toThrow(new RegExp(`limits\\.${name} must be`));
});

test('at one round of calls the model answers without tools, and the chat rejects', async () => {
  const { harness, provider } = open({ limits: { iterations: 1 } });
  await expect(harness.chat('go')).rejects.toMatchObject({
    name: 'ToolLoopLimitReached',
    partial: { answer: 'Done.' },
  });
  expect(provider.requests).toHaveLength(2);
});

test.each([...NO_NUMBERS.filter((value) => value !== null), TOO_LONG_MS])('timeout_ms of a tool is not %j', (value) => {
  expect(() => defineTool({ ...look, run: () => 'x', timeout_ms: value as number })).toThrow(
    /^timeout_ms of look must be milliseconds: a whole number/,
  );
});

test.each([...NO_NUMBERS, 0])('an executor has no limit of %j', (value) => {
  for (const name of ['iterations', 'toolCallsPerIteration'] as const)
    expect(() => createToolExecutor({ policy: () => 'allow' as never, limits: { [name]: value } })).toThrow(name);
});
