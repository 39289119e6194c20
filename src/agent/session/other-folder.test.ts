import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../tests/support/assembled.ts';
import { scratchFolder } from '../../../tests/support/scratch.ts';
import type { Outcome } from '../../core/outcome.ts';
import { systemClock } from '../../io/clock.ts';
import { scriptedProvider } from '../../testing/index.ts';
import type { Agent } from '../create-agent.ts';
import { openKeptUndo } from '../undo/kept.ts';
import { openToolState } from './tool-state.ts';

type Way = (there: Agent) => Promise<Outcome<unknown, { message: string; reason?: string | undefined }>>;

/** Every way in which a surface goes on with a session, calls tools for it or takes its changes back. */
const WAYS: [string, Way][] = [
  ['a session by its id', (there) => there.openSession({ id: 'work' })],
  ['a copy of a session', (there) => there.openSession({ id: 'work', fork: true })],
  ['a session that waits for its first message', (there) => there.openSession({ id: 'work', fromFirstMessage: true })],
  [
    'calls for a session',
    ({ sessions, folder, limits }) => openToolState({ sessions, folder, limits, clock: systemClock }, 'work'),
  ],
  ['taking changes back', ({ storage, paths, folder }) => openKeptUndo(storage, paths, { id: 'work', folder })],
];

it.each(WAYS)('%s of another folder is refused, and says where it belongs', async (_, way) => {
  verifies('B6');
  const [folder, home] = [scratchFolder(), scratchFolder()];
  const agentIn = (place: string) =>
    assembled({ folder: place, environment: { HOME: home }, modelProvider: scriptedProvider([{ text: 'Noted.' }]) });
  const here = await agentIn(folder);
  const session = await openedSession(here, { id: 'work' });
  await say(session, 'The word is plover.');
  await session.close();
  const there = await agentIn(scratchFolder());
  const events = async () => (await there.storage.sessions.list()).ok && (await there.sessions.read('work'));
  const before = await events();
  const refused = await way(there);
  expect(refused).toMatchObject({ ok: false, error: { reason: 'other_folder' } });
  expect(!refused.ok && refused.error.message).toContain(folder);
  expect(await events()).toEqual(before);
  const ids = await there.sessions.ids();
  expect(ids).toEqual({ ok: true, value: ['work'] });
  // Nothing holds it: it can be gone on with where it belongs.
  await (await openedSession(here, { id: 'work' })).close();
});

it('the newest session of a folder is one of that folder', async () => {
  const home = scratchFolder();
  const agentIn = (place: string) =>
    assembled({ folder: place, environment: { HOME: home }, modelProvider: scriptedProvider([{ text: 'Noted.' }]) });
  const first = await openedSession(await agentIn(scratchFolder()), { id: 'work' });
  await say(first);
  await first.close();
  const next = await openedSession(await agentIn(scratchFolder()), { continueLast: true });
  expect(next.id).not.toBe('work');
});
