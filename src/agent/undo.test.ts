import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../tests/support/assembled.ts';
import { scratchFolder } from '../../tests/support/scratch.ts';
import type { Command, Event, SessionFace } from '../core/events.ts';
import { hashOf } from '../io/workspace/read.ts';
import { createWorkspace } from '../io/workspace.ts';
import { createUndoFiles } from '../storage/undo-files.ts';
import { scriptedProvider } from '../testing/index.ts';
import type { OpenSessionOptions } from './create-agent.ts';
import { REMOVED } from './undo/record.ts';
import { type UndoPorts, undoLast } from './undo.ts';

let home: string;
let folder: string;
beforeEach(() => {
  home = scratchFolder();
  folder = scratchFolder();
});

type Turns = Parameters<typeof scriptedProvider>[0];
const start = async (turns: Turns, session: OpenSessionOptions = {}) => {
  const provider = scriptedProvider(turns);
  const halter = await assembled({ folder, environment: { HOME: home }, modelProvider: provider, mode: 'yolo' });
  return { session: await openedSession(halter, session), provider };
};
const write = (path: string, content: string) => ({ calls: [{ name: 'write_file', arguments: { path, content } }] });
const edit = (path: string, oldText: string, newText: string) => ({
  calls: [{ name: 'edit_file', arguments: { path, old_text: oldText, new_text: newText } }],
});
const put = (name: string, content: string) => writeFile(join(folder, name), content);
const get = (name: string) => readFile(join(folder, name), 'utf8');
type UndoCommand = Extract<Command, { type: 'undo' }>;
const undo = (session: SessionFace, on_change?: UndoCommand['on_change']) =>
  session.send({ type: 'undo', ...(on_change ? { on_change } : {}) });
const undone = (session: SessionFace): string[] =>
  session.log().flatMap((event: Event) => (event.type === 'change_undone' ? [`${event.how} ${event.path}`] : []));

describe('taking changes of files back', () => {
  test('step by step, the newest first, until nothing is left', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const { session } = await start([
      { calls: [...edit('a.txt', 'one', 'two').calls, ...write('new/deep/b.txt', 'b').calls] },
      edit('a.txt', 'two', 'three'),
      { text: 'done' },
    ]);
    await say(session);
    expect(await get('a.txt')).toBe('three\n');
    expect(await undo(session)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('two\n');
    expect(await undo(session)).toEqual({ ok: true });
    expect(await readdir(folder)).toEqual(['a.txt']);
    expect(await undo(session)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('one\n');
    expect(await undo(session)).toMatchObject({ ok: false, message: expect.stringContaining('no change') });
    expect(undone(session)).toEqual(['restored a.txt', 'removed new/deep/b.txt', 'restored a.txt']);
  });

  test('all that the answer to one message changed, the message before it next, and never half of what stays', async () => {
    verifies('B6');
    for (const name of ['a.txt', 'b.txt']) await put(name, 'one\n');
    const { session } = await start([
      edit('a.txt', 'one', 'two'),
      { text: 'first' },
      { text: 'changed nothing' },
      edit('a.txt', 'two', 'three'),
      { calls: [...edit('b.txt', 'one', 'two').calls, ...edit('b.txt', 'two', 'three').calls] },
      { text: 'done' },
    ]);
    for (const words of ['the first', 'a question', 'the third']) await say(session, words);
    const message = { type: 'undo', scope: 'message' } as const;
    expect(await session.send({ ...message, on_change: 'keep' })).toMatchObject({
      ok: false,
      message: expect.stringContaining('alone'),
    });
    expect(await session.send(message)).toEqual({ ok: true });
    expect([await get('a.txt'), await get('b.txt')]).toEqual(['two\n', 'one\n']);
    expect(await session.send(message)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('one\n');
    expect(await session.send(message)).toMatchObject({ ok: false, message: expect.stringContaining('no change') });
    expect(undone(session)).toEqual(['restored b.txt', 'restored b.txt', 'restored a.txt', 'restored a.txt']);
  });

  test('of an answer whose changes the person took back already, that of the message before it', async () => {
    verifies('B6');
    for (const name of ['a.txt', 'b.txt']) await put(name, 'one\n');
    const { session } = await start([
      edit('a.txt', 'one', 'two'),
      { text: 'first' },
      edit('b.txt', 'one', 'two'),
      { text: 'second' },
    ]);
    await say(session);
    await say(session, 'more');
    await put('b.txt', 'one\n');
    expect(await session.send({ type: 'undo', scope: 'message' })).toEqual({ ok: true });
    expect([await get('a.txt'), await get('b.txt')]).toEqual(['one\n', 'one\n']);
  });

  test('works after a restart, and the model is told with the next message', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const first = await start([edit('a.txt', 'one', 'two'), { text: 'done' }]);
    await say(first.session);
    await first.session.close();
    const second = await start([{ text: 'well' }, { text: 'yes' }], { continueLast: true });
    expect(await undo(second.session)).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('one\n');
    await say(second.session, 'what now?');
    const told = second.provider.requests[0]?.messages.at(-1)?.content as string;
    expect(told).toContain('a.txt is again as it was before your change');
    expect(told.endsWith('what now?')).toBe(true);
    // Once, and what the person reads is what the person said.
    await say(second.session, 'and now?');
    expect(second.provider.requests[1]?.messages.at(-1)?.content).toBe('and now?');
    expect(
      second.session.log().some((event) => event.type === 'user_message_added' && event.content === 'what now?'),
    ).toBe(true);
  });

  test('since a message takes back what it can of every file, and names what stays', async () => {
    verifies('B6');
    for (const name of ['a.txt', 'b.txt', 'c.txt']) await put(name, 'one\n');
    const { session } = await start([
      edit('a.txt', 'one', 'before'),
      { text: 'first' },
      {
        calls: ['a.txt', 'b.txt', 'c.txt'].flatMap(
          (name) => edit(name, name === 'a.txt' ? 'before' : 'one', 'two').calls,
        ),
      },
      edit('c.txt', 'two', 'three'),
      { text: 'done' },
    ]);
    await say(session);
    await say(session, 'the second message');
    const second = session.log().findLast(({ type }) => type === 'user_message_added');
    await put('c.txt', 'mine\n');
    const both = { type: 'undo', since_seq: 1, on_change: 'keep' } as const;
    expect(await session.send(both)).toMatchObject({ ok: false, message: expect.stringContaining('not both') });
    const sent = await session.send({ type: 'undo', since_seq: second?.seq ?? 0 });
    expect(sent).toMatchObject({
      ok: false,
      message: expect.stringMatching(/2 files went back.*c\.txt changed since.*undo force/),
    });
    expect([await get('a.txt'), await get('b.txt'), await get('c.txt')]).toEqual(['before\n', 'one\n', 'mine\n']);
    expect(undone(session)).toEqual(['restored b.txt', 'restored a.txt']);
    expect(await undo(session, 'force')).toEqual({ ok: true });
    expect(await session.send({ type: 'undo', since_seq: second?.seq ?? 0 })).toEqual({ ok: true });
    expect([await get('a.txt'), await get('c.txt')]).toEqual(['before\n', 'one\n']);
  });

  test('a call that changed several files goes back as a whole, or not at all', async () => {
    verifies('B6');
    await put('new.txt', 'text\n');
    const opened = await createWorkspace({ root: folder });
    if (!opened.ok) throw new Error(opened.error.message);
    const files = createUndoFiles();
    const content = new TextEncoder().encode('text\n');
    const hash = hashOf(content);
    await files.keep(hash, content);
    const moved = { type: 'change_recorded', tool_call_id: 'mv', kept: true } as const;
    const events = [
      { seq: 1, at: 0, ...moved, path: 'old.txt', before: hash, after: REMOVED },
      { seq: 2, at: 0, ...moved, path: 'new.txt', before: null, after: hash },
    ] as Event[];
    const ports: UndoPorts = {
      workspace: opened.value,
      files,
      log: () => events,
      dispatch: async (body) => events.push({ seq: events.length + 1, at: 0, ...body } as Event) > 0,
      holds: async () => true,
    };
    await put('new.txt', 'mine\n');
    expect(await undoLast(ports)).toMatchObject({ ok: false, error: { reason: 'changed_since' } });
    expect(await readdir(folder)).toEqual(['new.txt']);
    await put('new.txt', 'text\n');
    expect(await undoLast(ports)).toMatchObject({ ok: true, value: [{ how: 'removed' }, { how: 'restored' }] });
    expect(await readdir(folder)).toEqual(['old.txt']);
  });

  test('of a command: a link that somebody put in place or on the way stays, and what it leads to', async () => {
    verifies('B6', 'H10');
    const opened = await createWorkspace({ root: folder });
    if (!opened.ok) throw new Error(opened.error.message);
    const text = (value: string) => new TextEncoder().encode(value);
    const files = createUndoFiles();
    const hash = hashOf(text('old\n'));
    await files.keep(hash, text('old\n'));
    await mkdir(join(folder, 'there'));
    await put('there/y', 'old\n');
    await symlink('there', join(folder, 'd'));
    await symlink('there/y', join(folder, 'N'));
    const recorded = { type: 'change_recorded', tool_call_id: 'one', kept: true } as const;
    const changes = [
      { path: 'd/x', before: hash, after: REMOVED },
      { path: 'd/y', before: null, after: hash, mode_after: 0o644 },
      { path: 'd/z', before: null, after: REMOVED, folder_before: true },
      { path: 'd/L', before: null, after: REMOVED, link_before: '/etc' },
      { path: 'N', before: null, after: hash, mode_after: 0o644 },
      { path: 'N', before: null, after: REMOVED, link_after: 'elsewhere' },
    ] as const;
    for (const change of changes) {
      const events = [{ seq: 1, at: 0, ...recorded, ...change }] as Event[];
      const ports: UndoPorts = {
        workspace: opened.value,
        files,
        log: () => events,
        dispatch: async (body) => events.push({ seq: events.length + 1, at: 0, ...body } as Event) > 0,
        holds: async () => true,
      };
      expect(await undoLast(ports), change.path).toMatchObject({ ok: false });
      expect((await readdir(folder)).sort()).toEqual(['N', 'd', 'there']);
      expect(await readdir(join(folder, 'there'))).toEqual(['y']);
      expect(await get('there/y')).toBe('old\n');
    }
  });

  test('never touches a file that changed since, until the person has chosen', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const { session } = await start([edit('a.txt', 'one', 'two'), { text: 'done' }]);
    await say(session);
    await put('a.txt', 'mine\n');
    const refused = await undo(session);
    expect(refused).toMatchObject({
      ok: false,
      message: expect.stringMatching(/a\.txt changed since.*keep.*force.*beside/),
    });
    expect(await get('a.txt')).toBe('mine\n');
    expect(undone(session)).toEqual([]);
    expect(await undo(session, 'beside')).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('mine\n');
    const beside = (await readdir(folder)).find((name) => name !== 'a.txt') as string;
    expect(await get(beside)).toBe('one\n');
  });

  test('keep leaves it and goes on to the step before; force puts the old content in its place', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const { session } = await start([edit('a.txt', 'one', 'two'), write('b.txt', 'b'), { text: 'done' }]);
    await say(session);
    await put('b.txt', 'mine');
    await put('a.txt', 'mine');
    expect(await undo(session, 'keep')).toEqual({ ok: true });
    expect(await get('b.txt')).toBe('mine');
    expect(await undo(session)).toMatchObject({ ok: false });
    expect(await undo(session, 'force')).toEqual({ ok: true });
    expect(await get('a.txt')).toBe('one\n');
    expect(await undo(session)).toMatchObject({ ok: false, message: expect.stringContaining('no change') });
  });

  test('a file it created is removed only as it was written, and a folder only when it is empty', async () => {
    verifies('B6');
    const { session } = await start([
      { calls: [...write('n/a.txt', 'a').calls, ...write('n/b.txt', 'b').calls] },
      { text: 'done' },
    ]);
    await say(session);
    await put('n/mine.txt', 'mine');
    await put('n/b.txt', 'other');
    expect(await undo(session)).toMatchObject({ ok: false, message: expect.stringContaining('n/b.txt') });
    expect(await undo(session, 'keep')).toEqual({ ok: true });
    expect(await undo(session)).toEqual({ ok: true });
    expect((await readdir(join(folder, 'n'))).sort()).toEqual(['b.txt', 'mine.txt']);
  });

  test('a file that a link was put in the place of is not followed outside', async () => {
    verifies('B6', 'H10');
    await put('a.txt', 'one\n');
    await mkdir(join(home, 'outside'));
    await writeFile(join(home, 'outside', 'x'), 'two\n');
    const { session } = await start([edit('a.txt', 'one', 'two'), { text: 'done' }]);
    await say(session);
    await rm(join(folder, 'a.txt'));
    await symlink(join(home, 'outside', 'x'), join(folder, 'a.txt'));
    for (const choice of ['refuse', 'force'] as const) expect(await undo(session, choice)).toMatchObject({ ok: false });
    expect(await readFile(join(home, 'outside', 'x'), 'utf8')).toBe('two\n');
  });

  test('calls that failed and writes that changed nothing are no steps', async () => {
    verifies('B6');
    await put('a.txt', 'one\n');
    const { session } = await start([
      { calls: [...write('a.txt', 'one\n').calls, ...edit('a.txt', 'never there', 'x').calls] },
      { text: 'done' },
    ]);
    await say(session);
    expect(session.log().filter(({ type }) => type === 'change_recorded')).toEqual([]);
    expect(await undo(session)).toMatchObject({ ok: false, message: expect.stringContaining('no change') });
  });

  test('a change that was taken back on one branch is told on another', async () => {
    verifies('B6', 'B5');
    await put('a.txt', 'one\n');
    const { session, provider } = await start([edit('a.txt', 'one', 'two'), { text: 'done' }, { text: 'ok' }]);
    await say(session);
    const end = session.log().length;
    await undo(session);
    await session.send({ type: 'branch', at_seq: end });
    await say(session, 'on');
    expect(provider.requests.at(-1)?.messages.at(-1)?.content).toContain('a.txt is again as it was');
  });

  test('where nothing is kept of the session, it works until the end of it', async () => {
    verifies('B6');
    const { session } = await start([write('a.txt', 'a'), { text: 'done' }], { keep: false });
    await say(session);
    expect(await undo(session)).toEqual({ ok: true });
    expect(await readdir(folder)).toEqual([]);
    expect((await readdir(home, { recursive: true })).filter((name) => /undo|sessions\//.test(name))).toEqual([]);
  });
});
