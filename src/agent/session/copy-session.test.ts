import { expect, test } from 'vitest';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import { scriptedProvider } from '../../testing/index.ts';
import { forkSession } from './copy-session.ts';

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
