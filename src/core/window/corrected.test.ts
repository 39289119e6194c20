/** What the person said and what takes it back stand together or not at all, however little room there is. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { exchangesIn } from './exchanges.ts';
import { createRetainer } from './retained.ts';

const logOf = (turns: readonly (readonly [said: string, answer: string])[]): Event[] =>
  turns
    .flatMap(([text, answer]): EventBody[] => [said(text), answered(answer)])
    .map((body, at) => ({ seq: at + 1, at: 0, ...body }));

const NAMES = '1. bucheVerkauf\n2. verbuche\n3. notiereVerkauf';
const FILES = '1) export.csv\n2) verkauf.csv\n3) tag.csv';
/** What the model had said, what the person said then, the model's answer to it, and what takes it back. */
const CORRECTED: readonly (readonly [answer: string, first: string, between: string, then: string])[] = [
  [NAMES, 'der zweite', 'verbuche also.', 'Nein halt, doch der erste.'],
  [FILES, '3', 'tag.csv', '2!'],
  ['1. tabs\n2. spaces\n3. both', '1', 'Tabs.', 'sorry, 2'],
  ['Shall we take a) luxon, b) dayjs or c) none?', 'a', 'luxon then.', 'hmm, make that c'],
  ['1. Grün\n2. Orange\n3. Violett', 'die zweite', 'Orange.', 'Ach nein, lieber die dritte.'],
  ['Noted.', 'The backup goes to host alder, every night at 2.', 'Noted. Anything else?', 'not alder, birch'],
  ['Gut.', 'Der Monteur Anselm kommt am Dienstag um 9.', 'Notiert.', 'Der Monteur kommt erst am Freitag.'],
  ['Soll ich das Schild abbauen?', 'ja mach', 'Gut, ich baue es ab.', 'doch nicht'],
  ['Veux-tu un menu en couleurs ?', 'oui', 'Très bien.', 'finalement non'],
  ['Noted.', 'The lease of the kiosk ends in March.', 'Noted.', 'wait, in April'],
  ['Noted.', 'Our till speaks to port 9100.', 'Noted.', 'no, 9200'],
  ['Bene.', 'Il forno chiude alle sette.', 'Va bene.', 'anzi, alle otto'],
  ['Хорошо.', 'Ключ лежит у Марины.', 'Записал.', 'нет, у Ольги'],
  ['わかりました。', '鍵は田中さんが持っています。', 'はい。', 'いや、山田さんです'],
  ['好的。', '钥匙在王工那里。', '好的。', '不对，在李工那里'],
  ['네.', '열쇠는 민수에게 있습니다.', '네.', '아니, 지훈에게 있어요'],
];
const QUESTIONS = [
  'Von wem kommt der Honig?',
  'Silvester?',
  'When does the lottery close?',
  'Wie heißt die Funktion?',
  'src/tax.js?',
  'Who signs the release?',
];
const FACTS = [
  'Der Honig kommt von meinem Schwager Tadeusz aus Schwabach.',
  'Ich hab übrigens am 3. April Geburtstag und mag keine Überraschungen im Code.',
  'My daughter Jette is allergic to nuts.',
  'The lottery closes at half past six on Saturdays.',
  'Ines signs every release.',
];
const turnsWith = (at: number): (readonly [string, string])[] => {
  const [answer, first, between, then] = CORRECTED[at % CORRECTED.length] as (typeof CORRECTED)[number];
  return [
    [`Read src/m${at}.js and tell me of it.`, answer],
    [first, between],
    [then, 'As you like.'],
  ];
};

const linesIn = (log: readonly Event[], saidCharacters: number, keptFrom = log.length + 1): string[] => {
  const options = { trace: () => undefined, tasks: [], maxCharacters: 200, saidCharacters };
  const { text } = createRetainer(log, () => undefined)(keptFrom, options);
  return text.split('\n').filter((line) => line.startsWith('- '));
};
const stands = (lines: readonly string[], text: string): boolean =>
  lines.some((line) => line === `- ${text}` || line.startsWith(`- ${text} [`));

describe('what takes back what was said before', () => {
  const ROOMS = Array.from({ length: 24 }, (_, at) => 200 + at * 60);
  it.each(CORRECTED.map(([, first, , then], at) => [first, then, at] as const))(
    'stands with it or neither does: %s / %s',
    (first, then, at) => {
      verifies('B7');
      const chores = Array.from({ length: 12 }, (_, n) => [`Explain module ${n + 40} a bit.`, 'It adds.'] as const);
      const log = logOf([
        ...FACTS.map((fact) => [fact, 'Noted.'] as const),
        ...turnsWith(at),
        ...chores,
        ...turnsWith(at + 3),
        ...turnsWith(at + 7),
        ...QUESTIONS.map((question) => [question, 'As you said.'] as const),
      ]);
      const halves = ROOMS.filter((room) => {
        const lines = linesIn(log, room);
        return stands(lines, first) !== stands(lines, then);
      });
      expect(halves).toEqual([]);
      expect(ROOMS.some((room) => stands(linesIn(log, room), then))).toBe(true);
    },
  );

  it.each(CORRECTED.map(([, first, , then], at) => [first, then, at] as const))(
    'is there as far as it has room, where what takes it back stays in the window: %s / %s',
    (first, _then, at) => {
      verifies('B7');
      const log = logOf([...FACTS.map((fact) => [fact, 'Noted.'] as const), ...turnsWith(at)]);
      const last = log.findLast(({ type }) => type === 'user_message_added')?.seq;
      expect(ROOMS.filter((room) => !stands(linesIn(log, room, last), first))).toEqual([]);
    },
  );

  it.each([
    [FILES, '3', 'tag.csv', '2!', '2) verkauf.csv'],
    ['1. tabs\n2. spaces\n3. both', '1', 'Tabs.', 'sorry, 2', '2. spaces'],
    ['a) luxon\nb) dayjs\nc) none', 'a', 'luxon then.', 'hmm, make that c', 'c) none'],
    ['A) luxon\nB) dayjs\nC) none', 'A', 'luxon then.', 'no, B', 'B) dayjs'],
    [FILES, '3', 'tag.csv. Shall I write it?', 'sorry, 1', '1) export.csv'],
  ])('chooses from the same list: %s %s, %s %s', (list, first, between, then, item) => {
    verifies('B7');
    const lines = linesIn(
      logOf([
        ['Which one for the export?', list],
        [first, between],
        [then, 'Done.'],
      ]),
      2_000,
    );
    expect(lines).toContain(`- ${then} [after you said: ${item}]`);
  });

  it.each([
    ['an answer to the question of the model', FILES, '3', 'How many rows does tag.csv need?', '2'],
    ['a wish', 'Noted.', 'Times are shown as HH:MM.', 'Noted.', 'No emoji in commit messages.'],
    ['a no to what was asked', 'Noted.', 'Rename f1 to f2.', 'Done. Shall I commit?', 'no'],
    ['a choice from another list', FILES, '3', '1. red\n2. green', '2'],
    ['another fact of the same form', 'Noted.', 'The staging port is 9090.', 'Noted.', 'The live port is 9443.'],
    ['said after a question', 'Noted.', 'Who signs?', 'Ines.', 'sorry, I forgot'],
    [
      'a fact after a no',
      'Noted.',
      'The budget is 4300.',
      'Noted.',
      'No, the port is not 8080: the right one is 9443.',
    ],
    ['a request', 'Noted.', 'Prices are in JPY.', 'Noted.', 'Stop the server'],
  ])('is not %s', (_what, answer, first, between, then) => {
    verifies('B7');
    const log = logOf([
      ['Go on.', answer],
      [first, between],
      [then, 'Done.'],
    ]);
    expect(exchangesIn(log).map(({ isCorrection }) => isCorrection)).toEqual([false, false, false]);
  });
});

describe('a slip that is noticed', () => {
  it.each([
    ['Встреча в парке.', 'ой, в музее'],
    ['Встреча в парке.', 'упс, в музее'],
    ['The meeting is in the park.', 'oops, the museum'],
    ['The meeting is in the park.', 'whoops: museum'],
    ['The meeting is in the park.', '*museum'],
    ['Das Treffen ist im Park.', 'huch, im Museum'],
    ['Das Treffen ist im Park.', 'ups, im Museum'],
    ['Das Treffen ist im Park.', 'vertippt: Museum'],
    ['La fête est à Lyon.', 'oups, à Dijon'],
    ['La fête est à Lyon.', 'euh non, Dijon'],
    ['La fiesta es en Lyon.', 'uy, en Dijon'],
    ['A reunião é no Porto.', 'ops, em Braga'],
    ['La cena è da Gino.', 'ops, da Pina'],
    ['Spotkanie w Krakowie.', 'ojej, w Łodzi'],
    ['Mötet är i Lund.', 'förlåt, Malmö'],
    ['Mødet er i Aarhus.', 'hovsa, i Odense'],
    ['Kokous on Turussa.', 'eikun Oulussa'],
    ['Toplantı saat dokuzda.', 'pardon, onda'],
    ['荷物は東京へ送ります。', 'あっ、大阪です'],
    ['会议在三楼。', '哎呀，四楼'],
    ['会议在三楼。', '说错了，是四楼'],
    ['회의는 부산에서 합니다.', '앗, 대구에서'],
    ['الاجتماع يوم الأحد.', 'عذرا، الثلاثاء'],
    ['बैठक सोमवार को है।', 'माफ़ कीजिए, मंगलवार'],
    ['Cuộc họp ở Huế.', 'nhầm, ở Vinh'],
    ['The meeting is in the park.', 'oops the museum'],
    ['The meeting is in the park.', 'typo: museum'],
    ['The meeting is in the park.', 'Typo - museum'],
    ['The meeting is in the park.', 'my bad, the museum'],
    ['The meeting is in the park.', 'I mistyped, the museum'],
    ['The meeting is in the park.', 'ok *museum'],
    ['Das Treffen ist im Park.', 'Ups, im Museum'],
    ['Das Treffen ist im Park.', 'Tippfehler: Museum'],
    ['La cena è da Gino.', 'Ops, da Pina'],
    ['A reunião é no Porto.', 'ops, no Minho'],
    ['Rapat hari Minggu.', 'Salah, hari Selasa'],
    ['Mötet är i Lund.', 'oj, i Malmö'],
  ])('takes back what was said right before: %s / %s', (first, then) => {
    verifies('B7');
    const log = logOf([
      [first, '👍'],
      [then, '👍'],
    ]);
    expect(exchangesIn(log).at(-1)?.isCorrection).toBe(true);
  });

  it.each([
    'ой, спасибо большое',
    'oops, forgot: Masha has a cat',
    'ups danke',
    'Oj, and three chairs for the garden.',
    '*Wichtig*',
    '*bold* text please',
    '**bold** text please',
    '* item one',
    '*one* and *two*',
    'Typo fixed',
    'typo in line 3 too',
    'Tippfehler behoben',
    'Опечатка исправлена',
    '오타 수정했어',
    'my mistake list grows',
    'I mistyped the password',
    'ops, fix the server',
    'Ops: restart the server',
    'ops restarted it',
    'UPS said Tuesday',
    'UPS, FedEx and DHL',
    'UPS: Tuesday',
    'Salah scored twice',
    'Salah, Mané and Firmino',
    'Aj aj aj',
    'Aj, aj, aj!',
    'Verschrieben wurde mir Ibuprofen',
    '잘못된 파일 지워줘',
  ])('is not %s', (then) => {
    verifies('B7');
    const log = logOf([
      ['Встреча в парке.', '👍'],
      [then, '👍'],
    ]);
    expect(exchangesIn(log).at(-1)?.isCorrection).toBe(false);
  });
});

it.each([250, 300, 350, 400, 450])(
  'a question that was answered pushes no fact out that has room, in %i characters',
  (room) => {
    verifies('B7');
    const log = logOf([
      ...FACTS.map((fact) => [fact, 'Noted.'] as const),
      ...QUESTIONS.map((question) => [question, 'As you said.'] as const),
    ]);
    const lines = linesIn(log, room);
    const lost = FACTS.filter((fact) => !stands(lines, fact)).map(({ length }) => length);
    const asked = QUESTIONS.filter((question) => stands(lines, question)).join('');
    expect(asked.length).toBeLessThan(Math.min(...lost));
  },
);
