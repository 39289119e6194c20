/** A short answer of the person means nothing without what it answers: either both are kept, or neither. */
import { expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import { rounds } from '../../../tests/support/long.ts';
import type { Event, EventBody } from '../events.ts';
import { createRetainer } from './retained.ts';

/** What was asked or proposed, with a word of it that has to stay, and what was said to it. */
const PAIRS: readonly (readonly [asked: string, word: string, reply: string])[] = [
  [
    'There is none yet. Shall I add a line to CHANGELOG.md for every change that I make?',
    'CHANGELOG',
    'Only on Mondays.',
  ],
  ['Soll ich nach jeder Änderung die Prüfung im Ordner tests laufen lassen?', 'Prüfung', 'Ja, aber nur für src.'],
  ['Nothing imports it any more. Shall I remove the billing exporter?', 'billing', 'OK but ask Jón first.'],
  [
    'I can keep a journal of what I change, in German or in English. Do you want that?',
    'journal',
    'Please do that, in German.',
  ],
  ['Veux-tu que je déploie la branche stable chaque soir ?', 'déploie', 'Oui, sauf le week-end.'],
  ['Мне удалять старые снимки базы?', 'снимки', 'да, но только старше года'],
  ['サーバーの時計を毎晩合わせましょうか？', '時計', 'はい、でも日曜は除いて'],
  ['要不要把日志压缩后再上传？', '压缩', '好，但先问王工'],
  ['매일 백업을 보낼까요?', '백업', '네, 금요일만'],
  ['هل أحذف المجلد القديم للصور؟', 'للصور', 'نعم، بعد الجمعة'],
  ['क्या मैं पुरानी रिपोर्ट हटा दूँ?', 'रिपोर्ट', 'हाँ, पर सोमवार के बाद'],
  ['Haluatko, että siirrän asetukset yhteen tiedostoon?', 'asetukset', 'Joo, mutta vasta ensi viikolla'],
  ['Czy mam wyłączyć stary harmonogram?', 'harmonogram', 'Tak, ale zapytaj Wojtka'],
  ['Eski raporları silmemi ister misin?', 'raporları', 'Evet, mayıstan sonra'],
  ['Θέλεις να αλλάξω το λιμάνι του διακομιστή;', 'λιμάνι', 'Όχι πριν το Πάσχα'],
  ['How many retries should the uploader make before it gives up?', 'uploader', '7'],
  ['Which colour should the warning banner have?', 'banner', 'the dark red'],
  ['Who may approve refunds?', 'refunds', 'Only Maren and Tove.'],
  ['Until when shall the voucher codes stay valid?', 'voucher', 'end of Q2'],
  ['Shall I squash the migration files?', 'migration', 'yes'],
  ['Should the nightly importer skip broken rows?', 'importer', 'no'],
  ['The cache could live in Redis or beside the process. Which do you prefer?', 'Redis', 'the second one'],
  ['Do you want the thumbnails rendered on the fly?', 'thumbnails', 'do it'],
  ['Ich würde den Paketnamen in kestrel ändern. Einverstanden?', 'kestrel', 'passt'],
  ['I propose to freeze the schema of the parcel table on Thursday.', 'parcel', 'agreed'],
  ['I would name the queue `duties`. Shall I?', 'duties', 'No, `schichten`, as in the old system.'],
  [
    'Three would do:\n- RabbitMQ on port 5672\n- Kafka with three partitions\n- the channel shift_events of PostgreSQL\nWhich one?',
    'shift_events',
    'Neither of the first two; take the last one.',
  ],
  ['Wie heißt die Kostenstelle für Reisen?', 'Kostenstelle', '4711-B'],
  [
    'Can I drop support for the printers of the old type?',
    'printers',
    'Not before Halldóra has signed, and never for the ones in Akureyri, they have no others there.',
  ],
  ['Should alerts go to the pager or to the chat?', 'pager', 'both'],
];

const FACTS = [
  'The release goes out on Friday the 13th.',
  'Times are shown as HH:MM.',
  'The staging port is 9090.',
  'Prices are in JPY without decimals.',
  'Never delete rows of the audit table.',
  'Die Ausgabe ist UTF-8 ohne BOM.',
  'Python 3.9 runs on the machines of the ward.',
  'Ines signs every release.',
  'Numbers are shown in locale fr-CH.',
  'No emoji in commit messages.',
  'Le service paie veut des points-virgules.',
  'The API key header is X-Anna-Token.',
];
const CHORES = [
  'Read src/m{n}.py and tell me what is odd.',
  'Explain at length how module {n} works.',
  'Hm, step {n} could be split. Not sure.',
  'ok weiter',
  'Rename f{n} to f{n}_b in src/m{n}.py',
];

const seeded = (seed: number) => {
  let state = seed * 2_654_435_761 + 1;
  return (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
};

type Told = { word: string; reply: string };
/** Eight pairs, eight facts and fifty chores, in any order; the pairs that were said are told too. */
const conversation = (seed: number): { log: Event[]; pairs: Told[] } => {
  const pick = seeded(seed);
  const pairs: Told[] = [];
  const turns: EventBody[][] = [];
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((one) => ({ one, at: pick(1_000_000) }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  for (const [asked, word, reply] of shuffled(PAIRS).slice(0, 8)) {
    pairs.push({ word, reply });
    turns.push([
      said(`What about ${word.length} more things, number ${turns.length}?`),
      answered(asked),
      said(reply),
      answered('Understood.'),
    ]);
  }
  for (const fact of shuffled(FACTS).slice(0, 8)) turns.push([said(fact), answered('Noted, I will keep to that.')]);
  for (let n = 0; n < 50; n += 1)
    turns.push([
      said((CHORES[n % CHORES.length] as string).replaceAll('{n}', String(n))),
      answered(`I did that for module ${n}. ${'It holds functions that add and multiply. '.repeat(4)}`),
    ]);
  const log = shuffled(turns)
    .flat()
    .map((body, index) => ({ seq: index + 1, at: 0, ...body }));
  return { log, pairs };
};

const keptOf = (log: readonly Event[], maxCharacters: number): string =>
  createRetainer(log, () => undefined)(log.length + 1, { trace: () => undefined, tasks: [], maxCharacters }).text;

/** As much as is kept in windows of 2,048 (after a turn with much in it), 4,096, 8,192 and 16,384 tokens. */
const ROOMS = [1_200, 3_000, 7_500, 10_000];

it.each(ROOMS)('no answer stands without what it answers, and hardly one goes: %i characters', (room) => {
  verifies('B7');
  let lost = 0;
  let all = 0;
  for (let seed = 1; seed <= rounds(5, 60); seed += 1) {
    const { log, pairs } = conversation(seed);
    const lines = keptOf(log, room).split('\n');
    for (const { word, reply } of pairs) {
      const line = lines.find((one) => one.startsWith(`- ${reply}`));
      expect(line ?? word, `seed ${seed}: ${reply}`).toContain(word);
      all += 1;
      if (line === undefined) lost += 1;
    }
  }
  if (room >= 3_000) expect(lost).toBeLessThanOrEqual(all * 0.03);
});
