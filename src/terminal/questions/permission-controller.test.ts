/** A question that comes up while a message is being typed takes none of it for an answer. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { EventOf } from '../../core/events.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { createTheme } from '../theme.ts';
import type { QuestionsHost } from './host.ts';
import { PermissionController } from './permission-controller.ts';

const asked: EventOf<'permission_requested'> = {
  type: 'permission_requested',
  v: 1,
  seq: 1,
  time: 1,
  tool_call_id: 'c1',
  risk: 'high',
  rule: { tool: 'bash', pattern: 'ls' },
} as unknown as EventOf<'permission_requested'>;

const scene = () => {
  let now = 1_000;
  let timers: { at: number; then: () => void }[] = [];
  const sent: Record<string, unknown>[] = [];
  const typed: string[] = [];
  const host = {
    session: () => ({
      log: () => [],
      send: async (command: Record<string, unknown>) => {
        sent.push(command);
        return { ok: true };
      },
    }),
    transcript: () => ({ call: () => ({ name: 'bash', arguments: { command: 'ls' } }), tool: () => undefined }),
    sandbox: { text: 'sandboxed', confined: true },
    mode: () => 'ask',
    theme: createTheme({ LANG: 'C.UTF-8', NO_COLOR: '1' }),
    now: () => now,
    print: () => {},
    cancel: () => {},
    type: (text: string) => typed.push(text),
    after: (ms: number, then: () => void) => {
      const timer = { at: now + ms, then };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    open: () => {},
    armed: () => {},
  } as unknown as QuestionsHost;
  const controller = new PermissionController(host);
  const wait = async (ms: number): Promise<void> => {
    now += ms;
    const due = timers.filter(({ at }) => at <= now);
    timers = timers.filter(({ at }) => at > now);
    for (const { then } of due) then();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const draw = (): void => {
    controller.prompt?.lines(100, 1_000, now);
    controller.prompt?.shown(now);
  };
  controller.add(asked);
  draw();
  /** Each key after so many milliseconds. */
  const keys = async (text: string, everyMs: number): Promise<void> => {
    for (const key of text) {
      await wait(everyMs);
      draw();
      await controller.key(key);
    }
  };
  return { controller, keys, wait, sent, typed: () => typed.join('') };
};

const PAUSE_MS = TERMINAL_LIMITS.questionArmMs * 2;
const SETTLE_MS = TERMINAL_LIMITS.questionSettleMs * 2;

describe('a permission question in the middle of typing', () => {
  it.each(['3 is my favourite number', 'read src/mod2.js', 'another one', '12 apples'])(
    'takes nothing of "%s", whether typed at once or after a pause, and keeps it for the message',
    async (text) => {
      verifies('Z9');
      for (const pauseMs of [0, PAUSE_MS]) {
        for (const everyMs of [0, 20, TERMINAL_LIMITS.questionSettleMs - 1]) {
          const { keys, wait, sent, typed } = scene();
          await wait(pauseMs);
          await keys(text, everyMs);
          await wait(PAUSE_MS);
          expect([sent, typed()]).toEqual([[], text]);
        }
      }
    },
  );

  it.each([
    ['1', 'allow_once'],
    ['2', 'session'],
    ['3', 'remember'],
  ])('takes %s alone for an answer', async (key, decision) => {
    verifies('Z9');
    const { keys, wait, sent, typed } = scene();
    await wait(PAUSE_MS);
    await keys(key, 0);
    expect(sent).toEqual([]);
    await wait(SETTLE_MS);
    expect(sent).toMatchObject([{ type: 'resolve_permission', decision }]);
    expect(typed()).toBe('');
  });

  it('denies at once, with a reason', async () => {
    const { keys, wait, controller, sent } = scene();
    await wait(PAUSE_MS);
    await keys('4not now', 0);
    await controller.key('\r');
    expect(sent).toMatchObject([{ decision: 'deny', reason: 'not now' }]);
  });

  it('keeps a paste for the message', async () => {
    const { wait, controller, sent, typed } = scene();
    await wait(PAUSE_MS);
    await controller.key('\x1b[200~3\n3\n3\x1b[201~');
    await wait(PAUSE_MS);
    expect([sent, typed()]).toEqual([[], '\x1b[200~3\n3\n3\x1b[201~']);
  });
});
