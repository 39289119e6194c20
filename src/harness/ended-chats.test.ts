/** However a chat is ended from outside, it settles, its error is an AbortError, and that has what the chat was worth. */
import { describe, expect, it } from 'vitest';
import { defineTool } from '../core/tool/define-tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { ChatOptions } from './chat-options.ts';
import { createHarness, type Harness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const never = (): Promise<never> => new Promise(() => {});
const tool = (run: () => unknown, more: object = {}) =>
  defineTool({
    name: 'look',
    description: 'Look',
    risk: 'safe',
    parameters: { type: 'object', properties: {} },
    run,
    ...more,
  });
const calling = { text: 'I look.', calls: [{ name: 'look', arguments: {} }] };
const hangingSchema = {
  '~standard': {
    version: 1 as const,
    vendor: 'mine',
    validate: never,
    jsonSchema: { input: () => ({ type: 'string' }), output: () => ({ type: 'string' }) },
  },
};

type Turns = Parameters<typeof scriptedProvider>[0];
/** What the chat waits for when it is ended; `begun` is to be called there. */
type Moment = (begun: () => void) => { turns: Turns; options?: Partial<HarnessOptions>; chat?: ChatOptions };
const said = <T>(begun: () => void, value: T): T => {
  begun();
  return value;
};
const MOMENTS: Readonly<Record<string, Moment>> = {
  'before it began': (begun) => said(begun, { turns: [{ text: 'x', gate: never() }] }),
  'while the model writes': (begun) => ({ turns: [() => said(begun, { text: 'x', endGate: never() })] }),
  'while a tool runs': (begun) => ({ turns: [calling], options: { tools: [tool(() => said(begun, never()))] } }),
  'while the program is asked': (begun) => ({
    turns: [calling],
    options: { tools: [tool(() => 1, { risk: 'high' })], onPermission: () => said(begun, never()) },
  }),
  'while a step is prepared': (begun) => ({ turns: [], chat: { prepareStep: () => said(begun, never()) } }),
  'while stopWhen decides': (begun) => ({
    turns: [calling],
    options: { tools: [tool(() => 1)] },
    chat: { stopWhen: () => said(begun, never()) },
  }),
  'while the value is checked': (begun) => ({
    turns: [{ text: '"x"' }],
    chat: {
      schema: {
        '~standard': { ...hangingSchema['~standard'], validate: () => said(begun, never()) },
      },
    },
  }),
};

const ENDS: Readonly<Record<string, (harness: Harness, abort: AbortController) => unknown>> = {
  'its signal': (_harness, abort) => abort.abort(),
  'close()': (harness) => harness.close(),
};

describe('a chat that is ended', () => {
  for (const [moment, play] of Object.entries(MOMENTS)) {
    it.each(Object.entries(ENDS))(`${moment}, by %s, rejects with what it was worth`, async (_how, end) => {
      let begun = (): void => {};
      const waits = new Promise<void>((resolve) => {
        begun = resolve;
      });
      const { turns, options, chat } = play(begun);
      const harness = createHarness({ model: 'm', provider: scriptedProvider(turns), ...options });
      const abort = new AbortController();
      const result = harness.chat('Go', { ...chat, signal: abort.signal } as object).result();
      await waits;
      const ended = end(harness, abort);
      await expect(result).rejects.toMatchObject({ name: 'AbortError', partial: { finishReason: 'aborted' } });
      await ended;
      await harness.close();
    });
  }

  it('in the queue, before the one that it waits for, rejects with nothing', async () => {
    const harness = createHarness({ model: 'm', provider: scriptedProvider([{ text: 'x', gate: never() }]) });
    const first = harness.chat('One').result();
    const second = harness.chat('Two', { signal: AbortSignal.abort() }).result();
    const nothing = { answer: '', toolCalls: [], toolsUsed: [], finishReason: 'aborted', warnings: [] };
    await expect(second).rejects.toMatchObject({ name: 'AbortError', partial: nothing });
    await harness.close();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a check of the value that is the program’s own', () => {
  const schemaWith = (validate: () => unknown) => ({ '~standard': { ...hangingSchema['~standard'], validate } });
  const chatWith = (validate: () => unknown) => {
    const harness = createHarness({ model: 'm', provider: scriptedProvider([{ text: '"x"' }, { text: '"y"' }]) });
    return harness.chat('Go', { schema: schemaWith(validate) } as object);
  };
  const mine = new RangeError('mine');

  it.each([
    ['an error', mine],
    ['an error that takes no fields', Object.freeze(new RangeError('frozen'))],
    ['a text', 'words'],
    ['nothing', undefined],
  ])('that throws %s ends the chat with it, and the events say so', async (_what, thrown) => {
    const chat = chatWith(() => {
      throw thrown;
    });
    const types: string[] = [];
    const reading = (async () => {
      for await (const event of chat) types.push(event.type);
    })();
    const [ended] = await reading.then(
      () => [],
      (error: unknown) => [error],
    );
    // What is no error says nothing of its own.
    if (thrown instanceof Error) expect(ended).toBe(thrown);
    else expect(ended).toMatchObject({ message: `validate() of the schema failed: ${thrown}`, cause: thrown });
    expect(types.slice(-2)).toEqual(['error', 'turn_end']);
    if (thrown === mine) expect(mine).toMatchObject({ partial: { answer: '"x"', finishReason: 'error' } });
  });
});
