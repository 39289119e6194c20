/** Notes of what was said first, and is otherwise since: with another number, by somebody else, no more; and of another row or another person. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type Conversation, checked, describeNotes, type Turn } from '../../../tests/support/noted-conversations.ts';

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
/** Each with what the person said since. */
const STALE = [
  ['Okan steers the ferry.', 'Okan has left us. The ferry is now steered by Samira.'],
  ['Birgit führt den Kiosk.', 'Birgit ist krank, den Kiosk führt Jens.'],
  ['The village gives 3,000 euros.', 'The village only gives 2,500 euros.'],
  ['The bell is tested on 4 March.', 'The bell is tested on 11 March, they say.'],
  ['Usamos cuerdas de cáñamo.', 'Ya no usamos cuerdas de cáñamo.'],
  ['Une traversée coûte 14 euros.', 'Une traversée coûte maintenant 16 euros.'],
] as const;

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
    { facts: STALE.map(([note]) => note) },
  ],
];

/** What was said since is of something else of the same: the note is still so. */
const STILL: readonly Conversation[] = [
  [
    'people who left or are ill, and what they are and have',
    [
      'Nadia is allergic to bees, Holger owns the workshop.',
      'Erika hat den Schlüssel zur Scheune. Erika fährt den Traktor.',
      'Claude est végétarien. Inés es alérgica al polen.',
      'Grafana runs on host m2. Holger paints the fence.',
      'Nadia has moved to the second floor. Yves sits beside her.',
      'Holger is ill today, Yves opens the workshop.',
      'Erika ist krank, Gustav kauft ein, und den Traktor fährt Gustav.',
      'Claude est malade, Luc viendra mardi. Inés está enferma, Ramón cocina hoy.',
      'Grafana moved to port 3001, Loki stays.',
    ],
    {
      facts: [
        'Nadia is allergic to bees.',
        'Holger owns the workshop.',
        'Erika hat den Schlüssel zur Scheune.',
        'Claude est végétarien.',
        'Inés es alérgica al polen.',
        'Grafana runs on host m2.',
        'Holger paints the fence.',
      ],
    },
    { facts: ['Erika fährt den Traktor.'] },
  ],
  [
    'one trait that is no more, or one more',
    [
      'The scanner is a Canon. Der Ofen ist von Jøtul. La gata se llama Luna. Насос стоит в сарае.',
      'The fence is green. Das Tor ist blau. Le thé est de Ceylan. The cache is Valkey.',
      'My son Emil is four and plays the drum.',
      'Usamos velas de cera. We use Jenkins for the builds.',
      'The scanner stays here.',
      'The scanner no longer squeaks. Der Ofen raucht nicht mehr. La gata ya no maúlla. Насос больше не гудит.',
      'The fence is now dry. Das Tor ist jetzt dicht. Le thé est maintenant froid. The cache is now empty.',
      'Emil is now five.',
      'Ya no usamos velas. We no longer use Jenkins.',
    ],
    {
      facts: [
        'The scanner is a Canon.',
        'Der Ofen ist von Jøtul.',
        'La gata se llama Luna.',
        'Насос стоит в сарае.',
        'The fence is green.',
        'Das Tor ist blau.',
        'Le thé est de Ceylan.',
        'The cache is Valkey.',
        'Emil is five.',
        'Emil plays the drum.',
      ],
    },
    { facts: ['Emil is four.', 'Usamos velas de cera.', 'We use Jenkins for the builds.'] },
  ],
  [
    'a table, and sentences about what stands in it',
    [
      'Lotte works with Piet. Sanne drives the lorry for Joost.',
      'Crew:\nname | age | town\nLotte | 31 | Gent\nPiet | 28 | Leuven\nSanne | 44 | Brugge\nJoost | 39 | Aalst',
      'The proxy waits for the store.\nservice,port,host\nproxy,8080,north\nqueue,8081,south\nstore,5432,west\nThe queue listens on west too.\nThe store, the queue, and the proxy, too, log to south.',
    ],
    {
      facts: [
        'Lotte works with Piet.',
        'Sanne drives the lorry for Joost.',
        'The proxy waits for the store.',
        'The queue listens on west.',
        'The store logs to south.',
        'Lotte: 31, Gent',
        'queue: port 8081, host south',
      ],
    },
    { facts: ['Lotte is 28.', 'Piet lives in Brugge.', 'The queue runs on port 5432.', 'The proxy is on host west.'] },
  ],
];

describeNotes([...CONVERSATIONS, ...STILL]);

it.each(STALE)('what was said since stands with what it replaces: %s, %s', (note, since) => {
  verifies('B7');
  expect(checked([...FIRST, ...SINCE], 'facts', note)?.said?.at(-1)).toBe(since);
});
