/** Notes of a model that stand on when room is made again. */
import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { assembled, openedSession, say } from '../../../../tests/support/assembled.ts';
import { answered } from '../../../../tests/support/event-bodies.ts';
import { checked, logOf, type Turn } from '../../../../tests/support/noted-conversations.ts';
import type { Event, EventBody, EventOf, SessionFace } from '../../../core/events.ts';
import type { ModelMessage } from '../../../core/message.ts';
import type { ConversationNotes } from '../../../core/window/notes.ts';
import { scriptedProvider } from '../../../testing/index.ts';
import type { SessionHandle } from '../../session/session-handle.ts';
import { carriedNotes } from './carried-notes.ts';
import { Room, type RoomOptions } from './room.ts';

const WORDS = 'The quick brown fox jumps over the lazy dog. ';
const NOTES = {
  facts: ['The deposit is 750 kroner', 'Kåre is the harbour master', 'The boat is in berth 12'],
  open: ['Write the test of the calendar', 'Paint the jetty'],
};
const SAID = [
  'The deposit is 750 kroner.',
  'Kåre is the harbour master, and the boat is in berth 12.',
  'Write the test of the calendar. Paint the jetty.',
];
const SINCE = [
  'The deposit: 900 now.',
  'Kåre retired; Ingebjørg is harbour master now.',
  'The calendar test is done, I wrote it myself.',
];
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
  expect(compactionsOf(session).at(-1)?.notes).toMatchObject({ facts: [], open: [], said: SAID });
  return { session, makeRoom };
};

it('have what was said since with them', async () => {
  verifies('B7');
  const { session, makeRoom } = await conversation();
  for (const said of SINCE) await say(session, said);
  await makeRoom();
  expect(compactionsOf(session)).toHaveLength(2);
  expect(compactionsOf(session).at(-1)?.notes?.said).toEqual([...SAID, ...SINCE]);
});

it('all stand where nothing was said of them', async () => {
  verifies('B7');
  const { session, makeRoom } = await conversation();
  await makeRoom();
  expect(compactionsOf(session)).toHaveLength(2);
  expect(compactionsOf(session).at(-1)?.notes).toMatchObject({ facts: [], open: [], said: SAID });
});

const asked: ModelMessage = { role: 'user', content: 'And now?' };
const returned: ModelMessage = {
  role: 'tool',
  tool_call_id: 'a',
  name: 'read_file',
  content: 'port = 8080',
  result: {
    success: true,
    data: 'port = 8080',
    error_message: null,
    error_type: 'none',
    metadata: { execution_time_ms: 1, data_size_bytes: 1, timestamp: 1 },
  },
};

/** A conversation with notes in it that tells how often somebody looked at what the person said. */
const watched = (): { session: SessionHandle; looks: () => number } => {
  let looks = 0;
  const said: EventBody = {
    type: 'user_message_added',
    get content() {
      looks += 1;
      return 'The boat is in berth 12.';
    },
  };
  const bodies: EventBody[] = [
    said,
    answered('Noted.'),
    said,
    answered('Noted.'),
    {
      type: 'context_compacted',
      kept_from_seq: 3,
      results_from_seq: 0,
      summary: '',
      notes: { facts: ['The boat is in berth 12'] },
      report: { before_tokens: 9, after_tokens: 5, turns: 1, results: 0, window_tokens: 8_000 },
    } as EventBody,
    said,
    answered('Noted.'),
    said,
  ];
  const path = bodies as Event[];
  return { session: { path: () => path } as unknown as SessionHandle, looks: () => looks };
};

it.each([
  ['in a window of the same size', 'bringBack', [asked], 8_000, 'notes'],
  ['within a turn, in a larger window', 'bringBack', [asked, returned], 32_000, 'notes'],
  ['where nothing is left out, in a larger window', 'bringBack', [asked], 32_000, 'off'],
  ['where room was made between two turns', 'fill', [asked], 8_000, 'notes'],
  ['within a turn', 'fill', [asked, returned], 8_000, 'notes'],
] as const)('are not looked at %s (%s)', async (_where, work, messages, tokens, compaction) => {
  verifies('B7');
  const { session, looks } = watched();
  const room = new Room({ window: { compaction } } as unknown as RoomOptions);
  expect(await room[work](session, messages, tokens)).toBe(false);
  expect(looks()).toBe(0);
});

const FAILED: readonly Turn[] = [
  'Run the tests, please.',
  {
    ran: 'npm test',
    failed: {
      told: 'FAIL src/login.test.ts > refuses an empty name\nexpected 401, got 500\nConnection to redis:6379 refused',
      why: 'Port 8083 is in use.',
    },
  },
  'The boat is in berth 12, and Kåre is the harbour master.',
  'Claire is played by Marlis, Ill by Bernhard.',
];
const FINDINGS = [
  'src/login.test.ts refuses an empty name',
  'expected 401, got 500',
  'Connection to redis:6379 refused',
  'Port 8083 is in use',
];

/** Of what the model noted before. */
const carried = async (turns: readonly Turn[], facts: readonly string[]): Promise<ConversationNotes> => {
  const log = logOf([...FAILED, ...turns]);
  const made = { type: 'context_compacted', kept_from_seq: 1, results_from_seq: 1, summary: '', notes: { facts } };
  const path = [...log, { seq: log.length + 1, at: 0, ...made } as Event];
  const session = { path: () => path } as unknown as SessionHandle;
  return (await carriedNotes(session)).carriedNotes?.kept ?? {};
};

it.each(FINDINGS)('a finding of a command that failed is kept, and stands on: %s', async (note) => {
  verifies('B7');
  expect(checked(FAILED, 'facts', note)?.facts).toEqual([note]);
  expect((await carried([], [note])).facts).toEqual([note]);
});

it.each([
  ['The boat is in berth 12', 'The boat is not in berth 12 any more.'],
  ['Ill is played by Bernhard', 'Ill is now played by Konstantin.'],
  ['Kåre is the harbour master', 'Kåre retired; Ingebjørg is harbour master now.'],
])('a note goes, with what was said since in its place, and what a command told stands: %s', async (note, said) => {
  verifies('B7');
  const kept = await carried([said], [note, ...FINDINGS]);
  expect(kept.facts).toEqual(FINDINGS);
  expect(kept.said?.at(-1)).toBe(said);
});
