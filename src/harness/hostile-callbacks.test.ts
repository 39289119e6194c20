/** What a program's own callbacks throw, give back or leave open ends no more than the call or the run that it came of. */
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelProvider } from '../core/model-port.ts';
import { defineTool } from '../core/tool/define-tool.ts';
import type { Tool } from '../core/tool.ts';
import { scriptedProvider } from '../testing/index.ts';
import { createHarness } from './create-harness.ts';
import type { HarnessOptions } from './options.ts';

const call = { id: 'c1', name: 'act', arguments: { amount: 1 } };
type Run = (args: { amount: number }) => unknown;
type Act = { run?: Run; preview?: unknown; toModelOutput?: unknown };

const open = (options: Omit<Partial<HarnessOptions<Tool>>, 'model'>, { run = () => 'acted', ...more }: Act = {}) => {
  const act = defineTool({
    name: 'act',
    description: 'acts',
    risk: 'high',
    effects: 'process',
    parameters: { type: 'object', properties: { amount: { type: 'integer' } }, required: ['amount'] },
    run,
    ...(more as object),
  });
  const harness = createHarness({
    model: 'scripted',
    provider: scriptedProvider([{ calls: [call] }, { text: 'done' }]),
    storage: 'memory',
    tools: [act],
    onPermission: () => 'allow_once',
    ...options,
  });
  onTestFinished(() => harness.close());
  return harness;
};

const wordless = (): unknown => Object.create(null);
const failing = (): unknown => ({
  toString() {
    throw new Error('no words');
  },
});
const THROWN = [
  ['nothing that has words', wordless],
  ['what fails when it is asked for words', failing],
  ['undefined', () => undefined],
] as const;

describe.each(THROWN)('a callback that rejects with %s', (_what, thrown) => {
  const reject = (): Promise<never> => Promise.reject(thrown());

  it('denies as onPermission, in a chat and in executeTool', async () => {
    const harness = open({ onPermission: reject });
    const result = await harness.chat('go').result();
    expect(result.toolCalls.map((each) => each.result?.success)).toEqual([false]);
    const executed = await harness.executeTool('act', { amount: 1 });
    expect(executed).toMatchObject({ success: false, error_type: 'permission_denied' });
  });

  it.each(['run', 'preview', 'toModelOutput'] as const)('costs no more than its call as %s', async (name) => {
    const result = await open({}, { [name]: reject })
      .chat('go')
      .result();
    expect(result.answer).toBe('done');
  });

  it('ends the chat as prepareStep, and the harness closes', async () => {
    const harness = open({});
    await expect(harness.chat('go', { prepareStep: reject }).result()).rejects.toBeDefined();
    await harness.close();
  });

  it('ends the run as a provider', async () => {
    const provider: ModelProvider = { ...scriptedProvider([]), stream: reject };
    const harness = open({ provider });
    await expect(harness.chat('go').result()).rejects.toBeInstanceOf(Error);
    await harness.close();
  });
});

describe('a preview', () => {
  it.each([
    ['a promise in its place', () => ({ summary: 's', diff: Promise.resolve('d') })],
    ['a function in it', () => ({ summary: 's', diff: () => 'd' })],
    ['a number', () => 5],
    ['a summary that is no text', () => ({ summary: 5 })],
    ['a known result that is none', () => ({ summary: 's', known: 'acted' })],
  ])('that is %s is told as none, and the question is asked', async (_what, preview) => {
    const asked: unknown[] = [];
    const harness = open(
      {
        onPermission: ({ preview: shown }) => {
          asked.push(shown);
          return 'allow_once';
        },
      },
      { preview: async () => preview() },
    );
    expect((await harness.chat('go').result()).answer).toBe('done');
    expect(asked).toEqual([{ summary: expect.stringMatching(/^no preview: /) }]);
  });

  it('changes nothing of what is asked, of what runs and of what is told', async () => {
    const seen: unknown[] = [];
    const harness = open(
      {
        onPermission: ({ arguments: args }) => {
          seen.push(args);
          return 'allow_once';
        },
      },
      {
        preview: async (args: { amount: number }) => {
          args.amount = 1_000_000;
          return { summary: 's' };
        },
        run: (args) => {
          seen.push({ ...args });
          args.amount = 2_000_000;
          return 'acted';
        },
      },
    );
    const { toolCalls } = await harness.chat('go').result();
    expect(seen).toEqual([{ amount: 1 }, { amount: 1 }]);
    expect(toolCalls.map((each) => each.arguments)).toEqual([{ amount: 1 }]);
  });
});

describe('executeTool, where onPermission never answers,', () => {
  const waiting = () => {
    const asked = Promise.withResolvers<AbortSignal>();
    const harness = open({
      onPermission: ({ signal }) => {
        asked.resolve(signal);
        return new Promise<never>(() => {});
      },
    });
    return { harness, asked: asked.promise };
  };

  it('ends with its signal', async () => {
    const { harness, asked } = waiting();
    const cancel = new AbortController();
    const executed = harness.executeTool('act', { amount: 1 }, { signal: cancel.signal });
    const signal = await asked;
    cancel.abort();
    expect(await executed).toMatchObject({ success: false, metadata: { reason: 'cancelled' } });
    expect(signal.aborted).toBe(true);
  });

  it('ends with the harness', async () => {
    const { harness, asked } = waiting();
    const executed = harness.executeTool('act', { amount: 1 });
    const signal = await asked;
    await harness.close();
    expect(await executed).toMatchObject({ success: false, metadata: { reason: 'cancelled' } });
    expect(signal.aborted).toBe(true);
  });
});
