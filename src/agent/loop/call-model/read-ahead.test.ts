/** Whatever happened before: what is read ahead is what the next prompt begins with, and fits the window. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, nextEvent, openedSession, say } from '../../../../tests/support/assembled.ts';
import { IS_LONG } from '../../../../tests/support/long.ts';
import { scratchFolder } from '../../../../tests/support/scratch.ts';
import { smallWindowServer } from '../../../../tests/support/small-window-server.ts';
import { wireSize } from '../../../../tests/support/wire-size.ts';
import type { SessionUpdate } from '../../../core/events.ts';
import { type ModelMessage, messageText } from '../../../core/message.ts';
import type { ModelRequest } from '../../../core/model-port.ts';
import type { ScriptedProviderTurn } from '../../../testing/index.ts';
import type { OpenSession } from '../../session.ts';

const words = (count: number): string =>
  Array.from({ length: count }, (_, index) => `item ${index} of the list was looked at`).join('\n');

type Kind = 'told' | 'learned' | 'given' | 'unknown';
type Play = {
  session: OpenSession;
  /** What the model answers to the next request; a plain word otherwise. */
  answers(...turns: readonly ScriptedProviderTurn[]): void;
  /** What was read ahead since the last message. */
  settled(): Promise<void>;
  window: number;
  folder: string;
};

const opened = async (
  kind: Kind,
  window: number,
  { folder = scratchFolder(), home = scratchFolder(), warmUp = true, continueLast = false } = {},
) => {
  const script: ScriptedProviderTurn[] = [];
  const ahead: ModelRequest[] = [];
  const { provider } = smallWindowServer({
    window,
    isTold: kind === 'told',
    answer: () => script.shift() ?? { text: 'Done with that.' },
  });
  const halter = await assembled({
    folder,
    environment: { HOME: home },
    ...(warmUp ? { warmUp } : {}),
    ...(kind === 'given' ? { contextLength: window } : {}),
    maxIterations: 12,
    mode: 'yolo',
    modelProvider: {
      ...provider,
      warmUp: {
        read: async (request) => {
          ahead.push(structuredClone(request));
          return { ok: true };
        },
      },
    },
  });
  const session = await openedSession(halter, continueLast ? { continueLast: true } : {});
  let waiting: (() => void) | undefined;
  let isSettled = false;
  const hear = (update: SessionUpdate): void => {
    if (update.type === 'warm_up' && update.state !== 'started') {
      isSettled = true;
      waiting?.();
    } else if (CHANGES.has(update.type)) isSettled = false;
  };
  session.subscribe(hear);
  const settled = async (): Promise<void> => {
    if (!isSettled) await new Promise<void>((resolve) => (waiting = resolve));
  };
  const play: Play = { session, answers: (...turns) => void script.push(...turns), settled, window, folder };
  return { ...play, requests: provider.requests, ahead };
};

/** What was read ahead before them is not the beginning of what goes out next. */
const CHANGES: ReadonlySet<string> = new Set(['user_message_added', 'context_compacted', 'branch_selected']);

const isBegun = (ahead: ModelRequest, real: ModelRequest): boolean =>
  JSON.stringify(ahead.tools) === JSON.stringify(real.tools) &&
  ahead.messages.every((message, index) => begins(message, real.messages[index], index === ahead.messages.length - 1));
const begins = (one: ModelMessage, other: ModelMessage | undefined, isLast: boolean): boolean =>
  isLast && one.role === 'user' && other?.role === 'user'
    ? messageText(other.content).startsWith(messageText(one.content))
    : JSON.stringify(one) === JSON.stringify(other);

/** Larger than the window, whatever it is. */
const PASTE = words(1_200);
const read = (file: string): ScriptedProviderTurn => ({ calls: [{ name: 'read_file', arguments: { path: file } }] });

const MOMENTS: Readonly<Record<string, (play: Play) => Promise<void>>> = {
  'a short message': async ({ session }) => say(session, 'one'),
  'a paste that is too large': async ({ session }) => say(session, PASTE),
  'two pastes that are too large': async ({ session }) => {
    await say(session, PASTE);
    await say(session, PASTE);
  },
  'a paste that is too large, and a short message': async ({ session }) => {
    await say(session, PASTE);
    await say(session, 'one');
  },
  'an answer that was stopped': async ({ session, answers }) => {
    answers({ gate: new Promise(() => {}) });
    const begun = nextEvent(session, 'user_message_added');
    await session.send({ type: 'send_message', content: 'stop me' });
    await begun;
    await session.send({ type: 'cancel' });
    await session.idle();
  },
  'a request that failed': async ({ session, answers }) => {
    answers({ error: { code: 'server_error', message: 'down' } });
    await say(session, 'fail');
  },
  'a file that was not found': async ({ session, answers }) => {
    answers(read('none.txt'));
    await say(session, 'look');
  },
  'room asked for': async ({ session }) => {
    for (let number = 0; number < 4; number += 1) await say(session, `${number} ${words(60)}`);
    await session.send({ type: 'compact' });
    await session.idle();
  },
  'a conversation that fills the window': async ({ session, window }) => {
    for (let number = 0; number < 12; number += 1) await say(session, `${number} ${words(Math.floor(window / 90))}`);
  },
  'a turn that fills the window': async ({ session, answers, folder }) => {
    for (let number = 0; number < 6; number += 1) {
      writeFileSync(path.join(folder, `f${number}.txt`), words(70));
      answers(read(`f${number}.txt`));
    }
    await say(session, 'read six files');
  },
  'an earlier message gone back to': async ({ session }) => {
    await say(session, 'one');
    const seq = session.log().findLast(({ type }) => type === 'user_message_added')?.seq ?? 1;
    await say(session, words(40));
    await session.send({ type: 'branch', at_seq: seq - 1 });
    await session.idle();
  },
  'a message without tools': async ({ session }) => {
    await session.send({ type: 'send_message', content: 'words alone', tools: 'off' });
    await session.idle();
  },
  'another mode': async ({ session }) => {
    await session.send({ type: 'change_mode', mode: 'plan' });
    await say(session, 'plan it');
  },
};

const KINDS: readonly Kind[] = ['told', 'learned', 'given', 'unknown'];
/** Usually each moment in one kind of window, in a long run in all. */
const ROWS = Object.keys(MOMENTS).flatMap((moment, row) =>
  [4_096, 8_192].flatMap((window) =>
    KINDS.filter((_, index) => IS_LONG || (window === 4_096 && index === row % KINDS.length)).map(
      (kind) => [moment, kind, window] as const,
    ),
  ),
);

describe('what is read ahead', () => {
  it.each(ROWS)('begins the next prompt and fits the window after %s (%s, %d tokens)', async (moment, kind, window) => {
    verifies('B4', 'B7');
    const play = await opened(kind, window);
    const { session, ahead, requests, settled } = play;
    // The window shows itself where it is learned.
    if (kind === 'learned') await say(session, PASTE);
    await say(session, 'The code word is Zebulon.');
    await MOMENTS[moment]?.(play);
    for (const next of ['and now?', 'what then?']) {
      await settled();
      const read = ahead.at(-1);
      const count = ahead.length;
      const before = requests.length;
      await say(session, next);
      const real = requests[before];
      if (count === 0) continue;
      ahead.length = 0;
      if (read === undefined || real === undefined) throw new Error('nothing went out');
      expect(wireSize(read)).toBeLessThanOrEqual(kind === 'unknown' ? Number.POSITIVE_INFINITY : window);
      expect(isBegun(read, real)).toBe(true);
    }
  });

  it.each([
    ['smaller', 32_768, 4_096],
    ['larger', 4_096, 32_768],
    ['the same', 8_192, 8_192],
  ])('begins the next prompt of an old session in a window that is %s', async (_name, first, then) => {
    verifies('B4', 'B7');
    const folder = scratchFolder();
    const home = scratchFolder();
    const old = await opened('told', first, { folder, home, warmUp: false });
    for (let number = 0; number < 12; number += 1) await say(old.session, `${number} ${words(60)}`);
    await old.session.close();
    const { session, ahead, requests, settled } = await opened('told', then, { folder, home, continueLast: true });
    await settled();
    await say(session, 'and now?');
    for (const read of ahead.slice(0, 1)) {
      expect(wireSize(read)).toBeLessThanOrEqual(then);
      expect(isBegun(read, requests[0] as ModelRequest)).toBe(true);
    }
  });

  it.each(['a short message', 'a paste that is too large'])(
    'is nothing without the setting after %s',
    async (moment) => {
      const play = await opened('told', 4_096, { warmUp: false });
      await MOMENTS[moment]?.(play);
      await say(play.session, 'and now?');
      expect(play.ahead).toEqual([]);
    },
  );
});
