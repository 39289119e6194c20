/** An answer keeps its question where others differ from that by a number alone, and a choice keeps what it is a choice of. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { exchangesIn } from './exchanges.ts';
import { createRetainer } from './retained.ts';
import { saidTo } from './said-to.ts';

type Turn = readonly [said: string, answer: string];
const logOf = (turns: readonly Turn[]): Event[] =>
  turns
    .flatMap(([text, answer]): EventBody[] => [said(text), answered(answer)])
    .map((body, at) => ({ seq: at + 1, at: 0, ...body }));
const toOf = (turns: readonly Turn[], at: number): string => saidTo(exchangesIn(logOf(turns)))[at] ?? '';
const keptOf = (turns: readonly Turn[], maxCharacters: number): string[] => {
  const log = logOf(turns);
  const options = { trace: () => undefined, tasks: [], maxCharacters };
  return createRetainer(log, () => undefined)(log.length + 1, options).text.split('\n');
};

const FORMS: readonly (readonly [form: string, asked: (at: number) => string])[] = [
  ['a question', (at) => `Shall I delete the folder backup${at}?`],
  ['a question in German', (at) => `Soll Ordner backup${at} weg?`],
  ['a question in Japanese', (at) => `棚${at}を外しますか？`],
  ['a proposal', (at) => `The file backup${at} is old; I would throw it away.`],
  ['a list in one line', (at) => `Colour of door ${at}? a) red b) blue`],
  ['a list without a question', (at) => `Door ${at}: 1) open 2) shut`],
  ['a list over lines', (at) => `Door ${at}:\n- open\n- shut`],
  ['two questions', (at) => `Open door ${at}? Paint door ${at}?`],
];
const REPLIES = ['yes', 'ja', '👍', '❌❌', 'both', '+', 'only on Mondays', 'はい'];

describe.each(FORMS)('%s that differs from others by its number alone', (_form, asked) => {
  it.each(REPLIES)('stays with each %s', (reply) => {
    verifies('B7');
    const turns = Array.from({ length: 12 }, (_, at): Turn[] => [
      [`Task ${at} next`, asked(201 + at)],
      [reply, 'Right.'],
    ]).flat();
    const all = saidTo(exchangesIn(logOf(turns))).filter((_, at) => at % 2 === 1);
    expect(all.filter((to, at) => !new RegExp(`${201 + at}\\b|${201 + at}を`, 'u').test(to))).toEqual([]);
    for (const room of [1_500, 3_000, 6_000]) expect(keptOf(turns, room)).not.toContain(`- ${reply}`);
  });
});

it.each([1_500, 3_000])('many alike push out no answer that is like no other: %i characters', (room) => {
  verifies('B7');
  const alike = Array.from({ length: 60 }, (_, at): Turn[] => [
    [`Task ${at} next`, `Shall I go on with part ${at}?`],
    ['yes', 'Right.'],
  ]).flat();
  const own: Turn[] = [
    ['What of the visitors?', 'May the visitors from Akureyri see the archive of the ward on their own?'],
    ['never', 'Good.'],
  ];
  const lines = keptOf([...own, ...alike], room);
  expect(lines.filter((line) => line.startsWith('- never ['))).toHaveLength(1);
});

it.each(['no', '❌❌', '👎👎', 'нет', 'いいえ'].flatMap((no) => [900, 1_500].map((room) => [no, room] as const)))(
  'a no stays before others of its kind: %s, %i characters',
  (no, room) => {
    verifies('B7');
    const turns = Array.from({ length: 60 }, (_, at): Turn[] => [
      [`Task ${at} next`, at % 2 ? `Shall I delete the folder backup${at}?` : `The file backup${at} is old; it goes.`],
      [at === 10 || at === 11 ? no : 'yes', 'Right.'],
    ]).flat();
    const lines = keptOf(turns, room);
    expect(lines).toContain(`- ${no} [after you said: The file backup10 is old; it goes.]`);
    expect(lines).toContain(`- ${no} [after you said: Shall I delete the folder backup11?]`);
  },
);

const MENU = '1) zip 2) tar 3) none';
const LETTERS = '- A) weekly\n- B) monthly\n- C) never';
describe('a choice', () => {
  it.each([
    ['→ 3', `Pick for backup109: ${MENU}`, 'Pick for backup109: 3) none'],
    ['3', `Backup109 can be packed.\n\n1. zip\n2. tar\n3. none`, 'Backup109 can be packed. 3. none'],
    ['B!', `Pick for backup110:\n${LETTERS}`, 'Pick for backup110: - B) monthly'],
    ['b', 'Colour of door 3? a) red b) blue', 'Colour of door 3? b) blue'],
    ['2', `1) zip\n2) tar\n\nWhich one for backup112?`, 'Which one for backup112? 2) tar'],
    ['二', 'backup117：一）复制 二）删除', 'backup117：一）复制 二）删除'],
    [
      '👍 (but not the second)',
      'For backup111 I will 1) copy 2) wipe 3) verify. Agreed?',
      'For backup111 I will 1) copy 2) wipe 3) verify. Agreed?',
    ],
    ['neither', `Pick for backup113:\n${LETTERS}`, 'Pick for backup113: - A) weekly - B) monthly - C) never'],
    [
      '1, b',
      'How is backup114 packed? 1) zip 2) tar\nHow often is it made? a) daily b) weekly',
      'How is backup114 packed? 1) zip How often is it made? b) weekly',
    ],
    [
      '2a',
      'How is backup115 packed?\n1) zip\n2) tar\nHow often is it made?\na) daily\nb) weekly',
      'How is backup115 packed? 2) tar How often is it made? a) daily',
    ],
    ['first yes, second no', 'Delete backup123? Delete backup124?', 'Delete backup123? Delete backup124?'],
    [
      'yes to the first',
      'Shall I delete the folder backup125 of last year? Shall I keep the folder backup126?',
      'Shall I delete the folder backup125 of last year? Shall I keep the folder backup126?',
    ],
  ])('keeps what it is a choice of: %s', (choice, answer, expected) => {
    verifies('B7');
    expect(
      toOf(
        [
          ['Go on.', answer],
          [choice, 'Done.'],
        ],
        1,
      ),
    ).toBe(`[after you said: ${expected}]`);
  });

  const MUSIC: Turn[] = [
    ['Music?', '1) band 2) DJ 3) none'],
    ['1', 'Band.'],
  ];
  const FOOD: Turn[] = [
    ['Food?', 'a) grill b) buffet c) soup'],
    ['b', 'Buffet.'],
  ];
  const BARN: Turn = ['How old is the oldest barn?', 'Eight hundred years.'];
  it.each<[string, readonly Turn[], string]>([
    ['Oh, and make it 2 after all.', [...MUSIC, BARN], '2) DJ'],
    ['no, rather 3', [...MUSIC, BARN, ['Who paints it?', 'Knut paints it.']], '3) none'],
    ['doch lieber 2', [...MUSIC, BARN], '2) DJ'],
    ['finalement 2', [...MUSIC, BARN], '2) DJ'],
    ['лучше 2', [...MUSIC, BARN], '2) DJ'],
    ['About the food: I take that back, a.', [...MUSIC, ...FOOD, BARN], 'a) grill'],
    ['About the music: make it 3 instead.', [...MUSIC, ...FOOD, BARN], '3) none'],
    ['About the music: make it 3 instead, nobody dances.', [...MUSIC, ...FOOD, BARN], '3) none'],
    ['I changed my mind, I take number 2, please', [...MUSIC, BARN], '2) DJ'],
    ['ok, then rather option 3', [...MUSIC, BARN], '3) none'],
    ['Ich nehme doch lieber die 2, danke', [...MUSIC, BARN], '2) DJ'],
    ['change that to 2', [...MUSIC, BARN], '2) DJ'],
    ['not 1, back to 2', [...MUSIC, BARN], '2) DJ'],
    [
      'Music: 2 after all',
      [...MUSIC, ['Food?', '1) grill 2) buffet'], ['1', 'Grill.'], ['Who?', 'Who shall paint the barn?']],
      '2) DJ',
    ],
  ])('is made anew from its own list, behind other things: %s', (again, before, item) => {
    verifies('B7');
    const to = toOf([...before, [again, 'As you like.']], before.length);
    expect(to).toBe(`[after you said: ${item}]`);
  });

  it.each<[string, Turn]>([
    ['2', ['How many rooms?', 'How many rooms does the barn need?']],
    ['make it 2', ['How many rooms?', 'How many rooms does the barn need?']],
    ['2 guests more', BARN],
    ['rather 7 of them', BARN],
    ['rather 2 of them', BARN],
    ['Actually, make it at most 2 retries, please.', BARN],
    ['Instead of the loop use sleep 2', BARN],
    ['I changed my mind: only 2 columns.', BARN],
    ['change it to 2 degrees', BARN],
    ['make it 2 km instead', BARN],
    ['make it 2%', BARN],
    ['make it 2 s instead', BARN],
    ['make it about 2 after all', BARN],
    ['$2 after all', BARN],
    ['make it 2.5 after all', BARN],
    ['make it -2', BARN],
    ['not 2', BARN],
    ['set max to 2 instead', BARN],
    ['lieber 2 Spalten', BARN],
    ['Mach doch 2 Zeilen daraus', BARN],
    ['finalement 2 colonnes', BARN],
    ['лучше 2 колонки', BARN],
    ['For the music take 2 speakers instead', BARN],
    ['The music stops at 2 after all', BARN],
  ])('is not made anew by what speaks of something else: %s', (text, turn) => {
    verifies('B7');
    expect(toOf([...MUSIC, turn, [text, 'Good.']], 3)).not.toContain('DJ');
  });
});
