import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Command, SessionFace } from '../../core/events.ts';
import type { FileReview } from '../../core/file-review.ts';
import { activePath } from '../../core/session-tree.ts';
import { scriptedProvider } from '../../testing/index.ts';
import type { Agent } from '../create-agent.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = scratchFolder();
  folder = scratchFolder();
});

type Turns = Parameters<typeof scriptedProvider>[0];
const start = async (turns: Turns) => {
  const provider = scriptedProvider(turns);
  const halter = await assembled({ folder, environment: { HOME: home }, modelProvider: provider, mode: 'yolo' });
  return { halter, session: await openedSession(halter), provider };
};
const call = (name: string, args: Record<string, string>) => ({ name, arguments: args });
const edit = (path: string, old_text: string, new_text: string) => call('edit_file', { path, old_text, new_text });
const write = (path: string, content: string) => call('write_file', { path, content });
const put = (name: string, content: string) => writeFile(join(folder, name), content);
const get = (name: string) => readFile(join(folder, name), 'utf8');
const review = async (halter: Agent, session: SessionFace): Promise<readonly FileReview[]> => {
  const found = await halter.reviewChanges(session.log());
  if (!found.ok) throw new Error(found.error.message);
  return found.value.files;
};
type Resolve = Extract<Command, { type: 'resolve_changes' }>;
const resolve = (session: SessionFace, file: FileReview | undefined, rest: Partial<Resolve> = {}) =>
  session.send({
    type: 'resolve_changes',
    path: file?.path ?? '',
    hash: file?.hash ?? null,
    decision: 'undo',
    ...rest,
  });
const LINES = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
const TWO_PLACES = [edit('a.txt', 'line 2\n', 'two\n'), edit('a.txt', 'line 27\n', 'twenty-seven\n')];

describe('the changes of a session', () => {
  test('are listed by file, all of one together, with what differs now', async () => {
    await put('a.txt', LINES);
    const { halter, session } = await start([{ calls: [...TWO_PLACES, write('b.txt', 'b\n')] }, { text: 'done' }]);
    await say(session);
    const [first, second] = await review(halter, session);
    expect(first).toMatchObject({ path: 'b.txt', state: 'created', added: 1, removed: 0, can_undo_hunks: false });
    expect(second).toMatchObject({
      path: 'a.txt',
      state: 'changed',
      tools: ['edit_file'],
      added: 2,
      removed: 2,
      changed_since: false,
      can_undo: true,
      can_undo_hunks: true,
    });
    expect(second?.hunks.map(({ old_start, new_start }) => [old_start, new_start])).toEqual([
      [1, 1],
      [25, 25],
    ]);
    expect(second?.hunks[0]?.lines).toContain('+two');
  });

  test('are taken back file by file, also several of one file and those of a restarted session', async () => {
    verifies('B6');
    await put('a.txt', LINES);
    const { halter, session, provider } = await start([
      { calls: [...TWO_PLACES, write('new/b.txt', 'b\n')] },
      { text: 'done' },
      { text: 'ok' },
    ]);
    await say(session);
    const [created, changed] = await review(halter, session);
    expect(await resolve(session, changed)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe(LINES);
    expect(await get('new/b.txt')).toBe('b\n');
    expect(await resolve(session, created)).toEqual({ ok: true });
    expect(await readdir(folder)).toEqual(['a.txt']);
    expect(await review(halter, session)).toEqual([]);
    expect(await session.send({ type: 'undo' })).toMatchObject({ ok: false });
    await say(session, 'on');
    const told = provider.requests.at(-1)?.messages.at(-1)?.content as string;
    expect(told.match(/a\.txt is again as it was/g)).toHaveLength(1);
  });

  test('are taken back place by place; the rest stays, and can be taken back later', async () => {
    verifies('B6');
    await put('a.txt', LINES);
    const { halter, session, provider } = await start([{ calls: TWO_PLACES }, { text: 'done' }, { text: 'ok' }]);
    await say(session);
    const [file] = await review(halter, session);
    expect(await resolve(session, file, { hunks: [0] })).toEqual({ ok: true });
    expect(await get('a.txt')).toBe(LINES.replace('line 27', 'twenty-seven'));
    const [rest] = await review(halter, session);
    expect(rest).toMatchObject({ added: 1, removed: 1, changed_since: false });
    await say(session, 'on');
    const told = provider.requests.at(-1)?.messages.at(-1)?.content as string;
    expect(told).toContain('some lines of a.txt are again as they were before your change');
    // The last step back of the terminal knows it as well.
    expect(await session.send({ type: 'undo' })).toEqual({ ok: true });
    expect(await session.send({ type: 'undo' })).toEqual({ ok: true });
    expect(await get('a.txt')).toBe(LINES);
  });

  test('stay where they were accepted, and are no longer asked about', async () => {
    await put('a.txt', LINES);
    const { halter, session } = await start([{ calls: TWO_PLACES }, { text: 'done' }]);
    await say(session);
    const [file] = await review(halter, session);
    const before = await get('a.txt');
    expect(await resolve(session, file, { decision: 'accept' })).toEqual({ ok: true });
    expect(await get('a.txt')).toBe(before);
    expect(await review(halter, session)).toEqual([]);
    expect(await session.send({ type: 'undo' })).toMatchObject({ ok: false });
  });

  const FOREIGN: readonly [name: string, change: (text: string) => string, own: readonly number[]][] = [
    ['right above one of them', (text) => `mine\n${text}`, [1]],
    ['between them', (text) => text.replace('line 14', 'mine'), [0, 2]],
    ['far below', (text) => `${text}\nmine`, [0, 1]],
    ['within one of them', (text) => text.replace('two\n', 'mine\n'), [1]],
    ['beside one of them', (text) => text.replace('line 3', 'mine'), [1]],
    ['taking lines out', (text) => text.replace('line 13\nline 14\n', ''), [0, 2]],
    ['in both', (text) => text.replace('two\n', 'mine\n').replace('twenty-seven', 'mine'), []],
    ['everywhere', () => 'mine\n', []],
  ];
  test.each(FOREIGN)(
    'are taken back place by place where somebody else changed the file %s',
    async (_name, change, own) => {
      verifies('B6');
      const lines = Array.from({ length: 60 }, (_, index) => `line ${index}`).join('\n');
      await put('a.txt', lines);
      const calls = [edit('a.txt', 'line 2\n', 'two\n'), edit('a.txt', 'line 27\n', 'twenty-seven\n')];
      const { halter, session } = await start([{ calls }, { text: 'done' }]);
      await say(session);
      await put('a.txt', change(await get('a.txt')));
      const foreign = change(lines.replace('line 2\n', 'two\n').replace('line 27\n', 'twenty-seven\n'));
      const [file] = await review(halter, session);
      expect(file).toMatchObject({ changed_since: true, can_undo_hunks: own.length > 0 });
      const told = file?.hunks.flatMap((hunk, index) => (hunk.changed_since ? [] : [index]));
      expect(told).toEqual(own);
      for (const index of file?.hunks.keys() ?? [])
        if (!own.includes(index)) expect(await resolve(session, file, { hunks: [index] })).toMatchObject({ ok: false });
      expect(await get('a.txt')).toBe(foreign);
      if (own.length === 0) return;
      // One after the other: nothing of somebody else's goes with them, and it is still known as such.
      for (let left = own.length; left > 0; left -= 1) {
        const [now] = await review(halter, session);
        expect(now?.changed_since).toBe(true);
        expect(await resolve(session, now)).toMatchObject({ ok: false });
        const index = now?.hunks.findIndex((hunk) => !hunk.changed_since) as number;
        expect(await resolve(session, now, { hunks: [index] })).toEqual({ ok: true });
      }
      const isMixed = _name.endsWith('one of them');
      expect(await get('a.txt')).toBe(isMixed ? change(lines.replace('line 2\n', 'two\n')) : change(lines));
      expect((await review(halter, session)).length).toBe(isMixed ? 1 : 0);
    },
  );

  test('are never taken back where the file is another one than the person was shown', async () => {
    verifies('B6');
    await put('a.txt', LINES);
    const { halter, session } = await start([{ calls: TWO_PLACES }, { text: 'done' }]);
    await say(session);
    const [file] = await review(halter, session);
    await put('a.txt', 'mine\n');
    for (const hunks of [undefined, [0]])
      expect(await resolve(session, file, hunks ? { hunks } : {})).toMatchObject({ ok: false });
    const [changed] = await review(halter, session);
    expect(changed).toMatchObject({ changed_since: true, can_undo_hunks: false });
    expect(await resolve(session, changed)).toMatchObject({ ok: false, message: expect.stringContaining('Choose') });
    expect(await resolve(session, changed, { hunks: [0] })).toMatchObject({ ok: false });
    expect(await get('a.txt')).toBe('mine\n');
    expect(await resolve(session, changed, { on_change: 'beside' })).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('mine\n');
    const beside = (await readdir(folder)).find((name) => name !== 'a.txt') as string;
    expect(await get(beside)).toBe(LINES);
  });

  test('of every branch are listed with whose they are, and taken back from any of them', async () => {
    verifies('B6');
    const { halter, session, provider } = await start([
      { calls: [write('one.txt', '1\n')] },
      { text: 'done' },
      { calls: [write('two.txt', '2\n')] },
      { text: 'done' },
      { calls: [write('three.txt', '3\n')] },
      { text: 'done' },
      { text: 'ok' },
    ]);
    await say(session, 'first words');
    const first = session.log().find(({ type }) => type === 'run_completed')?.seq ?? 0;
    await session.send({ type: 'branch', at_seq: 1 });
    await say(session, 'other words');
    // Back on the first branch, what was said last anywhere is not what this answer is about.
    await session.send({ type: 'branch', at_seq: first });
    const asked = activePath(session.log()).find(({ type }) => type === 'user_message_added')?.seq ?? 0;
    await session.send({ type: 'branch', at_seq: asked, run: true });
    await vi.waitFor(() => expect(session.log().at(-1)?.type).toBe('run_completed'), { timeout: 5_000 });
    const of = async () => (await review(halter, session)).map((file) => [file.path, file.other_branches]);
    expect(await of()).toEqual([
      ['three.txt', []],
      ['two.txt', ['other words']],
      ['one.txt', ['first words']],
    ]);
    await session.send({ type: 'branch', at_seq: 1 });
    await say(session, 'nothing to write');
    expect(await of()).toEqual([
      ['three.txt', ['first words']],
      ['two.txt', ['other words']],
      ['one.txt', ['first words']],
    ]);
    for (const file of await review(halter, session)) expect(await resolve(session, file)).toEqual({ ok: true });
    expect(await readdir(folder)).toEqual([]);
    await say(session, 'on');
    // The model of this branch wrote none of them, and never saw them.
    expect(JSON.stringify(provider.requests.at(-1)?.messages)).not.toContain('which you had created');
  });

  test('go back no further than to what somebody else wrote in between', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const { halter, session } = await start([
      { calls: [write('a.txt', 'two\n')] },
      { text: 'done' },
      { calls: [call('read_file', { path: 'a.txt' }), write('a.txt', 'three\n')] },
      { text: 'done' },
    ]);
    await say(session);
    await put('a.txt', 'mine\n');
    await say(session);
    const [file] = await review(halter, session);
    expect(file?.hunks[0]?.lines).toEqual(['-mine', '+three']);
    expect(await resolve(session, file)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('mine\n');
  });

  test('are refused where nothing is open, where the place is none, and through a link', async () => {
    verifies('B6', 'H10');
    await put('a.txt', LINES);
    await put('other.txt', 'other\n');
    const { halter, session } = await start([{ calls: TWO_PLACES }, { text: 'done' }]);
    await say(session);
    const [file] = await review(halter, session);
    for (const path of ['other.txt', '../a.txt', './a.txt', '/etc/hosts'])
      expect(await resolve(session, file, { path })).toMatchObject({ ok: false });
    for (const hunks of [[], [2], [-1], [0.5]])
      expect(await resolve(session, file, { hunks })).toMatchObject({ ok: false });
    expect(await resolve(session, file, { hunks: [0], decision: 'accept' })).toMatchObject({ ok: false });
    await rm(join(folder, 'a.txt'));
    await writeFile(join(home, 'outside'), 'outside\n');
    await symlink(join(home, 'outside'), join(folder, 'a.txt'));
    expect(await resolve(session, file)).toMatchObject({ ok: false });
    expect(await resolve(session, file, { on_change: 'force' })).toMatchObject({ ok: false });
    expect(await readFile(join(home, 'outside'), 'utf8')).toBe('outside\n');
  });

  test('of a session of another folder are not shown', async () => {
    const { halter } = await start([]);
    const log = [
      { seq: 1, at: 0, type: 'session_started', version: 1, session_id: 's', workspace: '/elsewhere', model: 'm' },
    ] as const;
    expect(await halter.reviewChanges(log)).toMatchObject({ ok: false, error: { reason: 'other_folder' } });
  });
});
