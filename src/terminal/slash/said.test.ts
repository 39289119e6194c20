import { expect, it } from 'vitest';
import type { Event, SessionFace } from '../../core/events.ts';
import type { PickerItem } from '../app/list-picker.ts';
import { Look } from '../app/look.ts';
import { type AppOptions, SessionInUse } from '../app-options.ts';
import { terminalProblem } from '../run-terminal.ts';
import { createTheme } from '../theme.ts';
import type { Item } from '../transcript/items.ts';
import { parseCommand } from './commands.ts';
import { performCommand } from './perform.ts';
import type { SlashHost } from './slash-command.ts';

const SAID: readonly Event[] = [{ seq: 1, at: 0, type: 'user_message_added', content: 'hello' }];
const sessionOf = (id: string, events = SAID): SessionFace =>
  ({ id, log: () => events, close: async () => {}, send: async () => ({ ok: true }) }) as unknown as SessionFace;

/** What a command shows: notices, items and the words above a session. */
const shownBy = async (typed: string, more: Partial<SlashHost> = {}): Promise<{ said: string[]; items: Item[] }> => {
  const said: string[] = [];
  const items: Item[] = [];
  const host = {
    options: { forkSession: async () => sessionOf('copy') } as unknown as AppOptions,
    look: new Look({ NO_COLOR: '1' }),
    redraw: () => {},
    session: () => sessionOf('first'),
    mode: () => 'ask',
    changeMode: async () => true,
    activity: () => ({ isRunning: false }),
    runEnd: async () => {},
    notice: (_severity, text) => void said.push(text),
    add: (item) => void items.push(item),
    begin: (session, words = '') => void said.push(`${session.id}: ${words}`),
    ...more,
  } as Partial<SlashHost> as SlashHost;
  const parsed = parseCommand(typed);
  if (parsed.type === 'command') await performCommand(host, parsed.command, parsed.argument);
  return { said, items };
};

it.each([
  ['/theme light', /^Theme: light.*colours are off here \(NO_COLOR\)\.$/],
  ['/theme plain', /^Theme: plain, no colours\.$/],
  ['/status-line model,folder', /^The status line shows: model, folder\.$/],
  ['/fork', /^copy: A copy of session first, which stays as it is; \/sessions first goes back\.$/],
  ['/mode edit', /^Mode edit: edits in this folder pass; the rest asks\. \/mode ask goes back\.$/],
  ['/mode ask', /^Mode ask is in use already\.$/],
])('%s says what it did', async (typed, words) => {
  expect((await shownBy(typed)).said).toEqual([expect.stringMatching(words)]);
});

it('makes no copy of a session in which nothing was said', async () => {
  const { said } = await shownBy('/fork', { session: () => sessionOf('first', []) });
  expect(said).toEqual(['Nothing has been said yet.']);
});

it('goes on with a session that could not be copied', async () => {
  const forkSession = async (): Promise<SessionFace> => {
    throw new Error('The disk is full.');
  };
  const { said } = await shownBy('/fork', {
    options: { forkSession } as unknown as AppOptions,
    open: async (id = 'new') => sessionOf(id),
  });
  expect(said).toEqual(['first: No copy was made: The disk is full.']);
});

it.each([
  ['copy', ['copy: A copy of session other, which stays as it is.']],
  ['stay', []],
])('offers a copy of a session that another halter has: %s', async (choice, expected) => {
  let title = '';
  const { said } = await shownBy('/sessions other', {
    open: async () => {
      throw new SessionInUse('The session other is open in another halter');
    },
    pick: (_items, _current, words) => {
      title = words.title ?? '';
      words.take(choice);
    },
  });
  expect(title).toBe('That session is open in another halter.');
  await expect.poll(() => said).toEqual(expected);
});

it('counts a call that was refused or never begun apart from one that failed', async () => {
  const finished = (id: string, error_type: string, reason?: string) => ({
    ...{ seq: 1, at: 0, type: 'tool_finished', tool_call_id: id },
    result: { success: error_type === 'none', error_type, metadata: reason === undefined ? {} : { reason } },
  });
  const log = [
    { seq: 1, at: 0, type: 'tool_started', tool_call_id: 'a' },
    finished('a', 'io_error'),
    finished('b', 'permission_denied', 'person'),
    finished('c', 'io_error', 'cancelled'),
    finished('d', 'none'),
  ] as unknown as Event[];
  const [item] = (await shownBy('/stats', { session: () => sessionOf('s', log) })).items;
  const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
  const lines = item?.take({ width: 100, theme } as Parameters<Item['take']>[0]) ?? [];
  expect(lines.join(' ')).toContain('4 calls (1 failed, 1 refused, 1 not run)');
});

it('writes no file of a session in which nothing was said', async () => {
  const { said } = await shownBy('/export a.md', {
    options: { exportSession: async () => 'Written.' } as unknown as AppOptions,
    session: () => sessionOf('first', []),
  });
  expect(said).toEqual(['Nothing has been said yet, so nothing was written.']);
});

it('names the tools that this session does not offer', async () => {
  const tools = ['one', 'two'].map((name) => ({ name, description: `${name}.`, risk: 'safe' }));
  const log = [
    { seq: 1, at: 0, type: 'prompt_begun', head: { system: '', tools: [{ name: 'one' }] } },
  ] as unknown as Event[];
  const [item] = (
    await shownBy('/tools', { options: { tools } as unknown as AppOptions, session: () => sessionOf('s', log) })
  ).items;
  const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
  const lines = item?.take({ width: 100, theme } as Parameters<Item['take']>[0]) ?? [];
  expect(lines.join(' ')).toContain('Not offered in this session: two.');
});

it('does not leave a session for itself', async () => {
  expect((await shownBy('/sessions first')).said).toEqual(['That is this session.']);
});

it('breaks figures between words alone, however narrow the window is', async () => {
  const [item] = (await shownBy('/stats')).items;
  const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');
  const linesIn = (width: number): string[] => item?.take({ width, theme } as Parameters<Item['take']>[0]) ?? [];
  for (const width of [20, 40]) {
    for (const line of linesIn(width)) expect(line.length).toBeLessThanOrEqual(width);
    expect(linesIn(width).join(' ')).toBe(linesIn(200).join(' '));
  }
});

it('names the way that works where the cursor cannot move', () => {
  const streams = { input: { isTTY: true }, output: { isTTY: true } };
  expect(terminalProblem(streams, { TERM: 'dumb' })).toContain('--screen-reader');
  expect(terminalProblem(streams, { TERM: 'dumb' }, true)).toBeUndefined();
});

it('says where files go back that commits stay in git', async () => {
  const hints: string[] = [];
  const said: Event = { type: 'user_message_added', seq: 1, at: 1, content: 'hello' };
  const host = {
    options: { sandbox: { confined: true } },
    session: () => ({ log: () => [said] }),
    activity: () => ({ isRunning: false }),
    runEnd: async () => {},
    pick: (items: readonly PickerItem[], _current: string, { hint, take }: Parameters<SlashHost['pick']>[2]) => {
      hints.push(hint);
      if (hints.length === 1) take(items[0]?.value ?? '');
    },
  } as unknown as SlashHost;
  const parsed = parseCommand('/rewind');
  if (parsed.type === 'command') await performCommand(host, parsed.command, parsed.argument);
  expect(hints.at(-1)).toContain('Commits stay in git.');
});
