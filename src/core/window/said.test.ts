import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { everyNth } from '../../../tests/support/long.ts';
import { createSaid, type Said } from './said.ts';
import { costOf } from './said-choice.ts';

const routine = (at: number): string => `Read part ${at} of the shop, and tell me what its constant is for.`;
const fact = (at: number): string =>
  `The port of the machine host-${at} is ${8_000 + at}, and nothing else listens there.`;
const long = (at: number): string => `${fact(at)} ${'It was a day like the others. '.repeat(40)}`;
const many = (count: number, of: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, index) => of(index + 1));

/** What stands after each of many compactions, with so many messages more each time. */
const madeRoom = (messages: readonly string[], each: number, characters: (round: number) => number): Said[] => {
  const rounds: Said[] = [];
  for (let count = each; count <= messages.length; count += each) {
    const said = createSaid(messages.slice(0, count), []);
    rounds.push(said(characters(rounds.length), rounds.at(-1)?.choice));
  }
  return rounds;
};
const text = ({ lines }: Said): string => lines.map((line) => `- ${line}`).join('\n');
/** Compactions after which a server has to read again what stood there before. */
const readAgain = (rounds: readonly Said[]): number =>
  rounds.filter((round, index) => index > 0 && !text(round).startsWith(text(rounds[index - 1] as Said))).length;

const CONVERSATIONS: readonly (readonly [string, (at: number) => string])[] = [
  ['work of one form', routine],
  ['a fact in each', fact],
  ['a fact now and then', (at) => (at % 7 === 0 ? `${routine(at)} ${fact(at)}` : routine(at))],
  ['messages longer than may stand whole', (at) => (at % 9 === 0 ? long(at) : routine(at))],
];

describe('what stays of what the person said, from one compaction to the next', () => {
  it.each(everyNth(CONVERSATIONS, 2))('begins as before, but for one in several compactions: %s', (_name, of) => {
    verifies('B7');
    const rounds = madeRoom(many(300, of), 6, () => 9_000);
    const full = rounds.filter(({ choice }) => choice !== undefined);
    expect(full.length).toBeGreaterThan(15);
    expect(readAgain(rounds)).toBeLessThanOrEqual(full.length / 2);
    for (const round of full) expect(text(round).length).toBeLessThanOrEqual(9_000);
    // What is kept free for the next messages is a small part of it.
    expect(text(full.at(-1) as Said).length).toBeGreaterThan(7_500);
  });

  it('marks in brackets what is not said by the person, and says what its own signs stand for', () => {
    const { lines } = createSaid(
      many(60, (at) => (at % 9 === 0 ? long(at) : routine(at))),
      [],
    )(2_000);
    expect(lines[0]).toMatch(/^\[\d+ further messages left out; "…" stands for sentences left out\]$/);
    const { dropped, whole, shortened } = createSaid(many(60, fact), [])(400);
    expect(dropped[0]).toBe(fact(1));
    expect(dropped.length).toBe(60 - whole - shortened.length);
    const [none] = createSaid(many(60, long), [])(70).lines;
    expect(none).toMatch(/^\[60 messages, for which there is no room here\]$/);
    const cut = createSaid([long(1)], [])(1_100);
    expect(cut.lines[0]).toBe('["…" stands for sentences left out]');
    expect(cut.lines[1]).toMatch(/ … /);
    expect(createSaid(['One. Two …'], [])(100).lines).toEqual(['One. Two …']);
  });

  it('fills a small room, where little is read again', () => {
    for (const round of madeRoom(many(200, fact), 10, () => 2_000).slice(8))
      expect(text(round).length).toBeGreaterThan(1_750);
  });

  it('has the newest messages whole after each', () => {
    const messages = many(180, (at) => (at % 7 === 0 ? `${routine(at)} ${fact(at)}` : routine(at)));
    for (const [index, round] of madeRoom(messages, 6, () => 9_000).entries())
      expect(round.lines.slice(-6)).toEqual(messages.slice(index * 6, index * 6 + 6));
  });

  it('stands as before in a little more or less room, and is chosen anew in much more', () => {
    const rounds = madeRoom(many(300, fact), 6, (round) => 8_800 + (round % 2) * 200);
    expect(readAgain(rounds)).toBeLessThanOrEqual(rounds.length / 2);
    const said = createSaid(many(300, fact), []);
    const small = said(2_000);
    expect(text(said(5_000, small.choice)).length).toBeGreaterThan(4_500);
    expect(said(50_000, small.choice).whole).toBe(300);
    expect(text(said(1_000, small.choice)).length).toBeLessThanOrEqual(1_000);
  });

  it('takes no choice that is of another conversation', () => {
    const said = createSaid(many(10, long), []);
    expect(said(2_000, { messages: 30, characters: 1_000 })).toEqual(said(2_000));
  });
});

const SMALL_TALK = Array.from(
  { length: 40 },
  (_, at) => `Somebody in the ${'abcdefghij'[at % 10]} room said that the colours are easier on the eye by now.`,
);
const lineUp = Array.from({ length: 50 }, (_, at) => `Line ${at + 1}: the list of week ${at + 1} goes to the office.`);
const FACT = 'The invoice number that must stand on every page is RX-55821.';
const PLEASE = 'Please put the change of the address block on your list.';
const inTheMiddle = (sentences: readonly string[], one: string): string =>
  [...sentences.slice(0, sentences.length / 2), one, ...sentences.slice(sentences.length / 2)].join(' ');

describe('a long message', () => {
  it.each([
    ['a mail', `${inTheMiddle(SMALL_TALK, FACT)}\n\n${PLEASE}`],
    ['a list', `${inTheMiddle(lineUp, FACT)}\n${PLEASE}`],
    ['thousands of characters without an end', `${'word '.repeat(1_000)}`],
  ])('stays whole among others, where all have room: %s', (_name, message) => {
    verifies('B7');
    expect(message.length).toBeGreaterThan(2_400);
    const said = createSaid(['Hello.', message, 'And now?'], [])(6_000);
    expect(said).toEqual({ lines: ['Hello.', message, 'And now?'], whole: 3, shortened: [], dropped: [] });
    // Also behind what was chosen when room was made before.
    const many300 = many(300, fact);
    const before = createSaid(many300, [])(9_000);
    const after = createSaid([...many300, message], [])(15_000 - 2_000, before.choice);
    expect(after.lines.at(-1)).toBe(message);
    expect(text(after).startsWith(text(before))).toBe(true);
  });

  it.each(
    [700, 1_200, 2_000, 5_000].flatMap((room) =>
      (
        [
          ['a mail', SMALL_TALK],
          ['a list', lineUp],
        ] as const
      ).map(([name, sentences]) => [name, room, sentences] as const),
    ),
  )('keeps what stands out in it and its request, wherever they stand: %s in %i characters', (_name, room, all) => {
    verifies('B7');
    const places = [
      `${inTheMiddle(all, FACT)}\n\n${PLEASE}`,
      `${PLEASE} Here it is.\n${[...all, ...all, FACT].join(' ')}`,
      `${[FACT, ...all, ...all].join('\n')}\n${PLEASE} Thanks. Regards, Ada`,
    ];
    for (const message of places) {
      for (const others of [[], many(12, routine)]) {
        const kept = text(createSaid([message, ...others], [])(room));
        expect(kept).toContain(FACT);
        expect(kept).toContain(PLEASE);
        expect(kept.length).toBeLessThanOrEqual(room + 3);
      }
    }
  });

  it('shows by its sign where something was left out, and only there', () => {
    const { lines } = createSaid([`One begins here. ${inTheMiddle(SMALL_TALK, FACT)} ${PLEASE}`], [])(400);
    const talk = SMALL_TALK.at(-1);
    expect(lines.at(-1)).toBe(`One begins here. ${SMALL_TALK[0]} … ${FACT} … ${talk} ${PLEASE}`);
  });
});

const THINGS =
  'worker cache index thread queue view lock ledger colour button footer margin driver socket parser schema invoice tax'.split(
    ' ',
  );
const QUESTIONS = THINGS.map((thing) => `Would you say that a ${thing} is worth its trouble?`);
const COMMANDS = THINGS.flatMap((thing, at) => [
  `Read src/m${at}.js, and answer in a sentence what its ${thing} is for.`,
  `In src/m${at}.js please change \`LIMIT_${at} = ${1_000 + at}\` to \`LIMIT_${at} = ${2_000 + at}\``,
]);

describe('what is forbidden or demanded', () => {
  it.each([
    'Please answer in British English, and never touch src/m3.js, it belongs to Kemal.',
    "Don't change src/m3.js before Friday.",
    'In src/m3.js the limits must stay in one sentence.',
    'Bitte src/m3.js niemals ändern.',
    'Ne change jamais src/m3.js, please.',
    'No cambies nunca src/m3.js.',
    '不要修改 src/m3.js。',
    'src/m3.js は決して変えないでください。',
    'Никогда не меняй src/m3.js.',
  ])('stays in little room, however old, before commands and questions: %s', (rule) => {
    verifies('B7');
    const said = createSaid([rule, ...COMMANDS, ...QUESTIONS], [])(600);
    expect(text(said)).toContain(rule);
  });

  it('stays where there is hardly any room', () => {
    verifies('B7');
    const rules = [
      'Please answer in British English, and never touch src/m3.js, it belongs to Kemal.',
      "Don't run the migration before Friday.",
      'No, not like that: amounts must be kept as integer cents, never as floats.',
    ];
    const kept = text(createSaid([...rules, ...COMMANDS, ...QUESTIONS], [])(450));
    for (const rule of rules) expect(kept).toContain(rule);
    expect(kept.length).toBeLessThan(480);
  });

  it('leaves room for the newest messages, however much is forbidden', () => {
    const rules = THINGS.map((thing) => `Never change the ${thing} of the shop, since somebody else looks after it.`);
    const kept = text(createSaid([...rules, ...COMMANDS, 'Now write the release notes.'], [])(600));
    expect(kept).toContain('Now write the release notes.');
    expect(kept).toContain('Never change');
  });
});

const PRAISE = [
  'Lovely, thank you so much!',
  'Wonderful work there.',
  'Splendid, exactly like that.',
  'Ihanaa, kiitos oikein paljon!',
  'Wunderbar, so gefällt es mir.',
  'Magnifique, bravo à toi!',
  'Toppen, tack ska du ha!',
  'Great stuff, keep going.',
];

it.each([
  'No, it is 7 percent and 19 was wrong.',
  'The customer is in Lyon, I was mistaken about Nice.',
  'Rör inte port 8080, den är Kemals.',
  'Porttia 8080 ei saa käyttää.',
  'A 8080-as portot hagyd békén.',
  'Đừng dùng cổng 8080 nữa.',
  'Please spell it "Meyer" from here on.',
])('a correction or demand in any words stays before praise: %s', (rule) => {
  verifies('B7');
  const chat = PRAISE.flatMap((praise, at) => [`Read part ${at}, and say what it is for.`, praise]);
  const kept = text(createSaid([rule, ...chat, 'Now write the release notes.'], [])(420));
  expect(kept).toContain(rule);
});

const rows = (of: (at: number) => string): string => Array.from({ length: 40 }, (_, at) => of(at)).join('\n');
const BIRDS = ['heron', 'lark', 'wren', 'swift', 'crane', 'stork'];
const LOG_ROWS = rows(
  (at) => `2026-03-0${(at % 9) + 1} 10:${10 + at}:07 INFO worker-${at} took ${at * 37} ms for /api/v${at}`,
);

describe('what the person said in words of their own', () => {
  const talks = [
    {
      language: 'Japanese',
      own: ['本番のデータベースには触らないでください。', '訂正します。ポートは8080ではなく9191です。'],
      work: (at: number) => `次に src/部品${at}.js を読んで、役割を一文で説明してください。`,
      replies: ['はい', 'はい、お願いします', 'ありがとう'],
    },
    {
      language: 'German',
      own: ['Die Datenbank im Betrieb lass bitte in Ruhe.', 'Ich habe mich geirrt: der Port ist 9191 statt 8080.'],
      work: (at: number) => `Lies als Nächstes src/teil${at}.js und sag in einem Satz, wozu es da ist.`,
      replies: ['Ja', 'Weiter so', 'Danke'],
    },
    {
      language: 'Thai',
      own: ['อย่าแตะต้องฐานข้อมูลจริงเด็ดขาด', 'ขอแก้ไข พอร์ตคือ 9191 ไม่ใช่ 8080'],
      work: (at: number) => `ต่อไปอ่าน src/part${at}.js แล้วอธิบายหน้าที่ในหนึ่งประโยค`,
      replies: ['ใช่', 'ขอบคุณ', 'ต่อไป'],
    },
    {
      language: 'English',
      own: ['Leave the production database alone.', 'I was wrong: the port is 9191 instead of 8080.'],
      work: (at: number) => `Next read src/part${at}.js, and say in a sentence what it is for.`,
      replies: ['Yes', 'Go on', 'Thanks'],
    },
  ];
  const pastes = [
    ['log', LOG_ROWS],
    ['bracketed log', rows((at) => `[12:${10 + at}:33] WARN queue ${at} is ${at * 13} behind`)],
    ['table', rows((at) => `| ${at} | host-${at} | ${8_000 + at} |`)],
    ['list of values', rows((at) => `KEY_${at}=${at * 91}`)],
  ] as const;
  const cases = talks.flatMap((talk) => pastes.map(([kind, paste]) => ({ ...talk, kind, paste })));

  it.each(cases)('stays before the rows of a pasted $kind and short replies: $language', (talk) => {
    verifies('B7');
    const { own, work, replies, paste } = talk;
    const chat = Array.from({ length: 5 }, (_, at) => [work(at), replies[at % replies.length] as string]).flat();
    for (const messages of [
      [...own, ...chat, paste, ...replies],
      [own[0] as string, ...chat, paste, own[1] as string, ...replies],
      [...chat.slice(0, 4), `${own[0]}\n${paste}\n${own[1]}`, ...chat.slice(4), ...replies],
    ]) {
      const kept = text(createSaid(messages, [])(520));
      for (const one of own) expect(kept).toContain(one);
      expect(kept.length).toBeLessThan(560);
    }
  });

  const TRACES = [
    ['JavaScript', 'TypeError: no heron', (at: number) => `    at drawHeron (src/heron.js:${at}:7)`],
    [
      'Python',
      'Traceback:',
      (at: number) => (at % 2 ? `    return draw(heron)` : `  File "src/heron.py", line ${at}, in draw`),
    ],
    ['Java', 'java.lang.Error: no heron', (at: number) => `\tat com.birds.Heron${'x'.repeat(at % 4)}.draw(Heron.java)`],
    [
      'words alone',
      'Starting',
      (at: number) => `Worker ${BIRDS[at % 6]} is ready for ${BIRDS[(at * 5 + 1) % 6]} calls`,
    ],
    [
      'words alone, in German',
      'Start',
      (at: number) => `Dienst ${BIRDS[at % 6]} wartet auf ${BIRDS[(at * 5 + 1) % 6]}`,
    ],
  ] as const;
  it.each(TRACES)('stays before a pasted trace or log: %s', (_name, head, row) => {
    verifies('B7');
    const [talk] = talks;
    for (const { own, work, replies } of [talk, ...talks.slice(1)] as typeof talks) {
      const chat = Array.from({ length: 5 }, (_, at) => [work(at), replies[at % replies.length] as string]).flat();
      const kept = text(createSaid([...own, ...chat, `${head}\n${rows(row)}`, ...replies], [])(560));
      for (const one of own) expect(kept).toContain(one);
    }
  });

  it.each([
    ['a list of demands', ['Use tabs', 'No emoji', 'Tests first', 'Short names', 'Ask before pushing', 'English only']],
    [
      'a list that repeats itself',
      ['Never push', 'Never force', 'Never skip', 'Never rename', 'Never guess', 'Never nag'],
    ],
  ])('is not taken for a paste: %s', (_name, demands) => {
    const kept = text(createSaid([demands.join('\n'), LOG_ROWS, 'ok', 'go on'], [])(420));
    for (const demand of demands) expect(kept).toContain(demand);
  });

  it.each([
    ['Use tabs.', ['lovely', 'ok', 'go on', 'thanks']],
    ['No emoji.', ['great', 'yes', 'ok', 'fine']],
    ['Nimm Tabs.', ['Danke', 'ja', 'gut', 'weiter']],
    ['タブで書いて', ['はい', 'どうも', '続けて', 'うん']],
    ['Sin emojis.', ['sí', 'vale', 'gracias', 'sigue']],
  ])('stays where it is short: %s', (demand, replies) => {
    verifies('B7');
    const work = (at: number): string =>
      `Next read src/part${at}.js and src/other${at * 7}.js, and say in one sentence what ${BIRDS[at % 6]} is for.`;
    const chat = Array.from({ length: 16 }, (_, at) => [work(at), replies[at % replies.length] as string]).flat();
    for (const room of [420, 520, 900]) {
      const kept = text(createSaid([...chat.slice(0, 4), demand, ...chat.slice(4), LOG_ROWS], [])(room));
      expect(kept).toContain(demand);
    }
  });

  it.each(pastes.flatMap(([kind, paste]) => [0, 4, 8].map((place) => ({ kind, paste, place }))))(
    'stays whole before rows: a $kind behind message $place',
    ({ paste, place }) => {
      verifies('B7');
      for (const { own, work } of talks) {
        const words = Array.from({ length: 8 }, (_, at) =>
          [own[at % 2], work(at), work(20), own[(at + 1) % 2]].slice(0, 2 + (at % 3)).join(at % 2 ? ' ' : '\n'),
        );
        const all = words.reduce((sum, { length }) => sum + length + 3, 0);
        const messages = [...words.slice(0, place), paste, ...words.slice(place)];
        for (const [room, least] of [
          [all + 200, words.length],
          [all + 900, words.length],
          [all + paste.length, words.length],
          [all * 0.9, words.length / 2],
        ] as const) {
          const { lines, dropped } = createSaid(messages, [])(room);
          expect(words.filter((message) => lines.includes(message)).length).toBeGreaterThanOrEqual(least);
          expect(costOf(lines)).toBeLessThanOrEqual(room);
          if (room > all + 300) expect(dropped).toEqual([]);
        }
      }
    },
  );

  it('leaves the rows what room is left', () => {
    const kept = text(createSaid(['Look at this:', LOG_ROWS, 'What is slow there?'], [])(700));
    expect(kept).toContain('What is slow there?');
    expect(kept).toContain('INFO worker-');
  });
});

describe('what a call did', () => {
  const FACTS = [
    'I am Ines, and I maintain the billing service.',
    'The tests run on Node 18 in CI.',
    'Priya signs off every release.',
    'The repository moves to GitLab in March.',
    'Our staging port is 9090, put it into config.json.',
    'Rename nothing in the public module before June.',
  ];
  const DONE = Array.from({ length: 30 }, (_, at) => {
    const [from, to, file] = [`export function f${at}_1(`, `export function g${at}_1(`, `src/mod${at}.js`];
    const asked = [
      `replace "${from}" with "${to}" in ${file}`,
      `read ${file} and tell me what it does.`,
      `run \`git log --oneline ${file}\``,
    ][at % 3] as string;
    return { asked, did: [`${file}\n${from}\n${to}`, file, `git log --oneline ${file}`][at % 3] as string };
  });
  const messages = [...FACTS, ...DONE.map(({ asked }) => asked)];
  const worked = [
    ...FACTS.map((fact) => (fact.includes('9090') ? 'config.json\n{"port": 9090}' : '')),
    ...DONE.map(({ did }) => did),
  ];

  it('makes room for what is to be known', () => {
    const characters = FACTS.join('').length + 120;
    const { lines } = createSaid(messages, [], { worked })(characters);
    for (const fact of FACTS) expect(lines.join('\n')).toContain(fact);
  });

  it('gives way to what is to be known also where it has words of what the person wants kept', () => {
    const wanted = ['the names of the public module and its function'];
    const { lines } = createSaid(messages, wanted, { worked })(FACTS.join('').length + 400);
    for (const fact of FACTS) expect(lines.join('\n')).toContain(fact);
  });

  it('stands again where there is room', () => {
    const { dropped } = createSaid(messages, [], { worked })(10_000);
    expect(dropped).toEqual([]);
  });
});

describe('what is said in one form again and again', () => {
  it('gives way to what is said once, however many values it holds', () => {
    verifies('B7');
    const facts = [
      'Store times in UTC only.',
      'The deadline is the third of December.',
      'No, call the table shifts, as in the old system.',
      'Numbers are shown in the Swiss locale.',
    ];
    const chores = Array.from({ length: 40 }, (_, at) => `Hm, step ${at} of ${at + 7} could be split. Not sure.`);
    const { lines } = createSaid([...facts, ...chores], [])(450);
    for (const fact of facts) expect(lines.join('\n')).toContain(fact);
  });
});
