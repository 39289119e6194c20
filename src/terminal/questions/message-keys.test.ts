/** Whoever edits a message while something is asked answers nothing by it: through the real decoder of keys, in the app. */
import type { EventEmitter } from 'node:events';
import { StdinBuffer } from '@earendil-works/pi-tui/dist/stdin-buffer.js';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createFakeSession, type Stage, toolCall } from '../../../tests/e2e/terminal-fake-session.ts';
import { verifies } from '../../../tests/requirements.ts';
import { inTurn, rounds, timeLimit } from '../../../tests/support/long.ts';
import { TEST_SEED } from '../../../tests/support/test-seed.ts';
import type { Progress } from '../../core/events.ts';
import type { ServerQuestion } from '../../core/server-question.ts';
import { TERMINAL_LIMITS } from '../limits.ts';
import { runTerminal } from '../run-terminal.ts';

/** More than a question waits for its keys over a message, and a digit for what may follow it. */
const PAUSE_MS = 2_000;

const permission = async (stage: Stage): Promise<void> => {
  stage.say('', [toolCall('c1', 'bash', { command: 'touch x' })]);
  await stage.call('c1', 'bash', { command: 'touch x' }, { risk: 'high' });
};
const edit = async (stage: Stage): Promise<void> => {
  const diff = '--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n';
  stage.say('', [toolCall('c1', 'write_file', { path: 'a.txt', content: 'y' })]);
  const preview = { summary: 'write a.txt', diff };
  await stage.call('c1', 'write_file', { path: 'a.txt', content: 'y' }, { risk: 'high', preview });
};
const long = async (stage: Stage): Promise<void> => {
  const command = Array.from({ length: 90 }, (_, line) => `echo ${line}`).join('\n');
  stage.say('', [toolCall('c1', 'bash', { command })]);
  await stage.call('c1', 'bash', { command }, { risk: 'high' });
};
const ofServer =
  (question: object) =>
  async (stage: Stage): Promise<void> => {
    const asked = { question_id: 'q1', server: 'files', message: 'Why', ...question } as ServerQuestion;
    // It comes to whoever follows the session as progress does.
    stage.progress({ type: 'server_asked', question: asked } as unknown as Progress);
    await stage.stopped;
  };
const QUESTIONS = {
  permission,
  edit,
  long,
  sampling: ofServer({ kind: 'sampling', prompt: 'Say hello', max_tokens: 10 }),
  'sampling answer': ofServer({ kind: 'sampling_answer', model: 'm', answer: 'hello' }),
  address: ofServer({ kind: 'url', url: 'https://example.com/' }),
  form: ofServer({ kind: 'form', fields: { type: 'object', properties: { name: { type: 'string' } } } }),
};

const RIGHT = '\x1b[C';
const LEFT = '\x1b[D';
const UP = '\x1b[A';
const DOWN = '\x1b[B';
const ENTER = '\r';
const CTRL_J = '\n';
const BACKSPACE = '\x7f';
const paste = (text: string): string => `\x1b[200~${text}\x1b[201~`;

const opened: (() => Promise<void>)[] = [];
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'Date'] });
});
const closeAll = async (): Promise<void> => {
  for (const close of opened.splice(0)) await close();
};
afterEach(async () => {
  await closeAll();
  vi.useRealTimers();
});

/** `typedBefore`: while the run goes on and nothing is asked yet. */
const open = async (ask: (stage: Stage) => Promise<void>, options: { typedBefore?: string; spoken?: boolean } = {}) => {
  let asks: () => void = () => {};
  const asked = new Promise<void>((resolve) => {
    asks = resolve;
  });
  const session = createFakeSession(async (stage) => {
    await asked;
    await ask(stage);
    await stage.stopped;
  });
  const input = new StdinBuffer({ escapeTimeout: 50 });
  let screen = '';
  const terminal = {
    start: (onInput: (data: string) => void) => {
      (input as EventEmitter).on('data', onInput);
      (input as EventEmitter).on('paste', (text: string) => onInput(paste(text)));
    },
    stop: () => {},
    drainInput: async () => {},
    write: (data: string) => {
      screen += data;
    },
    columns: 100,
    rows: 30,
  };
  const unsent: string[] = [];
  void runTerminal({
    session,
    openSession: async () => session,
    tools: [],
    model: { name: 'test-model', contextLength: 8_192, endpoint: 'http://127.0.0.1:1' },
    sandbox: { text: 'sandboxed', confined: true },
    environment: { LANG: 'C.UTF-8', NO_COLOR: '1', TERM: 'xterm' },
    ...(options.spoken ? { screenReader: true } : {}),
    unsent: { read: () => undefined, keep: (_, text) => unsent.push(text) },
    terminal: terminal as unknown as NonNullable<Parameters<typeof runTerminal>[0]['terminal']>,
  });
  const press = async (data: string, pauseMs = PAUSE_MS): Promise<void> => {
    input.process(data);
    await vi.advanceTimersByTimeAsync(pauseMs);
  };
  opened.push(async () => {
    for (const _ of 'ccc') await press('\x03', 100);
    input.destroy();
    await vi.advanceTimersByTimeAsync(PAUSE_MS);
  });
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  for (const key of 'go\r') await press(key, 20);
  for (const key of options.typedBefore ?? '') await press(key);
  asks();
  await vi.advanceTimersByTimeAsync(PAUSE_MS);
  const given = () => session.commands.filter(({ type }) => type === 'resolve_permission' || type === 'answer_server');
  return { press, given, typed: () => unsent.at(-1) ?? '', screen: () => screen };
};

const keysOf = (text: string): string[] => [...text];
/** What is pressed, one key after another with a pause, and the text that stands in the line at the end. */
const EDITED: readonly { keys: readonly string[]; text: string }[] = [
  { keys: [RIGHT, RIGHT, ...keysOf('xbc'), ENTER], text: 'xbc' },
  { keys: [RIGHT, RIGHT, ...keysOf('xbc'), CTRL_J], text: 'xbc\n' },
  { keys: [RIGHT, RIGHT, RIGHT, ...keysOf('fix'), BACKSPACE, LEFT, LEFT, 'Z', CTRL_J], text: 'Z\nfi' },
  { keys: [...keysOf('fix'), LEFT, 'y', ENTER], text: 'fiyx' },
  { keys: [...keysOf('fix'), LEFT, RIGHT, RIGHT, ENTER], text: 'fix' },
  { keys: [...keysOf('fix'), UP, ENTER], text: 'fix' },
  { keys: [...keysOf('fix'), DOWN, DOWN, ENTER], text: 'fix' },
  { keys: [...keysOf('fix'), '\x01', 'y', '\x05', 'z', ENTER], text: 'yfixz' },
  { keys: [...keysOf('fix'), '\x01', '\x0b', ENTER], text: '' },
  { keys: [...keysOf('fix it'), '\x17', ENTER], text: 'fix ' },
  { keys: [...keysOf('fix it'), '\x1bb', 'y', '\x1bf', 'z', ENTER], text: 'fix yitz' },
  { keys: [...keysOf('fix'), '\x1b[H', '\x1b[3~', '\x1b[F', 'y', ENTER], text: 'ixy' },
  { keys: [...keysOf('fix'), '\x15', 'y', ENTER], text: 'y' },
  { keys: [...keysOf('fix'), '\x15', '\x19', ENTER], text: 'fix' },
  // The line is empty again: who chose before has not chosen now.
  { keys: [RIGHT, 'x', BACKSPACE, ENTER], text: '' },
  { keys: [RIGHT, RIGHT, 'x', '\x15', ENTER], text: '' },
  { keys: [RIGHT, ' ', ENTER], text: '' },
  { keys: [RIGHT, paste('x\ny'), ENTER], text: 'x\ny' },
  { keys: [RIGHT, paste('x\r'), '\n'], text: 'x\n\n' },
  { keys: [RIGHT, CTRL_J], text: '' },
  { keys: [RIGHT, '\x1b\r'], text: '' },
  { keys: [RIGHT, '\x1b[13;2u'], text: '' },
  { keys: [RIGHT, '\x1b[106;5u'], text: '' },
  { keys: [RIGHT, 'x', '\x1b[13;2u', 'y'], text: 'x\ny' },
  { keys: [RIGHT, 'x', '\x1b\r', ENTER], text: 'x' },
  // Keys as some terminals spell them.
  { keys: [RIGHT, '\x1b[120u', ENTER], text: 'x' },
  { keys: ['\x1b[1;1C', '\x1b[120;1u', '\x1b[13u'], text: 'x' },
  { keys: ['\x1bOC', '\x1b[27;2;88~', '\x1bOM'], text: 'X' },
  { keys: ['x', '\x1b[57417u', '\x1b[57414u'], text: 'x' },
];
/** Each in the time in which one goes on typing. */
const HURRIED: readonly { keys: readonly string[]; text: string }[] = [
  { keys: ['2', BACKSPACE, 'x'], text: 'x' },
  { keys: ['2', paste('x')], text: '2x' },
  { keys: ['2', '\x15', 'x'], text: 'x' },
  { keys: ['x', '2', ENTER], text: 'x2' },
  { keys: ['x', '2', BACKSPACE], text: 'x' },
  { keys: ['x', '2', LEFT, 'y'], text: 'xy2' },
  { keys: ['x', '2', UP], text: 'x2' },
  { keys: ['x', '2', CTRL_J], text: 'x2\n' },
];

/** Between the time in which a letter follows another and that in which a question over a message takes keys. */
const TOO_EARLY_MS = TERMINAL_LIMITS.questionStrayMs + 100;
const AT_ONCE_MS = 200;
/** Each key and the pause behind it; the last one answers. */
const PRESSED_AGAIN: readonly { keys: readonly (readonly [string, number])[]; text: string }[] = [
  {
    keys: [
      ['x', TOO_EARLY_MS],
      ['1', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x',
  },
  {
    keys: [
      ['x', TOO_EARLY_MS],
      ['1', TOO_EARLY_MS],
      ['1', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x',
  },
  {
    keys: [
      ['x', TOO_EARLY_MS],
      ['1', AT_ONCE_MS],
      ['1', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x',
  },
  {
    keys: [
      ['x', AT_ONCE_MS],
      ['y', AT_ONCE_MS],
      [LEFT, TOO_EARLY_MS],
      ['1', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'xy',
  },
  // What may be of a word stays.
  {
    keys: [
      ['x', AT_ONCE_MS],
      ['1', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x1',
  },
  {
    keys: [
      ['x', TOO_EARLY_MS],
      ['1', PAUSE_MS],
      ['y', PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x1y',
  },
  {
    keys: [
      ['x', TOO_EARLY_MS],
      ['1', PAUSE_MS],
      [LEFT, PAUSE_MS],
      ['1', PAUSE_MS],
    ],
    text: 'x1',
  },
];

const KINDS = Object.keys(QUESTIONS) as (keyof typeof QUESTIONS)[];
/** At a permission every row is played; usually each of them at one more question. */
const rowsFor = <T>(rows: readonly T[], kind: keyof typeof QUESTIONS): readonly T[] =>
  kind === 'permission' ? rows : inTurn(rows, KINDS.indexOf(kind) - 1, KINDS.length - 1);

describe.each(KINDS)('a message at a question (%s)', (kind) => {
  it.each(rowsFor(EDITED, kind))('is edited by $keys, which answer nothing', async ({ keys, text }) => {
    verifies('Z9');
    const { press, given, typed } = await open(QUESTIONS[kind]);
    for (const key of keys) await press(key);
    expect([given(), typed()]).toEqual([[], text]);
  });

  it.each(rowsFor(HURRIED, kind))('takes $keys, pressed soon after one another', async ({ keys, text }) => {
    verifies('Z9');
    const { press, given, typed } = await open(QUESTIONS[kind]);
    for (const key of keys) await press(key, key === 'x' ? PAUSE_MS : TERMINAL_LIMITS.questionSettleMs / 2);
    await press('', PAUSE_MS);
    expect([given(), typed()]).toEqual([[], text]);
  });

  const isShort = kind !== 'long' && kind !== 'form';
  it.each(isShort ? rowsFor(PRESSED_AGAIN, kind) : [])(
    'loses the number that was too early where it is pressed again ($keys)',
    async ({ keys, text }) => {
      verifies('Z9');
      const { press, given, typed } = await open(QUESTIONS[kind]);
      for (const [index, [key, pauseMs]] of keys.entries()) {
        expect([index, given()]).toEqual([index, []]);
        await press(key, pauseMs);
      }
      expect([given().length, typed()]).toEqual([1, text]);
    },
  );

  it('is told that Enter does not send it, as long as one is there', async () => {
    const { press, screen } = await open(QUESTIONS[kind]);
    for (const key of ['f', 'x', ENTER]) await press(key);
    const told = screen().lastIndexOf('Answer first; your text stays.');
    expect(told).toBeGreaterThan(0);
    await press('\x03');
    expect(screen().slice(told)).toMatch(/Press 1|Space reads on/);
  });
});

describe('a permission question', () => {
  it.each([false, true])('is answered by arrows and Enter over an empty line (spoken: %s)', async (spoken) => {
    verifies('Z9');
    for (const [keys, decision] of [
      [[RIGHT, ENTER], 'allow_once'],
      [[RIGHT, DOWN, '\x1b[13u'], 'session'],
      [['x', BACKSPACE, RIGHT, RIGHT, RIGHT, ENTER], 'remember'],
    ] as const) {
      const { press, given } = await open(permission, { spoken });
      for (const key of keys) await press(key);
      expect(given()).toMatchObject([{ decision }]);
    }
  });

  it('takes the number that was pressed long before it, when it is pressed again, out of the line', async () => {
    verifies('Z9');
    for (const number of ['1', '2', '3']) {
      const { press, given, typed } = await open(permission, { typedBefore: number });
      expect([given(), typed()]).toEqual([[], number]);
      await press(number);
      expect([given().length, typed()]).toEqual([1, '']);
    }
  });

  it('is read on over a message by the key that it names, and blanks go to the message', async () => {
    verifies('Z9');
    const { press, given, typed, screen } = await open(QUESTIONS.long);
    for (const key of 'x     1') await press(key);
    expect([given(), typed()]).toEqual([[], 'x     ']);
    expect(screen()).toContain('PageDown reads on');
    for (let page = 0; page < 5; page += 1) await press('\x1b[6~');
    await press('1');
    expect([given().length, typed()]).toEqual([1, 'x     ']);
  });

  it('is read on by blanks, also where one was pressed too early', async () => {
    verifies('Z9');
    const { press, given } = await open(QUESTIONS.long, { typedBefore: ' ' });
    for (const key of '     1') await press(key);
    expect(given().length).toBe(1);
  });

  it('keeps a message that only begins with that number', async () => {
    const { press, given, typed } = await open(permission, { typedBefore: '1 of' });
    await press('1');
    expect([given().length, typed()]).toEqual([1, '1 of']);
  });

  it(
    'is never allowed by a key that follows a typed character after the last arrow',
    async () => {
      verifies('Z9');
      const arrows = [RIGHT, LEFT, UP, DOWN];
      const others = [
        ENTER,
        CTRL_J,
        '\x1b\r',
        '\x1b[13;2u',
        BACKSPACE,
        '\x15',
        '\x01',
        '\x05',
        '\x0b',
        '\x17',
        '\x1bb',
      ];
      const typing = ['x', 'Z', ' ', '?', 'r', '\x1b[120u', paste('x'), paste('\n'), paste('1\n')];
      const key = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom(...arrows) },
        { weight: 2, arbitrary: fc.constantFrom(ENTER, ...others) },
        { weight: 2, arbitrary: fc.constantFrom(...typing) },
      );
      const pause = fc.constantFrom(0, 20, 300, PAUSE_MS);
      const pressed = fc.array(fc.tuple(key, pause), { minLength: 1, maxLength: 9 });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(permission, edit), pressed, async (ask, steps) => {
          // Apps that stay open draw on, and each play would take longer than the one before.
          await closeAll();
          const { press, given } = await open(ask);
          let hasTyped = false;
          for (const [data, pauseMs] of steps) {
            if (typing.includes(data)) hasTyped = true;
            else if (arrows.includes(data)) hasTyped = false;
            await press(data, pauseMs);
            const last = given()[0];
            if (last === undefined) continue;
            expect(data === ENTER && !hasTyped).toBe(true);
            return;
          }
        }),
        { seed: TEST_SEED, numRuns: rounds(30, 300) },
      );
    },
    timeLimit(60_000),
  );
});
