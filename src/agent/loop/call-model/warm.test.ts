import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { Progress } from '../../../core/events.ts';
import type { ModelProvider, ModelRequest } from '../../../core/model-port.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import { createWarmUp } from './warm.ts';

const REQUEST: ModelRequest = { model: 'm', messages: [], tools: [], sampling: {} };
type WarmUp = NonNullable<ModelProvider['warmUp']>;

const start = (warmUp: WarmUp | undefined) => {
  const waiting: { ms: number; work: () => void }[] = [];
  const told: Extract<Progress, { type: 'warm_up' }>[] = [];
  const warm = createWarmUp({
    provider: warmUp ? { warmUp } : {},
    upcoming: async () => REQUEST,
    isBusy: () => false,
    progress: (update) => told.push(update),
    after: (ms, work) => {
      const entry = { ms, work };
      waiting.push(entry);
      return () => void waiting.splice(waiting.indexOf(entry), 1);
    },
  });
  const pass = (): void => {
    for (const { work } of waiting.splice(0)) work();
  };
  return { warm, waiting, told, pass };
};
const states = (told: readonly { state: string }[]): string[] => told.map(({ state }) => state);

describe('reading ahead', () => {
  it('waits a moment, reads what comes next, and says so', async () => {
    verifies('B4');
    const read: ModelRequest[] = [];
    const begun = Promise.withResolvers<void>();
    const usage = { prompt_tokens: 900, completion_tokens: 1, seconds: 2 };
    const { warm, told, pass } = start({
      read: async (request) => {
        read.push(request);
        begun.resolve();
        return { ok: true, usage };
      },
    });
    warm.idle();
    expect(read).toEqual([]);
    pass();
    await begun.promise;
    await warm.stop();
    expect(read).toEqual([REQUEST]);
    expect(states(told)[0]).toBe('started');
  });

  it('gives way to a message at once', async () => {
    verifies('B4');
    const gate = Promise.withResolvers<void>();
    const { warm, told, pass } = start({
      read: (_, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve({ ok: false, error: { code: 'cancelled', message: '' } }));
          gate.promise.then(() => resolve({ ok: true }));
        }),
    });
    warm.idle();
    pass();
    warm.hear({ seq: 1, at: 0, type: 'user_message_added', content: 'hello' });
    await warm.stop();
    expect(states(told)).toEqual(['started', 'cancelled']);
  });

  it('is not begun where it was called off while the window was asked for', async () => {
    let reads = 0;
    const { warm, told, pass } = start({
      read: async () => {
        reads += 1;
        return { ok: true };
      },
    });
    warm.idle();
    pass();
    await warm.stop();
    expect(reads).toBe(0);
    expect(states(told)).toEqual(['started', 'cancelled']);
  });

  it('is called off by a message that comes before it began, and comes again after the run', () => {
    const { warm, waiting } = start({ read: async () => ({ ok: true }) });
    warm.idle();
    warm.hear({ seq: 1, at: 0, type: 'user_message_added', content: 'hello' });
    expect(waiting).toHaveLength(0);
    warm.hear({ seq: 2, at: 0, type: 'run_completed', sources: [] });
    expect(waiting).toHaveLength(1);
  });

  it('is done again where a server would put the model out of memory otherwise', async () => {
    const { warm, waiting, pass } = start({ againAfterMs: 600_000, read: async () => ({ ok: true }) });
    warm.idle();
    pass();
    await new Promise(setImmediate);
    expect(waiting.map(({ ms }) => ms)).toEqual([600_000]);
    await warm.stop();
    expect(waiting).toEqual([]);
  });

  it('never happens where the engine is not a local one', () => {
    const { warm, waiting } = start(undefined);
    warm.idle();
    expect(waiting).toEqual([]);
  });
});

const withSession = async (warmUp: boolean) => {
  const warmed = Promise.withResolvers<ModelRequest>();
  const again = Promise.withResolvers<ModelRequest>();
  const read: ModelRequest[] = [];
  const scripted = scriptedProvider(() => ({ text: 'Hello.' }));
  const halter = await assembled({
    ...(warmUp ? { warmUp } : {}),
    modelProvider: {
      ...scripted,
      warmUp: {
        read: async (request) => {
          read.push(structuredClone(request));
          (read.length === 1 ? warmed : again).resolve(request);
          return { ok: true };
        },
      },
    },
  });
  const session = await openedSession(halter, { keep: false });
  return { session, scripted, read, warmed: warmed.promise, again: again.promise };
};

describe('a session', () => {
  it('has read ahead exactly what its requests begin with', async () => {
    verifies('B4');
    const { session, scripted, read, warmed, again } = await withSession(true);
    await warmed;
    await say(session, 'one');
    await again;
    await say(session, 'two');
    for (const [index, ahead] of read.slice(0, 2).entries()) {
      const request = scripted.requests[index];
      expect(request?.messages.slice(0, ahead.messages.length)).toEqual(ahead.messages);
      expect(request?.tools).toEqual(ahead.tools);
      expect(ahead.messages).toHaveLength(index === 0 ? 1 : 3);
    }
  });

  it('does nothing of the kind unless it is asked to', async () => {
    const { session, read } = await withSession(false);
    await say(session, 'one');
    expect(read).toEqual([]);
  });
});

/** One session, opened again by another halter with its own window. */
const openedInWindows = () => {
  const folder = scratchFolder();
  const home = scratchFolder();
  return async (window: number, isTold: boolean, warmUp: boolean) => {
    const reads: PromiseWithResolvers<ModelRequest>[] = [];
    let count = 0;
    const nth = (index: number): PromiseWithResolvers<ModelRequest> => {
      reads[index] ??= Promise.withResolvers<ModelRequest>();
      return reads[index];
    };
    const answer = () => ({ text: 'Hello.' });
    const { provider: scripted } = smallWindowServer({ window, isTold, answer });
    const halter = await assembled({
      folder,
      environment: { HOME: home },
      warmUp,
      modelProvider: {
        ...scripted,
        warmUp: {
          read: async (request) => {
            nth(count).resolve(structuredClone(request));
            count += 1;
            return { ok: true };
          },
        },
      },
    });
    const session = await openedSession(halter, { continueLast: true });
    return { session, scripted, read: (index: number) => nth(index).promise };
  };
};

describe('a window that is much smaller than the one a session began in', () => {
  it.each([
    ['told', true],
    ['learned from a refusal', false],
  ])('is read ahead with what its requests begin with: %s', async (_name, isTold) => {
    verifies('B4', 'B7');
    const open = openedInWindows();
    const large = await open(32_768, true, false);
    await say(large.session, 'one');
    await large.session.close();
    const small = await open(2_048, isTold, true);
    if (isTold) await expectSameHead(small, 0, 'two');
    else {
      await small.read(0);
      await say(small.session, 'two');
    }
    await small.read(1);
    await expectSameHead(small, 1, 'three');
    await small.session.close();
  });
});

type Opened = Awaited<ReturnType<ReturnType<typeof openedInWindows>>>;
const expectSameHead = async ({ session, scripted, read }: Opened, index: number, message: string): Promise<void> => {
  const ahead = await read(index);
  await say(session, message);
  const request = scripted.requests.at(-1);
  expect(request?.messages[0]).toEqual(ahead.messages[0]);
  expect(request?.tools).toEqual(ahead.tools);
  expect(wireSize(ahead)).toBeLessThanOrEqual(2_048);
};
