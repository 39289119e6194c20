import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { Event, EventBody } from '../events.ts';
import { exchangesIn } from './exchanges.ts';
import { createRetainer } from './retained.ts';
import { saidTo as saidToIn } from './said-to.ts';

const saidTo = (left: readonly Event[], worked?: readonly string[]): string[] => saidToIn(exchangesIn(left), worked);

/** What stands for all of it: the lines that say what they were said to. */
const repliesIn = (left: readonly Event[], maxCharacters: number): string[] =>
  createRetainer(left, () => undefined)(left.length + 1, { trace: () => undefined, tasks: [], maxCharacters })
    .text.split('\n')
    .filter((line) => line.includes('[after you said: '));
/** The same of one message, of all that were said. */
const saidToOf = (said: string, left: readonly Event[]): string => {
  const messages = left.flatMap((event) => (event.type === 'user_message_added' ? [event.content] : []));
  return saidTo(left)[messages.indexOf(said)] ?? '';
};
const log = (...texts: readonly (readonly [said: string, answer: string])[]): Event[] =>
  texts
    .flatMap(([said, content]): EventBody[] => [
      { type: 'user_message_added', content: said },
      {
        type: 'assistant_message_added',
        message: { role: 'assistant', content, tool_calls: [], finish: 'stop' },
      },
    ])
    .map((body, index) => ({ seq: index + 1, at: 0, ...body }));
const LONG =
  'Please go through the whole of the module now, and tell me in order what each of its functions is there for.';
const ROUTINE = 'The change is small. It keeps the signature, and leaves the callers as they are.';

describe('what a short message was said to', () => {
  it.each([
    [
      'Yes, take B.',
      'I see two ways. Option A: round each line. Option B: sum first in BigInt, then banker rounding. I would take B.',
      ['Option B: sum first in BigInt, then banker rounding.', 'I would take B.'],
    ],
    ['ok', `${ROUTINE} ${ROUTINE} ${ROUTINE} Shall I call it heron-17 from now on?`, ['heron-17']],
    [
      'Да, второй.',
      'Есть два пути. Первый быстрый. Второй точный: сумма в BigInt. Я бы взял второй.',
      ['сумма в BigInt'],
    ],
    ['好的，用第二种。', '有两种方法。第一种很快。第二种使用整数分。我建议第二种。', ['第二种使用整数分']],
    [
      'Where it says limit_xq9, yes.',
      `${ROUTINE} The loop compares limit_xq9 with the wrong sign.`,
      ['limit_xq9 with'],
    ],
  ])('stays with what was said to it: %s', (said, answer, kept) => {
    verifies('B7');
    const routine = Array.from({ length: 12 }, () => [LONG, ROUTINE] as const);
    const events = log(...routine, [LONG, answer], [said, ROUTINE], ...routine);
    const [line = '', ...more] = repliesIn(events, 3_000);
    expect(more).toEqual([]);
    expect(line).toContain(`- ${said} [`);
    for (const text of kept) expect(line).toContain(text);
    expect(line.length).toBeLessThan(400);
  });

  const NAMES = '1. Ledgerline\n2. Countinghouse\n3. Larkspur';
  const commands = Array.from({ length: 16 }, (_, at): [string, string][] => [
    [`Read src/m${at}.js`, `src/m${at}.js holds functions that add and multiply. LIMIT_${at} is ${1_000 + at}.`],
    [
      `In src/m${at}.js change \`LIMIT_${at} = ${1_000 + at}\` to \`LIMIT_${at} = ${2_000 + at}\``,
      `Done: LIMIT_${at} = ${2_000 + at} now.`,
    ],
  ]).flat();
  const complete = [
    ['What would you do next?', 'I would write the tests now. Or the documents?'],
    ['How long is m7?', 'It has 120 lines.'],
    ['The currency is CHF only.', 'Noted.'],
    ['Run `npm test`', 'All tests pass.'],
    ['Weeks start on Sunday in the reports.', 'I will take that into account.'],
  ] as const;

  it.each([
    ['the third', NAMES, 'Larkspur'],
    ['3', NAMES, 'Larkspur'],
    ['c', 'a) Ledgerline\nb) Countinghouse\nc) Larkspur', 'Larkspur'],
    ['the last one', 'What about these: 1. Ledgerline 2. Countinghouse 3. Larkspur', 'Larkspur'],
    ['the first one but blue', '- a heron in grey\n- a lark in green', 'a heron in grey'],
    [
      'yes, do that',
      `${ROUTINE} ${ROUTINE} ${ROUTINE} ${ROUTINE} Shall I put the bad lines into quarantine.csv?`,
      'quarantine.csv',
    ],
    ['no', `${ROUTINE} Shall I write it to /var/cache?`, '/var/cache'],
    ['lieber das zweite', '1. Ledgerline\n2. Larkspur', '2. Larkspur'],
    ['第三个', '1. 账本\n2. 会计室\n3. 飞燕草', '飞燕草'],
    ['option 2, please', 'Option 1: keep it. Option 2: split it in two. Which one?', 'split it in two'],
    [
      'the second',
      `Three ways:\n${[1, 2, 3].map((n) => `${n}. Way ${n}. ${ROUTINE} ${ROUTINE}`).join('\n')}`,
      '2. Way 2.',
    ],
  ])('is not pushed out by what speaks for itself: %s', (said, answer, kept) => {
    verifies('B7');
    const events = log([LONG, answer], [said, ROUTINE], ...commands, ...complete, ...commands, [LONG, ROUTINE]);
    const line = repliesIn(events, 3_000).find((one) => one.startsWith(`- ${said} [`));
    expect(line).toContain(kept);
  });

  const WAYS = '1. Keep the ledger in CSV\n2. Move the ledger to SQLite\n3. Leave it to the office';
  const ASKED = `I see three ways:\n${WAYS}\n\nWhich one do you want?`;
  const LETTERS = 'A) Keep the ledger in CSV\nB) Move the ledger to SQLite\nC) Leave it to the office\n\nWhich one?';
  it.each(['Run «rm -rf docs»', 'Run “rm -rf docs”', 'Run `rm -rf docs`'])(
    'is nothing where a call was made for it: %s',
    (said) => {
      verifies('B7');
      const worked = ['', 'rm -rf docs'];
      expect(saidTo(log([LONG, ASKED], [said, ROUTINE], [LONG, ROUTINE]), worked)).toEqual(['', '', '']);
    },
  );

  it.each(['Take «Move the ledger to SQLite»', 'Take “Move the ledger to SQLite”'])(
    'is what is quoted of the answer: %s',
    (said) => {
      verifies('B7');
      expect(repliesIn(log([LONG, ASKED], [said, ROUTINE], [LONG, ROUTINE]), 1_000)).toHaveLength(1);
    },
  );

  it.each(
    (
      [
        ['the second one', ASKED],
        ['B', LETTERS],
        ['Option B please', LETTERS],
        ['Take 2.', ASKED],
        ['die zweite', ASKED],
        ['2', WAYS],
        [
          '二番目で',
          '方法は三つあります。どれにしますか？\n1. CSVのまま\n2. Move the ledger to SQLite\n3. 事務所に任せる',
        ],
        ['第二个', '有三种方法：\n1. 保留CSV\n2. Move the ledger to SQLite\n3. 交给办公室\n选哪一个？'],
      ] as const
    ).flatMap(([said, answer]) =>
      ['Go on.', 'Weiter.', '続けて', 'はい', 'ok'].map((reply) => [said, reply, answer] as const),
    ),
  )('is a choice, however often something is said to any answer since: %s, %s', (said, reply, answer) => {
    verifies('B7');
    const listed = `Done so far:\n- the heron is drawn\n- the lark is drawn\n\nShall I go on?`;
    const since = Array.from({ length: 14 }, () => [reply, listed] as const);
    const events = log([LONG, answer], [said, listed], ...since, [LONG, ROUTINE]);
    for (const room of [4_000, 2_000, 1_000]) {
      const line = repliesIn(events, room).find((one) => one.startsWith(`- ${said} [`));
      expect(line).toContain('Move the ledger to SQLite');
    }
  });

  it.each([
    ['List the files', ROUTINE],
    ['Noch die Tests bitte', 'Fertig: die Summe stimmt nun, und nichts sonst ist anders.'],
    ['次に進んで', '変更は小さいです。署名はそのままです。'],
    ['Now commit what you have', `${ROUTINE} Shall I add a heading too?`],
    ['Tell me a joke about ducks', `${ROUTINE} Do you want the long form?`],
  ])('of a request that comes again and again pushes no decision out: %s', (request, answer) => {
    verifies('B7');
    const ways = 'Option A: round each line. Option B: sum first in BigInt. I would take B.';
    const requests = Array.from({ length: 20 }, () => [request, answer] as const);
    const before = [LONG, answer] as const;
    const lines = repliesIn(log([LONG, ways], ['Yes, take B.', ROUTINE], before, ...requests), 800);
    expect(lines[0]).toContain('- Yes, take B. [after you said: Option B: sum first in BigInt. I would take B.]');
  });

  it('is nothing of the lines of a file that was shown', () => {
    verifies('B7');
    const shown = 'Done: 1: // module 1\n2: export const LIMIT_1 = 1037;\n3: export function f1_0(a, b) {\n4';
    const change = 'In src/m1.js change `LIMIT_1 = 1037` to `LIMIT_1 = 1038`';
    expect(repliesIn(log(['Read src/m1.js', shown], [change, ROUTINE], [LONG, ROUTINE]), 700)).toEqual([]);
  });

  it('is nothing of messages that speak for themselves, and never more than there is room for', () => {
    expect(saidTo(log(...Array.from({ length: 9 }, () => [LONG, ROUTINE] as const))).join('')).toBe('');
    const yes = Array.from(
      { length: 60 },
      (_, at) => ['Yes.', `Shall I take the ${'abcdefgh'[at % 8]}${at}-way?`] as const,
    );
    const lines = repliesIn(log(...yes), 1_000);
    expect(lines.join('').length).toBeLessThan(1_300);
    expect(saidTo([])).toEqual([]);
  });

  it.each([['Kein Alkohol.'], ['never at night'], ['会場は公民館です。']])(
    'is no longer where the model said one sentence again and again: %s',
    (said) => {
      const sea = 'A sea is a large body of salt water with many ships on it. ';
      const [line = ''] = repliesIn(log([said, sea.repeat(40)]), 1_000);
      expect(line.length).toBeLessThan(300);
    },
  );

  const CODE = 'I would do it so:\n\n```js\nconst limit = 3;\n```';
  it.each([
    ['Propose a colour for the bags.', 'はい。'],
    ['Tell me of rivers.', 'Хорошо.'],
    ['Tell me of lakes.', 'As before.'],
    ['Max 12 guests', 'Good.'],
    ['Tell me of rivers.', 'The mills lie under the bridge, and the wind turns them slowly.'],
    ['Nenne drei Farben.', 'Der Wind dreht die Mühlen langsam.'],
    ['Расскажи о реках.', 'Ветер медленно вращает мельницы у моста.'],
    ['介绍一下长江。', '风在山谷里慢慢吹，孩子们数着七条小船。'],
    ['川について教えて。', '風が谷でゆっくり吹いています。'],
    ['강에 대해 설명해 줘', '바람이 골짜기에서 천천히 붑니다.'],
  ])('is nothing where a new wish or an acknowledgement tells no more: %s', (said, answer) => {
    verifies('B7');
    expect(saidTo(log([LONG, answer], [said, ROUTINE]))[1]).toBe('');
  });

  it.each([
    ['yes', CODE, '[after you said: I would do it so:]'],
    ['ok', `${CODE}\n`, '[after you said: I would do it so:]'],
    ['yes', `Shall I apply this?\n\n\`\`\`\nx = 1\n\`\`\``, '[after you said: Shall I apply this?]'],
    [
      'ne pas appeler Luc',
      'Les moulins sont là.\n\n| a | b |\n|---|---|\n| x | y |',
      '[after you said: Les moulins sont là.]',
    ],
    ['no', 'Roquefort.', '[after you said: Roquefort.]'],
    [
      'write it',
      'I could write the minutes of the meeting.',
      '[after you said: I could write the minutes of the meeting.]',
    ],
    ['mach das', 'Ich könnte das Protokoll schreiben.', '[after you said: Ich könnte das Protokoll schreiben.]'],
    ['好', `${'风在山谷里慢慢吹。'.repeat(2)}我会把会议记录写好。`, '[after you said: 我会把会议记录写好。]'],
  ])('is prose, and its last sentence: %s', (said, answer, expected) => {
    verifies('B7');
    expect(saidTo(log([LONG, answer], [said, ROUTINE]))[1]).toBe(expected);
  });

  const ASKS = 'Shall I run this on Fridays only?';
  it.each([
    ['a fence closed in its own line', `\`\`\`npm test\`\`\`\n${ASKS}`],
    ['two of them', `\`\`\`npm ci\`\`\`\n\`\`\`npm test\`\`\`\n${ASKS}`],
    ['one with words behind it', `\`\`\`npm test\`\`\` would do.\n${ASKS}`],
    ['one of waves', `~~~npm test~~~\n${ASKS}`],
    ['a fence that is never closed', `I have it:\n\`\`\`sh\nnpm test\n\n${ASKS}`],
    ['one of waves that is never closed', `I have it:\n~~~\nnpm test\n${ASKS}`],
    ['one that is never closed behind one that is', `\`\`\`\nx = 1\n\`\`\`\nThen:\n\`\`\`\nx = 2\n${ASKS}`],
    ['a longer fence around a shorter one', `\`\`\`\`md\n\`\`\`\nx = 1\n\`\`\`\n\`\`\`\`\n${ASKS}`],
    ['a longer fence around one that opens alone', `\`\`\`\`md\n\`\`\`js\n\`\`\`\`\n${ASKS}`],
    ['waves around a fence', `~~~md\n\`\`\`\n~~~\n${ASKS}`],
    ['a fence that is closed by a longer one', `\`\`\`js\nx = 1\n\`\`\`\`\n${ASKS}`],
  ])('is what was asked behind %s', (_what, answer) => {
    verifies('B7');
    expect(saidTo(log([LONG, answer], ['yes', ROUTINE]))[1]).toMatch(/Shall I run this on Fridays only\?\]$/);
  });

  it.each([
    ['a fence', '```\nShall I stop(x)?\n```'],
    ['a fence with a language', '```js\nShall I stop(x)?\n```'],
    ['one closed in its own line', '```Shall I stop(x)?```'],
    ['a longer fence', '````md\n```\nShall I stop(x)?\n````'],
    ['waves', '~~~\nShall I stop(x)?\n~~~'],
  ])('is no code, in %s', (_what, code) => {
    verifies('B7');
    expect(saidTo(log([LONG, `I would do it so.\n${code}`], ['ok', ROUTINE]))[1]).not.toContain('stop(x)');
  });

  it('stays the same as the conversation goes on', () => {
    const turns = [...commands, [LONG, ASKED], ['the second one', ROUTINE], ['agreed', ROUTINE]] as [string, string][];
    const all = saidTo(log(...turns));
    for (let length = 0; length < turns.length; length += 1)
      expect(saidTo(log(...turns.slice(0, length)))).toEqual(all.slice(0, length));
  });

  it('stands beside the last answer, where the message itself stays and its question does not', () => {
    verifies('B7');
    const events = log(
      [LONG, `${ROUTINE.repeat(9)} Shall I call it heron-17 from now on?`],
      ['Only on Mondays.', ROUTINE],
    );
    const { text } = createRetainer(events, () => undefined)(3, {
      trace: () => undefined,
      tasks: [],
      maxCharacters: 3_000,
    });
    expect(text).toContain('heron-17');
    expect(saidToOf('Only on Mondays.', events)).toContain('heron-17');
  });
});
