/** Notes of what was said first, and is otherwise since: with another number, by somebody else, no more; and of another row or another person. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import {
  type Conversation,
  describeNotes,
  logOf,
  messagesOf,
  type Turn,
} from '../../../tests/support/noted-conversations.ts';
import { standingNotes } from './checked-notes.ts';
import { noteSources } from './note-sources.ts';

const FIRST: readonly Turn[] = [
  'We run a ferry between two islands. Members: Okan, Birgit, Tomas, Amira.',
  'Birgit eats no fish and Tomas is allergic to peanuts.',
  'Okan steers the ferry, Amira the small boat.',
  'Der Kiosk wird von Birgit geführt.',
  'Une traversée coûte 14 euros.',
  'The village gives 3,000 euros for the pier.',
  'The bell is tested on 4 March.',
  'Usamos cuerdas de cáñamo.',
  'Prices:\nticket | euros | minutes\nadult | 9 | 20\nbicycle | 4 | 25\ncar | 31 | 40',
];
const SINCE: readonly Turn[] = [
  'Okan has left us. The ferry is now steered by Samira.',
  'Birgit ist krank, den Kiosk führt Jens.',
  'The village only gives 2,500 euros.',
  'The bell is tested on 11 March, they say.',
  'Ya no usamos cuerdas de cáñamo.',
  'Une traversée coûte maintenant 16 euros.',
];
const STALE = [
  'Okan steers the ferry.',
  'Birgit führt den Kiosk.',
  'The village gives 3,000 euros.',
  'The bell is tested on 4 March.',
  'Usamos cuerdas de cáñamo.',
  'Une traversée coûte 14 euros.',
];
const STILL_SO = ['Tomas is allergic to peanuts.', 'Amira steers the small boat.'];

const CONVERSATIONS: readonly Conversation[] = [
  [
    'a ferry, as it was first',
    FIRST,
    {
      facts: [
        'Tomas is allergic to peanuts.',
        'Birgit eats no fish.',
        'Okan steers the ferry.',
        'The village gives 3,000 euros.',
        'car: 31 euros, 40 minutes',
        'A bicycle ticket costs 4 euros.',
      ],
    },
    {
      facts: [
        'Amira is allergic to peanuts.',
        'Okan is allergic to peanuts.',
        'Amira eats no fish.',
        'Tomas eats no fish.',
        'Tomas steers the ferry.',
        'car: 9 euros, 40 minutes',
        'bicycle: 4 euros, 40 minutes',
        'An adult ticket costs 31 euros.',
      ],
    },
  ],
  [
    'a ferry, as it is since',
    [...FIRST, ...SINCE],
    { facts: ['The village gives 2,500 euros.', 'Tomas is allergic to peanuts.'] },
    { facts: STALE },
  ],
];

describeNotes(CONVERSATIONS);

it.each([...STALE.map((note) => [note, false] as const), ...STILL_SO.map((note) => [note, true] as const)])(
  'of a note of the room before: %s stands on: %s',
  (note, isKept) => {
    verifies('B7');
    const log = logOf([...FIRST, ...SINCE]);
    const standing = standingNotes({ facts: [note] }, noteSources(log, messagesOf(log), undefined));
    expect(standing !== undefined).toBe(isKept);
  },
);
