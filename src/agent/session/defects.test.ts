/** A defect in any part that a session works with ends the run and nothing else. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Event, EventOf, SessionFace, SessionUpdate } from '../../core/events.ts';
import { DEFAULT_LIMITS } from '../../core/limits.ts';
import type { ModelProvider } from '../../core/model-port.ts';
import { defineTool } from '../../core/tool/define-tool.ts';
import { createHarness } from '../../harness/create-harness.ts';
import { type ScriptedProviderSource, scriptedProvider } from '../../testing/index.ts';
import { createToolRegistry } from '../loop/run-tool/tool-registry.ts';
import { createSession, type SessionOptions } from '../session.ts';

class Broken extends Error {
  override name = 'BrokenPart';
}
const broken = (): never => {
  throw new Broken('it broke');
};

const ended = (session: SessionFace): EventOf<'run_stopped'> | undefined =>
  session.log().findLast((event) => event.type === 'run_stopped');

/** The provider breaks in one place, once; after that it answers. */
const breakingOnce = (turns: ScriptedProviderSource[], breaks: Partial<ModelProvider>): ModelProvider => {
  const provider = scriptedProvider(turns);
  let left = 1;
  const once = Object.entries(breaks).map(([name, method]) => [
    name,
    (...args: never[]) => {
      const own = provider[name as 'stream'] as ((...args: never[]) => unknown) | undefined;
      if (left === 0) return own?.(...args);
      left = 0;
      return (method as (...args: never[]) => unknown)(...args);
    },
  ]);
  return { ...provider, ...Object.fromEntries(once) };
};

const LONG = 'word '.repeat(3_200);

describe('a defect in an effect', () => {
  test.each<[string, Partial<ModelProvider>, string?, string?]>([
    ['stream throws', { stream: broken }],
    ['stream rejects', { stream: async () => broken() }],
    [
      'stream rejects after a part',
      {
        async stream(_request, emit) {
          emit({ type: 'text_delta', delta: 'a' });
          return broken();
        },
      },
    ],
    ['stream resolves with nothing', { stream: (async () => undefined) as never }, 'protocol', 'model_unusable'],
    ['the prompt cannot be counted', { countTokens: broken }],
  ])(
    'of the model (%s) ends the run with its name, and the next message is answered',
    async (name, breaks, named = 'BrokenPart', reason = 'error') => {
      verifies('B5');
      const provider = breakingOnce([{ text: 'fine' }], breaks);
      const halter = await assembled({ modelProvider: { ...provider, describe: async () => described } });
      const session = await openedSession(halter);
      await say(session, name === 'the prompt cannot be counted' ? LONG : 'go');
      expect(ended(session)).toMatchObject({ reason, name: named });
      await say(session, 'again');
      expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
      await session.close();
    },
  );

  test.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '12', null, {}])(
    'a prompt that is counted as %o ends the run with the name of the method',
    async (count) => {
      const provider = breakingOnce([{ text: 'fine' }], { countTokens: (async () => count) as never });
      const halter = await assembled({ modelProvider: { ...provider, describe: async () => described } });
      const session = await openedSession(halter);
      await say(session, LONG);
      expect(ended(session)).toMatchObject({ reason: 'error', message: expect.stringContaining('countTokens') });
      await session.close();
    },
  );

  test('a chat rejects with the defect, and the harness closes', async () => {
    const provider = breakingOnce([{ text: 'fine' }], { stream: broken });
    const harness = createHarness({ model: 'm', provider, workspace: scratchFolder() });
    await expect(harness.chat('go')).rejects.toMatchObject({ name: 'BrokenPart', message: 'it broke' });
    expect((await harness.chat('again')).answer).toBe('fine');
    await harness.close();
  });

  test('a provider that hears no abort does not keep the session open', async () => {
    const provider: ModelProvider = { ...scriptedProvider([]), stream: () => new Promise(() => {}) };
    const halter = await assembled({ modelProvider: provider });
    const session = await openedSession(halter);
    await session.send({ type: 'send_message', content: 'go' });
    await session.close();
    expect(session.log().at(-2)).toMatchObject({ type: 'run_stopped', name: 'Interrupted' });
  });

  test('a tool whose parts break gives every call its result', async () => {
    const parts = {
      name: 'odd',
      description: 'Odd.',
      risk: 'medium',
      effects: 'write',
      parameters: { type: 'object', properties: {} },
      run: async () => 'ran',
    } as const;
    const tool = { ...defineTool(parts), identity: broken };
    const calls = [
      { id: 'a', name: 'odd', arguments: {} },
      { id: 'b', name: 'odd', arguments: {} },
    ];
    const provider = scriptedProvider([{ calls }, { text: 'fine' }]);
    const harness = createHarness({ model: 'm', provider, tools: [tool], workspace: scratchFolder() });
    onTestFinished(() => harness.close());
    expect((await harness.chat('go')).answer).toBe('fine');
    const results = provider.requests.at(-1)?.messages.filter(({ role }) => role === 'tool');
    expect(results?.map(({ content }) => content)).toEqual([
      expect.stringContaining('identity of odd failed: it broke'),
      expect.stringContaining('identity of odd failed: it broke'),
    ]);
  });
});

const described = { ok: true, model: { id: 'test-model', context_length: 8_192 } } as const;

const bare = async (options: Partial<SessionOptions>): Promise<{ session: SessionFace; heard: SessionUpdate[] }> => {
  const session = await createSession({
    id: 's',
    workspace: '/w',
    model: 'm',
    events: [],
    limits: DEFAULT_LIMITS,
    clock: { now: () => 1, monotonic: () => 1 } as never,
    registry: createToolRegistry([]),
    runEffects: async (handle, effect) => {
      if (effect.type === 'call_model') {
        const message = { role: 'assistant', content: 'hi', tool_calls: [], finish: 'stop' } as const;
        await handle.dispatch({ type: 'assistant_message_added', message: { ...message, tool_calls: [] } });
      } else if (effect.type === 'run_completed') await handle.dispatch({ type: 'run_completed', sources: [] });
      else if (effect.type === 'stop_run') {
        const { reason, name, message } = effect;
        await handle.dispatch({ type: 'run_stopped', reason, name, message });
      }
    },
    ...options,
  });
  const heard: SessionUpdate[] = [];
  session.subscribe((update) => heard.push(update));
  return { session, heard };
};
const KEPT = { ok: true, value: undefined };
const warnings = (heard: readonly SessionUpdate[]): string[] =>
  heard.flatMap((update) => (update.type === 'warning' ? [`${update.code}: ${update.message}`] : []));

describe('a defect around a session', () => {
  test('of a listener reaches neither the run nor the others', async () => {
    const { session, heard } = await bare({});
    session.subscribe(broken);
    session.subscribe(async () => broken());
    const late = vi.fn();
    session.subscribe(late);
    await say(session);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
    expect(late).toHaveBeenCalledWith(session.log().at(-1));
    expect(warnings(heard)).toEqual(
      Array.from({ length: 2 }, () => expect.stringMatching(/^listener_failed: .*BrokenPart: it broke/)),
    );
  });

  test('of the log is told, and nothing more is started', async () => {
    const { session, heard } = await bare({
      log: { append: async ({ seq }: Event) => (seq > 1 ? broken() : KEPT), close: async () => {} } as never,
    });
    await say(session);
    expect(warnings(heard).join()).toContain('BrokenPart');
    await session.close();
  });

  test('of what closes leaks nothing else', async () => {
    const closed: string[] = [];
    const { session, heard } = await bare({
      log: { append: async () => KEPT, close: broken } as never,
      closing: [
        ['one', async () => broken()],
        ['two', () => void closed.push('two')],
      ],
    });
    await Promise.all([session.close(), session.close()]);
    expect(closed).toEqual(['two']);
    expect(warnings(heard)).toHaveLength(2);
  });

  test('of a command is an answer', async () => {
    const { session } = await bare({ changeModel: broken });
    expect(await session.send({ type: 'change_model', model: 'x' })).toMatchObject({ ok: false });
    await say(session);
    expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
  });

  test('of every effect in turn leaves the session idle and usable', async () => {
    for (const type of ['call_model', 'run_completed', 'stop_run']) {
      let left = 1;
      const { session } = await bare({
        runEffects: async (handle, effect) => {
          if (effect.type === type && left-- > 0) broken();
          if (effect.type === 'call_model') {
            if (type === 'stop_run' && left > 0) {
              await handle.dispatch({ type: 'model_failed', code: 'server_error', message: 'no' });
              return;
            }
            const message = { role: 'assistant', content: 'hi', tool_calls: [], finish: 'stop' } as const;
            await handle.dispatch({ type: 'assistant_message_added', message: { ...message, tool_calls: [] } });
          } else if (effect.type === 'run_completed') await handle.dispatch({ type: 'run_completed', sources: [] });
        },
      });
      await say(session);
      expect(ended(session)).toMatchObject({ name: 'BrokenPart' });
      await say(session);
      expect(session.log().at(-1)).toMatchObject({ type: 'run_completed' });
      await session.close();
    }
  });
});

test('a preview that never settles is not waited for longer than its limit', async () => {
  verifies('H7');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const abort = vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), ms);
    return controller.signal;
  });
  onTestFinished(() => abort.mockRestore());
  const tool = {
    ...defineTool({
      name: 'slow',
      description: 'Slow.',
      risk: 'medium',
      effects: 'write',
      parameters: { type: 'object', properties: {} },
      run: async () => 'ran',
    }),
    preview: () => new Promise<never>(() => {}),
  };
  const halter = await assembled({
    modelProvider: scriptedProvider([{ calls: [{ name: 'slow', arguments: {} }] }, { text: 'fine' }]),
    plugins: { tools: [tool], dialects: [], commands: [], providers: {} } as never,
  });
  const session = await openedSession(halter);
  const asked = nextEvent(session, 'permission_requested');
  await session.send({ type: 'send_message', content: 'go' });
  await vi.waitFor(() => expect(abort).toHaveBeenCalled(), { timeout: 50_000 });
  await vi.advanceTimersByTimeAsync(10_000);
  expect((await asked).preview).toBeUndefined();
  await session.send({ type: 'cancel' });
});
