/** Callbacks that are only told something end neither the chat nor the process, whatever they do: callback × failure. */
import { expect, it, onTestFinished } from 'vitest';
import { watchEscapedErrors } from '../../tests/support/escaped-errors.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import { startScriptedServer } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const FAILURES: readonly (readonly [string, () => unknown])[] = [
  [
    'throws',
    () => {
      throw new Error('logger down');
    },
  ],
  ['rejects', () => Promise.reject(new Error('logger down'))],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['never settles', () => new Promise(() => {})],
  ['returns rubbish', () => Symbol('rubbish')],
];
const CALLBACKS: Readonly<Record<string, (callback: () => never) => Partial<HarnessOptions>>> = {
  onConnection: (callback) => ({ onConnection: callback }),
  'io.onConnection': (callback) => ({ io: { onConnection: callback } }),
  'io.onWarning': (callback) => ({ io: { onWarning: callback } }),
  both: (callback) => ({ onConnection: callback, io: { onWarning: callback } }),
};

const escaped = watchEscapedErrors();

it.each(
  Object.entries(CALLBACKS).flatMap(([name, options]) =>
    FAILURES.map(([failure, callback]) => [name, failure, options(callback as () => never)] as const),
  ),
)('%s that %s', async (_name, _failure, options) => {
  await using server = await startScriptedServer({ turns: [{ text: 'Here.' }] });
  const harness = createHarness({
    // Warned of: it matches nothing.
    permissions: { allow: ['nothing_such(x)'] },
    model: { name: 'test-model', provider: 'openai', baseUrl: server.openaiUrl },
    workspace: scratchFolder(),
    ...options,
  });
  onTestFinished(() => harness.close());
  expect((await harness.chat('go')).answer).toBe('Here.');
  await harness.close();
  await new Promise(setImmediate);
  expect(escaped()).toEqual([]);
});
