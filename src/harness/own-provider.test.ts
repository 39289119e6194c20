/** A provider that a program or a plugin brings may answer anything, or never: what is wrong is told, and nothing hangs. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ModelFailure } from '../core/errors.ts';
import type { ModelProvider } from '../core/model-port.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

type Wrong = readonly [what: string, value: unknown, told: RegExp];

const USUAL = { calls: [], finish: 'stop' };
const answer = (more: object): unknown => ({ ok: true, answer: { ...USUAL, ...more } });
const failed = (error: unknown): unknown => ({ ok: false, error, partial: false });
const call = (more: object): unknown =>
  answer({ calls: [{ name: 'look', arguments: {}, source: 'native', repairs: [], ...more }] });

/** What is no outcome of any method that has one. */
const NO_OUTCOME: readonly Wrong[] = [
  ['undefined', undefined, /not undefined/],
  ['a number', 5, /not 5/],
  ['null', null, /not null/],
  ['a text', 'Hello', /not "Hello"/],
  ['a list', [], /not a list/],
  ['an object of another kind', { text: 'Hello' }, /ok .*true or false/],
  ['a failure without an error', { ok: false }, /error .*object, not undefined/],
  ['a failure whose error is a text', failed('no'), /error .*object, not "no"/],
  [
    'an error of an unknown code',
    failed({ code: 'broken', message: 'no' }),
    /error\.code .*one of: unreachable.*"broken"/,
  ],
  ['an error without words', failed({ code: 'timeout' }), /error\.message .*a text, not undefined/],
];

const WRONG: readonly Wrong[] = [
  ...NO_OUTCOME,
  ['an answer that is none', { ok: true }, /answer .*object, not undefined/],
  ['no list of calls', { ok: true, answer: { finish: 'stop' } }, /answer\.calls .*list, not undefined/],
  ['calls that are no list', answer({ calls: 5 }), /answer\.calls .*list, not 5/],
  ['a call that is a text', answer({ calls: ['look'] }), /answer\.calls\[0\] .*object, not "look"/],
  ['a call without a name', call({ name: undefined }), /answer\.calls\[0\]\.name .*text/],
  ['arguments as a text', call({ arguments: '{}' }), /answer\.calls\[0\]\.arguments .*object, not "\{\}"/],
  ['arguments as a list', call({ arguments: [] }), /answer\.calls\[0\]\.arguments .*object, not a list/],
  [
    'arguments that are no JSON',
    call({ arguments: { at: () => 1 } }),
    /answer\.calls\[0\]\.arguments\.at .*JSON value, not a function/,
  ],
  ['an unknown finish', answer({ finish: 'done' }), /answer\.finish .*one of: stop, .*"done"/],
  ['no finish', answer({ finish: undefined }), /answer\.finish .*one of/],
  ['usage that is a number', answer({ usage: 5 }), /answer\.usage .*object, not 5/],
  ['usage without counts', answer({ usage: { prompt_tokens: '3' } }), /answer\.usage\.prompt_tokens .*number.*"3"/],
  ['repairs that are no list', answer({ repairs: {} }), /answer\.repairs .*list/],
];

const WRONG_PARTS: readonly Wrong[] = [
  ['undefined', undefined, /not undefined/],
  ['a text', 'Hello', /not "Hello"/],
  ['no type', { delta: 'Hello' }, /type .*one of: loading, /],
  ['an unknown type', { type: 'text', text: 'Hello' }, /type .*one of: .*"text"/],
  ['a delta that is a number', { type: 'text_delta', delta: 5 }, /delta .*a text, not 5/],
  ['no delta', { type: 'reasoning_delta' }, /delta .*a text, not undefined/],
  ['a call delta without an index', { type: 'tool_call_delta', arguments_delta: '' }, /index .*number/],
  ['progress without numbers', { type: 'prefill', processed: '1', total: 2 }, /processed .*number from 0 on, not "1"/],
  ['a warning without words', { type: 'warning', code: 'c' }, /message .*text/],
];

const open = (own: Partial<ModelProvider>, more: Partial<HarnessOptions> = {}) => {
  const provider: ModelProvider = { ...scriptedProvider([{ text: 'fine' }], { name: 'mine' }), ...own };
  const harness = createHarness({ model: 'test-model', provider, storage: 'memory', ...more });
  onTestFinished(() => harness.close());
  return harness;
};
const failureOf = async (harness: ReturnType<typeof open>): Promise<ModelFailure> => {
  const error: unknown = await harness.chat('go').then(
    () => new Error('it answered'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(ModelFailure);
  return error as ModelFailure;
};

describe('stream that resolves with', () => {
  test.each(WRONG)('%s is a failure that says what was wrong and where', async (_what, value, told) => {
    const harness = open({ stream: (async () => value) as never });
    const { code, message } = await failureOf(harness);
    expect(code).toBe('protocol');
    expect(message).toMatch(/^The provider mine broke its contract: what stream resolved with/);
    expect(message).toMatch(told);
  });
});

describe('stream that hands on', () => {
  test.each(WRONG_PARTS)('%s ends there, whether it ends itself or not', async (_what, part, told) => {
    const stopped = vi.fn();
    const harness = open({
      stream: (async (_request: unknown, emit: (part: unknown) => void, signal: AbortSignal) => {
        signal.addEventListener('abort', stopped);
        emit(part);
        return new Promise(() => {});
      }) as never,
    });
    const { code, message } = await failureOf(harness);
    expect(code).toBe('protocol');
    expect(message).toMatch(/^The provider mine broke its contract: what stream handed to emit/);
    expect(message).toMatch(told);
    expect(stopped).toHaveBeenCalled();
  });
});

describe.each([['describe', { describe: true }, { id: 'test-model' }, 'model']] as const)(
  '%s that',
  (method, model, good, field) => {
    const openWith = (answers: () => unknown) =>
      open({ [method]: async () => answers() } as never, { model: { name: 'test-model', ...model } });
    test.each<Wrong>([
      ...NO_OUTCOME,
      ['nothing where a value is due', { ok: true }, new RegExp(`${field} .*object, not undefined`)],
      ['a window that is a text', { ok: true, [field]: { ...good, context_length: '8k' } }, /context_length .*"8k"/],
      ['a window below nothing', { ok: true, [field]: { ...good, context_length: -1 } }, /context_length .*-1/],
      ['no name', { ok: true, [field]: {} }, /model\.id .*text/],
    ])('resolves with %s is a failure', async (_what, value, told) => {
      const { code, message } = await failureOf(openWith(() => value));
      expect(code).toBe('protocol');
      expect(message).toContain(`what ${method} resolved with`);
      expect(message).toMatch(told);
    });
    test('throws is a failure with its words', async () => {
      const { message } = await failureOf(
        openWith(() => {
          throw new TypeError('no idea');
        }),
      );
      expect(message).toMatch(/The provider mine failed in describe: no idea/);
    });
  },
);

test('a provider of a class keeps its own fields', async () => {
  class Mine implements ModelProvider {
    readonly #inner = scriptedProvider([{ text: 'fine' }]);
    readonly name = 'mine';
    readonly endpoint = 'mine:';
    stream: ModelProvider['stream'] = (...given) => this.#inner.stream(...given);
    models(signal: AbortSignal) {
      return this.#inner.models(signal);
    }
    describe(model: string, signal: AbortSignal) {
      return this.#inner.describe(model, signal);
    }
    close() {
      return this.#inner.close();
    }
  }
  const harness = createHarness({ model: { name: 'test-model', describe: true }, provider: new Mine() });
  onTestFinished(() => harness.close());
  expect((await harness.chat('go')).answer).toBe('fine');
});

describe('the harness closes, and a chat that waits ends, where', () => {
  const never = (): Promise<never> => new Promise(() => {});
  test.each<[string, Partial<ModelProvider>, Partial<HarnessOptions>]>([
    ['stream never settles', { stream: never }, {}],
    ['describe never settles', { describe: never }, { model: { name: 'test-model', describe: true } }],
    ['close never settles', { close: never }, {}],
    ['close throws', { close: () => Promise.reject(new Error('no')) }, {}],
    [
      'close throws at once',
      {
        close: () => {
          throw new Error('no');
        },
      },
      {},
    ],
    ['instructions never come', {}, { prompt: { projectInstructions: never } }],
  ])('%s', async (_what, own, more) => {
    const provider: ModelProvider = { ...scriptedProvider([{ text: 'fine' }], { name: 'mine' }), ...own };
    const warned: string[] = [];
    const harness = createHarness({
      model: 'test-model',
      provider,
      io: { onWarning: (_code, message) => void warned.push(message) },
      ...more,
    });
    const ended = harness.chat('go').then(
      () => 'answered',
      (error: Error) => error.name,
    );
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    if ('close' in own) expect(await ended).toBe('answered');
    let isClosed = false;
    const closing = harness.close().then(() => {
      isClosed = true;
    });
    // Each part has its limit; real time is not waited for.
    while (!isClosed) {
      await vi.advanceTimersByTimeAsync(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closing;
    if ('close' in own)
      expect(warned.join()).toMatch(/the provider mine (?:did not close within 2 s|could not be closed)/);
    else expect(await ended).toBe('AbortError');
  });
});
