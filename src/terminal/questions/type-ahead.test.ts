/** A question that comes up while a message is being typed takes none of it for an answer, whoever asks. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { EventOf, SessionUpdate } from '../../core/events.ts';
import type { ServerQuestion } from '../../core/server-question.ts';
import { createKeybindings, keyUse } from '../keybindings.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { Questions } from '../questions.ts';
import { createTheme } from '../theme.ts';
import type { QuestionsHost } from './host.ts';
import { PermissionController } from './permission-controller.ts';
import { ServerController } from './server-controller.ts';

type Controller = Pick<PermissionController | ServerController, 'key'> & {
  prompt: Pick<NonNullable<PermissionController['prompt']>, 'lines' | 'shown'> | undefined;
};

const permission = (host: QuestionsHost): Controller => {
  const controller = new PermissionController(host);
  const asked = {
    type: 'permission_requested',
    tool_call_id: 'c1',
    risk: 'high',
    rule: { tool: 'bash', pattern: 'ls' },
  };
  controller.add(asked as EventOf<'permission_requested'>);
  return controller;
};
const ofServer =
  (question: object) =>
  (host: QuestionsHost): Controller => {
    const controller = new ServerController(host);
    controller.add({ question_id: 'q1', server: 'files', message: 'Why', ...question } as ServerQuestion);
    return controller;
  };
const sampling = ofServer({ kind: 'sampling', prompt: 'Say hello', max_tokens: 10 });
const address = ofServer({ kind: 'url', url: 'https://example.com/' });
const form = ofServer({ kind: 'form', fields: { type: 'object', properties: { name: { type: 'string' } } } });

const scene = (open: (host: QuestionsHost) => Controller) => {
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
    takeBack: (text: string) => {
      if (typed.join('') === text) typed.length = 0;
    },
    erase: (count: number) => typed.splice(typed.length - count),
    isWriting: () => typed.length > 0,
    keyFor: (data: string) => keyUse(createKeybindings(), data),
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
  const controller = open(host);
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
  draw();
  /** Each key after so many milliseconds. */
  const keys = async (text: string, everyMs: number): Promise<void> => {
    for (const key of text) {
      await wait(everyMs);
      draw();
      await controller.key(key);
    }
  };
  return { host, controller, keys, wait, sent, typed: () => typed.join('') };
};

const PAUSE_MS = TERMINAL_LIMITS.questionArmMs * 2;
const SETTLE_MS = TERMINAL_LIMITS.questionSettleMs * 2;
const KINDS = { permission, sampling, address, form };
const kinds = Object.entries(KINDS).map(([kind, open]) => ({ kind, open }));

describe.each(kinds)('a question ($kind) in the middle of typing', ({ open }) => {
  it.each(['3 is my favourite number', 'read src/mod2.js', 'another one', '12 apples', 'hello there', 'edit it'])(
    'takes nothing of "%s", whether typed at once or after a pause, and keeps it for the message',
    async (text) => {
      verifies('Z9');
      for (const pauseMs of [0, PAUSE_MS]) {
        for (const everyMs of [0, 20, TERMINAL_LIMITS.questionSettleMs - 1]) {
          const { keys, wait, sent, typed } = scene(open);
          await wait(pauseMs);
          await keys(text, everyMs);
          await wait(PAUSE_MS);
          expect([sent, typed()]).toEqual([[], text]);
        }
      }
    },
  );

  it('keeps a paste for the message', async () => {
    const { wait, controller, sent, typed } = scene(open);
    await wait(PAUSE_MS);
    await controller.key('\x1b[200~3\n3\n3\x1b[201~');
    await wait(PAUSE_MS);
    expect([sent, typed()]).toEqual([[], '\x1b[200~3\n3\n3\x1b[201~']);
  });
});

/** Between the keys of a slow typist, and between two of the words. */
const SLOW_KEY_MS = 290;
const BETWEEN_WORDS_MS = 480;

describe.each(kinds)('a question ($kind) over a message that is being written', ({ open }) => {
  it.each(['add a test', 'run it again, rename it', '2 of 3 are red', 'a r ? e 1 2 3 4 5', '1. first'])(
    'takes nothing of "%s", however slowly it is typed',
    async (text) => {
      verifies('Z9');
      const { host, keys, wait, sent, typed } = scene(open);
      host.type('also please ');
      for (const word of text.split(/(?<= )/)) {
        await wait(BETWEEN_WORDS_MS - SLOW_KEY_MS);
        await keys(word, SLOW_KEY_MS);
      }
      expect([sent, typed()]).toEqual([[], `also please ${text}`]);
    },
  );
});

it('is answered over a message by a digit that stands alone', async () => {
  verifies('Z9');
  const { host, keys, wait, sent, typed } = scene(permission);
  host.type('also please ');
  await wait(PAUSE_MS + TERMINAL_LIMITS.questionDraftMs);
  await keys('1', 0);
  await wait(TERMINAL_LIMITS.questionDraftSettleMs - 1);
  expect(sent).toEqual([]);
  await wait(1);
  expect(sent).toMatchObject([{ decision: 'allow_once' }]);
  expect(typed()).toBe('also please ');
});

it('takes no key for a second where it comes up over a message', async () => {
  const { host } = scene(permission);
  host.type('also ');
  const questions = new Questions(host);
  questions.follow({
    seq: 1,
    at: 1,
    type: 'permission_requested',
    tool_call_id: 'c1',
    risk: 'high',
    rule: { tool: 'x' },
  });
  const began = host.now();
  questions.shown();
  const { questionArmMs, questionDraftMs } = TERMINAL_LIMITS;
  expect(questions.current?.isArmed(began + questionArmMs + questionDraftMs - 1)).toBe(false);
  expect(questions.current?.isArmed(began + questionArmMs + questionDraftMs)).toBe(true);
});

describe('a key that answers', () => {
  it.each([
    { kind: 'permission', key: '1', command: { type: 'resolve_permission', decision: 'allow_once' } },
    { kind: 'permission', key: '2', command: { type: 'resolve_permission', decision: 'session' } },
    { kind: 'permission', key: '3', command: { type: 'resolve_permission', decision: 'remember' } },
    { kind: 'sampling', key: '1', command: { type: 'answer_server', action: 'accept' } },
    { kind: 'sampling', key: '2', command: { type: 'answer_server', action: 'decline' } },
    { kind: 'address', key: '3', command: { type: 'answer_server', action: 'accept' } },
    { kind: 'form', key: '2', command: { type: 'answer_server', action: 'decline' } },
  ] as const)('counts when it stands alone ($kind, $key)', async ({ kind, key, command }) => {
    verifies('Z9');
    const { keys, wait, sent, typed } = scene(KINDS[kind]);
    await wait(PAUSE_MS);
    await keys(key, 0);
    expect(sent).toEqual([]);
    await wait(SETTLE_MS);
    expect(sent).toMatchObject([command]);
    expect(typed()).toBe('');
  });

  it('denies at once, with a reason', async () => {
    const { keys, wait, controller, sent } = scene(permission);
    await wait(PAUSE_MS);
    await keys('4not now', 0);
    await controller.key('\r');
    expect(sent).toMatchObject([{ decision: 'deny', reason: 'not now' }]);
  });

  it('opens the form, whose fields take what is typed and pasted', async () => {
    const { keys, wait, controller, sent, typed } = scene(form);
    await wait(PAUSE_MS);
    await keys('1', 0);
    await wait(SETTLE_MS);
    await wait(PAUSE_MS);
    await keys('1 of ', 0);
    await controller.key('\x1b[200~many\x1b[201~');
    await controller.key('\r');
    controller.prompt?.lines(100, 1_000, 10_000);
    controller.prompt?.shown(10_000);
    await wait(PAUSE_MS);
    await keys('1', 0);
    await wait(SETTLE_MS);
    expect(sent).toMatchObject([{ action: 'accept', content: { name: '1 of many' } }]);
    expect(typed()).toBe('');
  });
});

describe('a key for a question that does not take it', () => {
  const asked = {
    seq: 1,
    at: 1,
    type: 'permission_requested',
    tool_call_id: 'c1',
    risk: 'high',
    rule: { tool: 'bash' },
  } as SessionUpdate;
  const resolved = {
    seq: 2,
    at: 2,
    type: 'permission_resolved',
    tool_call_id: 'c1',
    decision: 'deny',
  } as SessionUpdate;
  /** What the app does with a key. */
  const opened = () => {
    const { host, wait, typed } = scene(permission);
    const questions = new Questions(host);
    const press = (data: string): void => {
      if (questions.current) questions.key(data);
      else if (!questions.takesLate(data)) host.type(data);
    };
    return { questions, press, wait, typed };
  };
  const STRAY_MS = TERMINAL_LIMITS.questionStrayMs;

  it.each(['1', '2', '3', '4', '11'])(
    'leaves no %s in the prompt, before it takes keys and as it goes',
    async (keys) => {
      const { questions, press, wait, typed } = opened();
      questions.follow(asked);
      for (const key of keys) press(key);
      await wait(STRAY_MS);
      questions.follow(resolved);
      await wait(10);
      for (const key of keys) press(key);
      await wait(STRAY_MS);
      for (const key of '/undo') press(key);
      expect(typed()).toBe('/undo');
    },
  );

  it.each(['1 apple', '11 apples', '12', '4 of them', 'a word', 'hello'])('loses nothing of "%s"', async (text) => {
    for (const closesAfter of [-1, 0, 1, text.length]) {
      const { questions, press, wait, typed } = opened();
      questions.follow(asked);
      for (const [index, key] of [...text].entries()) {
        if (index === closesAfter) questions.follow(resolved);
        await wait(STRAY_MS / 4);
        press(key);
      }
      expect([closesAfter, typed()]).toEqual([closesAfter, text]);
    }
  });

  const before = ['before it takes keys', 'as it goes'] as const;
  it.each(['1', '2', '3', '4', '11', 'r'].flatMap((text) => before.map((when) => ({ text, when }))))(
    'keeps a message of $text alone, $when, whether Enter follows at once or after a pause',
    async ({ text, when }) => {
      for (const pauseMs of [0, 20, STRAY_MS - 1, STRAY_MS * 10]) {
        const { questions, press, wait, typed } = opened();
        questions.follow(asked);
        if (when !== 'before it takes keys') questions.follow(resolved);
        await wait(10);
        for (const key of text) press(key);
        await wait(pauseMs);
        questions.follow(resolved);
        expect([pauseMs, typed()]).toEqual([pauseMs, text]);
        expect(questions.takesLate('\r')).toBe(false);
        expect([pauseMs, typed()]).toEqual([pauseMs, text]);
      }
    },
  );

  it('keeps a message whose Enter came while the question took no keys', async () => {
    const { questions, press, wait, typed } = opened();
    questions.follow(asked);
    press('1');
    await wait(10);
    press('\r');
    questions.follow(resolved);
    await wait(STRAY_MS * 2);
    press('0');
    expect(typed()).toBe('10');
  });

  it('is an answer all the same when it is pressed again in time, and no text any more', async () => {
    const { keys, wait, sent, typed } = scene(permission);
    await keys('1', 0);
    await wait(STRAY_MS);
    expect([sent, typed()]).toEqual([[], '1']);
    await keys('1', 0);
    await wait(SETTLE_MS);
    expect([sent.length, typed()]).toEqual([1, '']);
  });

  it('is text again when the question has been gone for a while', async () => {
    const { questions, press, wait, typed } = opened();
    questions.follow(asked);
    questions.follow(resolved);
    await wait(TERMINAL_LIMITS.questionArmMs);
    press('1');
    await wait(STRAY_MS);
    press('0');
    expect(typed()).toBe('10');
  });
});
