/** Methods of a provider of one's own that no chat asks: what is wrong with an answer is a failure that says so. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchEscapedErrors } from '../../../tests/support/escaped-errors.ts';
import { WRONG } from '../../../tests/support/wrong-callbacks.ts';
import type { ModelProvider } from '../../core/model-port.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { ownProvider } from './own-provider.ts';

type Asked = (provider: ModelProvider, signal: AbortSignal) => Promise<unknown> | undefined;
const REQUEST = { model: 'm', messages: [], tools: [], sampling: {} };
const TOOL = { type: 'function', function: { name: 'look', description: '', parameters: {} } } as const;

const METHODS: Readonly<Record<string, { wrong(callback: () => never): Partial<ModelProvider>; ask: Asked }>> = {
  models: { wrong: (callback) => ({ models: callback }), ask: (provider, signal) => provider.models(signal) },
  describe: {
    wrong: (callback) => ({ describe: callback }),
    ask: (provider, signal) => provider.describe('m', signal),
  },
  decodeToolCall: {
    wrong: (callback) => ({ decodeToolCall: callback }),
    ask: (provider, signal) => provider.decodeToolCall?.({ ...REQUEST, tool: TOOL }, signal),
  },
  embed: {
    wrong: (callback) => ({ embed: callback }),
    ask: (provider, signal) => provider.embed?.({ model: 'm', texts: ['a'] }, signal),
  },
  'warmUp.read': {
    wrong: (callback) => ({ warmUp: { read: callback } }),
    ask: (provider, signal) => provider.warmUp?.read(REQUEST, signal),
  },
};

const escaped = watchEscapedErrors();

describe.each(Object.entries(METHODS))('%s', (method, { wrong, ask }) => {
  const asked = (answer: () => unknown, signal = new AbortController().signal) => {
    const provider = ownProvider({ ...scriptedProvider([], { name: 'mine' }), ...wrong(answer as () => never) });
    onTestFinished(() => provider.close());
    return ask(provider, signal);
  };

  test.each(Object.entries(WRONG))('that %s is a failure in words', async (_what, misbehave) => {
    const answer = (await asked(misbehave)) as { ok: boolean; error: { code: string; message: string } };
    expect(answer).toMatchObject({ ok: false, error: { code: 'protocol' } });
    expect(answer.error.message).toMatch(
      new RegExp(`^The provider mine (?:broke its contract: what ${method} resolved|failed in ${method}: )`),
    );
    await new Promise((resolve) => setImmediate(resolve));
    expect(escaped()).toEqual([]);
  });

  test('that never answers ends where nobody waits any more', async () => {
    const controller = new AbortController();
    const answer = asked(() => new Promise(() => {}), controller.signal);
    controller.abort();
    expect(await answer).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  });
});
