import { expect, test } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { exportSession } from '../../core/export-session.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { forkSession, importSession } from './copy-session.ts';

test('a copy of a session has a name of its own in every list, and can be told from other copies', async () => {
  const modelProvider = scriptedProvider([{ text: 'hello' }, { text: 'hello again' }]);
  const halter = await assembled({ folder: scratchFolder(), environment: { HOME: scratchFolder() }, modelProvider });
  const session = await openedSession(halter);
  await say(session, 'look at the tests');
  const ports = { storage: halter.storage, limits: halter.limits, clock: { now: Date.now, monotonic: () => 0 } };
  const fork = async (id: string): Promise<string> => {
    const made = await forkSession(ports, { id });
    if (!made.ok) throw new Error(made.error.message);
    return made.value.id;
  };
  const first = await fork(session.id);
  await fork(session.id);
  await fork(first);
  // Of another branch too, it is the name by which the original is listed.
  await session.send({ type: 'branch', at_seq: 1 });
  await say(session, 'something else');
  await fork(session.id);
  const listed = await halter.sessions.list();
  expect(listed.ok && listed.value.map(({ title }) => title).sort()).toEqual([
    'look at the tests',
    'look at the tests (fork 2)',
    'look at the tests (fork 3)',
    'look at the tests (fork 4)',
    'look at the tests (fork)',
  ]);
});

test('a file that is imported again leads to the session that came of it, and adds none', async () => {
  const folder = scratchFolder();
  const halter = await assembled({
    folder,
    environment: { HOME: scratchFolder() },
    modelProvider: scriptedProvider([{ text: 'One.' }, { text: 'Two.' }]),
  });
  const session = await openedSession(halter);
  await say(session, 'first');
  const clock = { now: () => 1, monotonic: () => 1 };
  const ports = { storage: halter.storage, limits: halter.limits, clock };
  const take = async (text: string, workspace = folder) => {
    const made = await importSession(ports, { text, workspace });
    if (!made.ok) throw new Error(made.error.message);
    return made.value;
  };
  const text = exportSession(session.log(), 'jsonl');
  // A session that is here is here already; also where it went on since.
  for (const format of ['jsonl', 'json'] as const)
    expect(await take(exportSession(session.log(), format))).toMatchObject({ id: session.id, known: true });
  await say(session, 'second');
  expect(await take(text)).toMatchObject({ id: session.id, known: true });
  // Another conversation under its id is none of it, nor is one for another folder: each is copied, once.
  const copies: string[] = [];
  for (const [other, workspace] of [
    [text.replaceAll('first', 'another'), folder],
    [text, scratchFolder()],
  ] as const) {
    const copy = await take(other, workspace);
    expect(copy).toMatchObject({ known: false });
    expect(copy.id).not.toBe(session.id);
    expect(await take(other, workspace)).toMatchObject({ id: copy.id, known: true });
    copies.push(copy.id);
  }
  // One that is not here keeps its id; where it went on since, it is the same one.
  const foreign = text.replaceAll(session.id, '00000000-0000-4000-8000-000000000001');
  const taken = await take(foreign);
  expect(taken).toMatchObject({ id: '00000000-0000-4000-8000-000000000001', known: false });
  const opened = await halter.storage.sessions.open(taken.id);
  if (!opened.ok) throw new Error(opened.error.message);
  const seq = (opened.value.events.at(-1)?.seq ?? 0) + 1;
  await opened.value.log.append({ seq, at: 2, type: 'session_renamed', title: 'Gone on' });
  await opened.value.log.close();
  expect(await take(foreign)).toMatchObject({ id: taken.id, known: true });
  // What says something else, or is to be in another folder, is another one.
  const others = [await take(foreign.replaceAll('One.', 'Other.')), await take(foreign, scratchFolder())];
  expect(others.map(({ known }) => known)).toEqual([false, false]);
  expect(new Set([session.id, ...copies, taken.id, ...others.map(({ id }) => id)]).size).toBe(6);
  const ids = await halter.storage.sessions.ids();
  expect(ids.ok && ids.value.length).toBe(6);
});
