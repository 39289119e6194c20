/** What the person said, and what clearly says it anew much later: the old one does not stand alone. Small talk with the same words renews nothing. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { createRetainer } from './retained.ts';

/** `was` stands in the old one alone, `is` in what says it anew. */
const RENEWED: readonly (readonly [old: string, now: string, was: string, is: string])[] = [
  ['My sister Noemi sews the dome cover.', 'Noemi has no time. Beat sews the cover.', 'Noemi sews', 'Beat sews'],
  ['The carburettor jet is 115.', 'The jet is now 120.', '115', '120'],
  ['Use this:\nsupplier=Gatti\ncolour=red', 'The supplier is now Stucchi.', 'Gatti', 'Stucchi'],
  ['Use this:\n[mount]\nport=/dev/ttyUSB0\nbaud=9600', 'The port is now /dev/ttyUSB3.', 'ttyUSB0', 'ttyUSB3'],
  ['It costs 8,000; the canton gives 2,000 of it.', 'The canton only gives 1,500.', '2,000', '1,500'],
  ['Tickets: adults 22 francs, children 10.', 'Children are now 12 francs.', 'children 10', '12 francs'],
  ['Our soloist for the Requiem is Miriam.', 'Miriam has a cold. Agnes sings the solo.', 'is Miriam', 'Agnes sings'],
  ['The altos wear green scarves.', 'The altos wear grey scarves instead.', 'green', 'grey'],
  ['Derek prints the programmes.', 'Derek no longer prints the programmes. Padma does.', 'Derek prints', 'Padma does'],
  ['The hostel is called Birkenhof.', 'Birkenhof is full. We sleep at the Old Mill.', 'is called', 'Old Mill'],
  ['The release branch is called train.', 'We renamed the release branch to express.', 'called train', 'express'],
  ['Yasmin holds the keys of the drug cabinet.', 'The keys of the drug cabinet are with Tomas.', 'Yasmin', 'Tomas'],
  ['The shed gets a tin roof.', 'We decided against tin: the shed gets a grass roof.', 'a tin roof', 'grass roof'],
  ['Use Postgres 14 in the compose file.', 'Postgres 16 from now on.', 'Postgres 14', 'Postgres 16'],
  ['Die Lese beginnt am 14. September.', 'Die Lese beginnt erst am 23. September.', '14.', '23.'],
  ['Le mariage a lieu le 6 juin.', 'Le mariage a lieu le 13 juin finalement.', 'le 6 juin', '13 juin'],
  ['Camille apporte les fleurs.', "Camille ne peut plus. C'est Bastien pour les fleurs.", 'Camille apporte', 'Bastien'],
  ['Los peces comen a las nueve.', 'Los peces comen a las once desde hoy.', 'nueve', 'once'],
  ['Lucía limpia los filtros.', 'Lucía ya no limpia los filtros, lo hace Ramiro.', 'Lucía limpia', 'Ramiro'],
  ["L'arbitro è Ferretti.", "Ferretti è malato. L'arbitro è Colonna.", 'è Ferretti', 'Colonna'],
  ['Ci sono nove turni.', 'Ci sono solo sette turni.', 'nove', 'sette'],
  ['A padaria abre às 7:30.', 'A padaria agora abre às 8:15.', '7:30', '8:15'],
  ['De boot ligt in Hoorn.', 'De boot ligt voortaan in Enkhuizen.', 'Hoorn', 'Enkhuizen'],
  ['Klucz ma Agnieszka.', 'Klucz ma teraz Bartek.', 'Agnieszka', 'Bartek'],
  ['Репетиция начинается в 17:00.', 'Репетиция теперь начинается в 18:30.', '17:00', '18:30'],
  ['稽古は火曜日です。', '稽古は木曜日になりました。', '火曜日', '木曜日'],
  ['会议在三楼举行。', '会议改为在五楼举行。', '三楼', '五楼'],
  ['회의는 화요일입니다.', '회의는 이제 목요일입니다.', '화요일', '목요일'],
];
const TALK = [
  'I walked along the river this morning and a heron stood on one leg on the weir for so long that it seemed of wood.',
  'The neighbours sing sea shanties again, badly, with an accordion that has lost two of its keys.',
  'My coffee went cold while I was on the phone with my aunt, who told me about her hip and her cat in one breath.',
  'Heute Nacht hat es gehagelt, und der Hund lag bis zum Frühstück unter dem Bett und wollte nicht hervorkommen.',
  'I had soup with too much pepper for lunch, and the bus was late, and the driver whistled Verdi all the way.',
  'Il a plu toute la journée et nous avons regardé les gouttes courir sur la vitre en buvant du thé à la menthe.',
  'Ayer comí una sopa de ajo con demasiado pimentón y soñé con un burro que tocaba la trompeta en la plaza.',
  'The lift is being painted and smells of bananas, and nobody in the whole house can say why that is.',
  'Somebody has put a knitted hat on the statue in the park, and it suits the general very well indeed.',
  'Сегодня утром шёл мокрый снег, и голуби сидели на карнизе в ряд, как слушатели на лекции по геометрии.',
];
const talk = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, at) => TALK[(from + at) % TALK.length] as string);

const keptIn = (messages: readonly string[], saidCharacters: number): string => {
  const log: Event[] = messages
    .flatMap((text): EventBody[] => [said(text), answered('As you like.')])
    .map((body, at) => ({ seq: at + 1, at: 0, ...body }));
  const options = { trace: () => undefined, tasks: [], maxCharacters: 200, saidCharacters };
  return createRetainer(log, () => undefined)(log.length + 1, options).text;
};
const ROOMS = Array.from({ length: 12 }, (_, at) => 300 + at * 120);

describe.each(RENEWED)('%s', (old, now, was, is) => {
  it.each([
    ['soon after', 3, 7],
    ['much later', 7, 3],
  ])('does not stand without what says it anew %s', (_name, between, behind) => {
    verifies('B7');
    const messages = [...talk(0, 2), old, ...talk(2, between), now, ...talk(2 + between, behind)];
    for (const room of ROOMS) {
      const text = keptIn(messages, room);
      if (text.includes(was)) expect({ room, isNew: text.includes(is) }).toEqual({ room, isNew: true });
    }
  });
});

/** The first message and the rules, with small talk and chores behind them that say "now", "only" and "new" of the same things. */
const ORDINARY: readonly (readonly [name: string, facts: readonly string[], chores: readonly string[]])[] = [
  [
    'software',
    [
      'I want a tool called plover in Go that reads mail logs and writes a weekly summary for our clerk, Mrs Adeyemi.',
      'Rules: never send log lines over the network, and the summary must stay under 3 MB.',
      'The clerk needs the summary each Monday by 7:30.',
    ],
    [
      'Now add a parser for the log lines.',
      'The tests only fail on Windows.',
      'Just fix the parser then.',
      'Now show me the summary.',
      'The summary only has one host.',
      'Add a new column to the summary.',
      'I changed the parser a bit, have a look.',
      'The build broke, look at it now.',
      'The disk is full again.',
      'Just run the tests again.',
    ],
  ],
  [
    'household',
    [
      'Help me to redo the flat in Lindenweg 9 before my mother moves in on 4 May; she is in a wheelchair.',
      'The doors must be at least 90 cm wide.',
      'Mother is allergic to lavender.',
    ],
    [
      'The kitchen is full of dust now.',
      'I just had a call with mother, she laughed.',
      'Mother is away this week.',
      'I cannot open the doors, my hands are full of paint.',
      'Now it rains into the kitchen, ha.',
      'The flat smells of new paint.',
      'My ladder broke, the doors can wait.',
      'I hurt my thumb in the kitchen.',
      'New shoes, the old ones were full of paint.',
      'Mother wants new curtains, she laughed again.',
    ],
  ],
  [
    'journey',
    [
      'Plane eine Radreise von Regensburg nach Linz, 6 Tage, im Juni, mit meiner Tochter Ida.',
      'Höchstens 45 km am Tag.',
      'Ida ist allergisch gegen Erdnüsse.',
    ],
    [
      'Das Rad ist jetzt geputzt.',
      'Ida will nur noch Eis essen.',
      'Neue Reifen hat das Rad auch.',
      'Jetzt regnet es schon wieder in Regensburg.',
      'Ida hat nun eine Zahnlücke.',
      'Die Tage sind erst kurz und dann lang.',
      'Linz ist voll schön.',
      'Ida ist krank vor Lachen.',
      'Nur so: mein Knie knackt am Rad.',
      'Neulich in Linz, jetzt fällt es mir ein, war es heiß.',
    ],
  ],
];
const ROOM = 620;

describe.each(ORDINARY)('an ordinary conversation about %s', (_name, facts, chores) => {
  it.each([
    ['once', chores],
    ['again and again', [...chores, ...chores.map((one) => one.replace(/\.$/u, ', again.'))]],
  ])('keeps the first message and the rules before what says "now" and "only" %s', (_times, later) => {
    verifies('B7');
    const text = keptIn([...facts, ...later], ROOM);
    expect(facts.filter((fact) => !text.includes(fact))).toEqual([]);
  });
});
