/** Notes that take what they speak of from one clause of the person, and what they say of it from the next. */
import { describeNotes, type Notes, type Turn } from '../../../tests/support/noted-conversations.ts';

const CONVERSATIONS: readonly (readonly [what: string, turns: readonly Turn[], kept: Notes, dropped: Notes])[] = [
  [
    'a tea house, in Chinese',
    [
      '我叫李明，在杭州开一家茶馆。周二早上十点和王芳开会。',
      '茶馆有三位员工，每天早上八点开门，周一休息。',
      '我女儿小雨在上海读大学，学的是建筑。',
      '服务器在东京，用的是PostgreSQL，端口5433。',
    ],
    {
      facts: [
        '李明在杭州开茶馆',
        '茶馆有三位员工',
        '茶馆周一休息',
        '茶馆早上八点开门',
        '小雨在上海读大学',
        '小雨学建筑',
        '李明的女儿是小雨',
      ],
    },
    { facts: ['王芳在杭州开茶馆', '小雨在杭州读大学', '茶馆周二休息', '小雨的女儿是李明', '服务器在上海'] },
  ],
  [
    'a coffee house, in Japanese',
    [
      '私は田中です。京都で小さな喫茶店をやっています。',
      '店は朝八時に開いて、月曜は休みです。',
      '鈴木さんは受付、佐藤さんは会計です。',
    ],
    { facts: ['田中は京都で喫茶店をやっている', '店は月曜は休み', '店は朝八時に開く'] },
    { facts: ['鈴木さんは会計です', '佐藤さんは受付です', '鈴木は京都で喫茶店をやっている'] },
  ],
  [
    'a bakery, in English',
    [
      'I am Anna. I run a bakery in Bergen with my brother Jonas.',
      'The oven stands in the cellar, bought in 2019 from Miwe; the mixer is older.',
      'My daughter Lea is allergic to hazelnuts, so no hazelnuts in the birthday cake.',
      'Oskar brings the bread on Tuesdays; Lena does the laundry.',
    ],
    {
      facts: [
        "Lea is Anna's daughter",
        "Anna's daughter Lea is allergic to hazelnuts",
        'The oven was bought in 2019 from Miwe',
      ],
    },
    {
      facts: [
        "Anna is Lea's daughter",
        "Jonas is Lea's brother",
        'Anna is allergic to hazelnuts',
        'Oskar does the laundry',
        'Lena brings the bread',
        'The mixer was bought in 2019',
      ],
    },
  ],
  [
    'a bakery, in French and German',
    [
      'Je m’appelle Anna. La boulangerie est au coin, ouvre à 7 heures, fermée le lundi.',
      'Meine Tochter Lea spielt Geige, und der Ofen steht im Keller.',
    ],
    { facts: ['La boulangerie ouvre à 7 heures', 'Lea ist die Tochter von Anna'] },
    { facts: ['Anna ist die Tochter von Lea', 'Lea spielt im Keller'] },
  ],
  [
    'the same for another thing',
    [
      'Look at the login form, it loses the umlauts.',
      ['It decodes as latin1.', 'The login form decodes as latin1.'],
      'Good, mend it and add a test.',
      'Now the same for the registration form.',
      'Übersetze die Einladung.',
      'Jetzt das Gleiche für die Speisekarte.',
      'Do not print the poster.',
      'And the same for the flyer.',
    ],
    {
      open: ['Mend the registration form', 'Add a test for the registration form', 'Übersetze die Speisekarte'],
    },
    { open: ['Print the flyer', 'Delete the registration form', 'Drucke die Speisekarte'] },
  ],
  [
    'a theatre, of which some changed',
    [
      'Claire is played by Marlis, Ill by Bernhard.',
      'Tickets: adults 20 francs, children 10.',
      'Bernhard has left the group. Ill is now played by Konstantin.',
      'Children are now 12 francs.',
    ],
    {
      facts: [
        'Ill is played by Konstantin',
        'Claire is played by Marlis',
        'Children pay 12 francs',
        'Adults pay 20 francs',
      ],
    },
    { facts: ['Ill is played by Bernhard', 'Children pay 10 francs'] },
  ],
];

describeNotes(CONVERSATIONS);
