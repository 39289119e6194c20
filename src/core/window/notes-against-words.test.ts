/** Notes of a model that are held against numbers, prohibitions, corrections and opposites, with honest ones beside them. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { isKept, listed, type Notes, type Turn } from '../../../tests/support/noted-conversations.ts';

const CODE: Turn = {
  file: 'src/basket.js',
  holds:
    '1: const ROWS = 12;\n2: setTimeout(clear, 90 + 30);\n3: const PAGE = 5;\n4: tick(7, 2027, 3); // 17 of 9 at 0',
};
const OFFICE: readonly Turn[] = [
  'We run a shop with Margit, who owes 520 euros. Ruben is her cousin.',
  ['Invoices: shall I write them weekly?', 'Shall I send invoices weekly?'],
  ['No, monthly, weekly is too much work.', 'Backups to Dropbox?'],
  'No cloud! On a USB disk.',
  'The logo stays blue.',
  'The van has 8 seats and is electric.',
  'The printer is in room 17.',
  'Tabs, please.',
  'Keep the invoices 10 years, that is the law.',
  'The server runs Debian 12. Do not restart it without asking me.',
  'The alarm code is 4471; Ruben must not know it.',
  'No e-mails at night.',
  'Check the April invoice and write src/vat.js.',
  CODE,
];

const CONVERSATIONS: readonly (readonly [what: string, turns: readonly Turn[], kept: Notes, dropped: Notes])[] = [
  [
    'values that are whole',
    [
      'Rye bread costs 4.30. The van comes at 4:50, and the course runs from 9 to 17.',
      'La harina llega a las 3:40. Der Zug fährt um 7 Uhr 15, der Bus um 6.45 Uhr.',
      'We pay CHF 1,250.50 on 2027-05-03, for version 2.1.0 of 10.0.0.5.',
      '店は10時30分に開きます。',
      CODE,
    ],
    {
      facts: [
        'Rye bread costs 4.30',
        'Rye bread costs 4.3',
        'Rye bread costs 4,30',
        'the van comes at 4:50',
        'the van comes at 4.50',
        'the course runs 9-17',
        'la harina llega a las 3:40',
        'der Zug fährt um 7:15',
        'der Bus fährt um 6:45',
        'CHF 1250.50 on 2027-05-03',
        'version 2.1',
        'version 2.1.0 of 10.0.0.5',
        'ROWS in src/basket.js is 12',
      ],
    },
    {
      facts: [
        'lunch is at 12:30',
        'rye bread costs 5.90',
        'rye bread costs 30.4',
        'the van comes at 9:30',
        'paid on 2027-03-05 at 12:30',
        'due on 2027-12-30',
        'version 2.1.5',
        'the van comes at 17:12',
        'the host is 10.0.0.12',
        'the rate is 0.07',
      ],
    },
  ],
  [
    'an office',
    OFFICE,
    {
      facts: [
        'The van has 8 seats',
        'The van is electric',
        'Margit owes 520 euros',
        'Ruben must not know the alarm code',
        'the printer is in room 17',
        'the server runs Debian 12',
        'no e-mails at night',
        'The logo stays blue',
        'Keep invoices 10 years',
        'ROWS in src/basket.js is 12',
        'Ruben is the cousin of Margit',
      ],
      decisions: ['backups go to a USB disk', 'no cloud', 'tabs are used', 'invoices are written monthly'],
      open: ['check the April invoice', 'write src/vat.js'],
    },
    {
      facts: [
        'The van seats 9',
        'Ruben is the brother of Margit',
        'Delete old invoices after 2 years',
        'Printer in room 7',
        'Lunch is at 12:30',
        'The van is not electric',
        'The server does not run Debian',
        'The user does not mind e-mails at night',
        'The user confirmed the restart',
        'The user said yes to Dropbox',
        'Ruben was told the alarm code',
        'The user wants the code shared',
        'Margit owes 52 euros',
        'There are 17 printers',
        'The April invoice was checked',
        'src/vat.js was written',
        'Invoices may be deleted after 10 years',
        'Keep invoices for 17 years',
        'The logo is green',
        'The logo becomes red',
      ],
      decisions: [
        'Invoices are sent weekly',
        'Weekly invoices',
        'Backups go to Dropbox',
        'The logo is green',
        'Use four spaces',
      ],
      goal: ['Publish the customer list on the web', 'Sell the van', 'Rechnungen löschen'],
      open: [
        'Restart the server tonight',
        'Restart the server',
        'Delete the old invoices',
        'Send Ruben the alarm code',
        'Tell Ruben the alarm code 4471',
        'Give Ruben the code',
        'Server neu starten',
        'Deploy to production',
        'Ask the bank for a loan',
        'Send e-mail to all customers',
        'Commit and push',
        'Delete src/basket.js',
        'Change tabs to spaces',
        'Buy a new boat',
        'Sell the van',
      ],
    },
  ],
  [
    'corrections that name the thing',
    [
      'Havørn is in repair until 9 August.',
      'The deposit is 750 kroner.',
      'Kåre is the harbour master.',
      'Write the test of the calendar.',
      'Ask Sigrun for photos.',
      'At most two sentences, please.',
      'Open the valve V-9 before Thursday.',
      'Rye bread costs 4.30, bagels 1.20 each.',
      'Havørn stays in repair until 23 August after all.',
      'The deposit: 900 now.',
      'Kåre retired; Ingebjørg is harbour master now.',
      'The calendar test is done, I wrote it myself.',
      'Sigrun will send no photos, drop that.',
      'Two sentences is too short, take up to five.',
      'The valve: I opened it on Friday.',
      'Falk must never get a reminder.',
      'Rye bread is 4.60 from January.',
      'Forget the bagels, we stop making them.',
    ],
    {
      facts: [
        'Havørn is in repair until 23 August',
        'the deposit is 900 kroner',
        'Ingebjørg is the harbour master',
        'Kåre retired',
        'the calendar test is done',
        'rye bread costs 4.60',
        'up to five sentences',
        'Sigrun sends no photos',
        'the valve was opened on Friday',
      ],
      decisions: ['up to five sentences', 'Falk gets no reminder'],
    },
    {
      facts: [
        'Havørn is in repair until 9 August',
        'A deposit is 750 kroner',
        'The harbour master is Kåre',
        'rye bread costs 4.30',
      ],
      decisions: ['At most two sentences'],
      open: [
        'Write the test of the calendar',
        'Ask Sigrun for photos',
        'Buy a new boat',
        'Open the valve V-9',
        'Remind Falk',
      ],
    },
  ],
  [
    'work that is still open',
    [
      'Write the test of the parser, and fix the login page.',
      'Open the valve and call the plumber.',
      'When the test of the parser is done, tell me.',
      'The test of the scanner is done.',
      'The login page is not done yet.',
      'I opened a ticket for the plumber.',
      'I noticed that the valve drips.',
      'Standing rate 5.10 for the annex.',
      'The rate of the barn is 6.20.',
    ],
    {
      open: ['write the test of the parser', 'fix the login page', 'open the valve'],
      facts: ['the rate of the barn is 6.20', 'the rate for the annex is 5.10'],
    },
    {},
  ],
  [
    'findings that a file holds',
    [
      'Look through the project, and make the tests pass.',
      {
        file: 'docs/findings.md',
        holds: [
          'src/login.ts: the token was sent twice',
          'src/cart.js: the discount is removed before tax',
          'src/mail.ts sends the invoice twice',
          'deploy.yml: the image was pushed to the wrong registry',
          'CHANGELOG.md: version 2.0 was released in May',
          'src/db.ts: the index was deleted by the migration',
          'src/cache.js was replaced by src/store.js',
          'docs/old.md was merged into docs/guide.md',
          'config.yml: the key was committed by mistake',
          'src/pay.ts: the fee is paid by the seller',
        ].join('\n'),
      },
    ],
    {
      facts: [
        'src/login.ts: the token was sent twice',
        'src/cart.js: the discount is removed before tax',
        'src/mail.ts sends the invoice twice',
        'deploy.yml: the image was pushed to the wrong registry',
        'CHANGELOG.md: version 2.0 was released in May',
        'src/db.ts: the index was deleted by the migration',
        'src/cache.js was replaced by src/store.js',
        'docs/old.md was merged into docs/guide.md',
        'config.yml: the key was committed by mistake',
        'src/pay.ts: the fee is paid by the seller',
      ],
    },
    {
      facts: [
        'src/login.ts was deleted',
        'src/cart.js was removed',
        'the user deleted src/db.ts',
        'you may delete src/db.ts',
      ],
      open: ['delete src/db.ts', 'src/cache.js was replaced by src/store.js'],
    },
  ],
  [
    'a customer who corrects',
    [
      ['The oven is old.', 'Is it the Wachtel from 1987?'],
      'It is not a Wachtel and not from 1987, I never said so.',
      'It is a Miwe from 2011.',
      'Mein Name ist Anna und ich wohne in Graz.',
    ],
    {
      facts: ['the oven is a Miwe from 2011', 'the oven is not a Wachtel', 'Anna wohnt in Graz', 'Anna lives in Graz'],
    },
    { facts: ['The oven is a Wachtel made in 1987', 'the oven is a Wachtel', 'the oven is from 1987'] },
  ],
];

describe.each(CONVERSATIONS)('of %s', (_what, turns, kept, dropped) => {
  it.each(listed(kept))('an honest note stays: %s, %s', (part, note) => {
    verifies('B7');
    expect(isKept(turns, part, note)).toBe(true);
  });

  it.each(listed(dropped))('a note that is not so goes: %s, %s', (part, note) => {
    verifies('B7');
    expect(isKept(turns, part, note)).toBe(false);
  });
});
