/** Notes of a model that stand on when room is made again. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import type { Event, EventOf, SessionFace } from '../../../core/events.ts';
import { scriptedProvider } from '../../../testing/index.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const NOTES = {
  facts: ['The deposit is 750 kroner', 'Kåre is the harbour master', 'The boat is in berth 12'],
  open: ['Write the test of the calendar', 'Paint the jetty'],
};
/** Enough to leave out, in a window that is far from full: the person asks for room. */
const FILLERS = 6;

const compactionsOf = (session: SessionFace): (Event & EventOf<'context_compacted'>)[] =>
  session.log().filter((event): event is Event & EventOf<'context_compacted'> => event.type === 'context_compacted');

/** The model writes notes the first time that room is made, and none that are of use after that. */
const conversation = async (): Promise<{ session: SessionFace; makeRoom: () => Promise<void> }> => {
  let written = 0;
  const provider = scriptedProvider(
    ({ messages }) => {
      if (!JSON.stringify(messages.at(-1)).includes('Write notes for yourself')) return { text: WORDS.repeat(40) };
      written += 1;
      return { text: written === 1 ? JSON.stringify(NOTES) : 'no' };
    },
    { models: [{ id: 'test-model', context_length: 32_768 }] },
  );
  const session = await openedSession(await assembled({ modelProvider: provider, mode: 'yolo' }));
  const makeRoom = async (): Promise<void> => {
    for (let at = 0; at < FILLERS; at += 1) await say(session, `Question ${at}: ${WORDS.repeat(6)}`);
    expect(await session.send({ type: 'compact' })).toEqual({ ok: true });
  };
  await say(session, 'The deposit is 750 kroner. Kåre is the harbour master, and the boat is in berth 12.');
  await say(session, 'Write the test of the calendar. Paint the jetty.');
  await makeRoom();
  expect(compactionsOf(session).at(-1)?.notes).toMatchObject(NOTES);
  return { session, makeRoom };
};

it('go where what was said since replaced them, and the others stand', async () => {
  verifies('B7');
  const { session, makeRoom } = await conversation();
  await say(session, 'The deposit: 900 now.');
  await say(session, 'Kåre retired; Ingebjørg is harbour master now.');
  await say(session, 'The calendar test is done, I wrote it myself.');
  await makeRoom();
  expect(compactionsOf(session)).toHaveLength(2);
  expect(compactionsOf(session).at(-1)?.notes).toEqual({
    goal: '',
    decisions: [],
    facts: ['The boat is in berth 12'],
    open: ['Paint the jetty'],
  });
});

it('all stand where nothing was said of them', async () => {
  verifies('B7');
  const { session, makeRoom } = await conversation();
  await makeRoom();
  expect(compactionsOf(session)).toHaveLength(2);
  expect(compactionsOf(session).at(-1)?.notes).toMatchObject(NOTES);
});
