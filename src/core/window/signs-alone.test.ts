/** An answer of signs alone keeps what it answered, as one in words does. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { answered, said } from '../../../tests/support/event-bodies.ts';
import type { Event, EventBody } from '../events.ts';
import { exchangesIn } from './exchanges.ts';
import { saidTo } from './said-to.ts';
import { saysNo, saysYes } from './short-answers.ts';

const SIGNS =
  '👍 👎 👍🏽 👎🏿 ❌ ✔ ✔️ ✅ 🙅 🙅‍♀️ 🙆 👌 🚫 ⛔ ☑ ✗ 💯 🤷 🎉 ❤️ ! !! ? ?! … ... + - +1 -1 = / x X 👍👍 :) :-( ^^ ¯\\_(ツ)_/¯ — ¡ ؟ 。 ？'.split(
    ' ',
  );
const SHELVES: readonly (readonly [language: string, question: (shelf: number) => string])[] = [
  ['English', (shelf) => `Shall I remove shelf ${shelf}, or paint it?`],
  ['German', (shelf) => `Soll ich Regal ${shelf} abbauen?`],
  ['Japanese', (shelf) => `棚${shelf}を外しますか？`],
  ['Arabic', (shelf) => `هل أزيل الرف ${shelf}؟`],
];
const toOf = (turns: readonly (readonly [answer: string, said: string])[]): string[] => {
  const bodies = turns.flatMap(([answer, text]): EventBody[] => [answered(answer), said(text)]);
  return saidTo(exchangesIn(bodies.map((body, at) => ({ seq: at + 1, at: 0, ...body }) as Event)));
};

describe.each(SHELVES)('to a question in %s', (_language, question) => {
  it.each(SIGNS)('%s', (sign) => {
    verifies('B7');
    // Others were answered before, by words and by signs, and this one is not the first of its kind.
    const before = ['yes', 'ok', ...SIGNS.filter((one) => one !== sign).slice(0, 12)];
    const turns = before.map((text, at) => [question(100 + at), text] as const);
    expect(toOf([...turns, [question(117), sign]]).at(-1)).toBe(`[after you said: ${question(117)}]`);
  });
});

it.each(['no', 'nein', '👎', '❌❌', '🙅🏿', '❌', 'нет', '不', 'いいえ'])(
  'a no is no routine, however often: %s',
  (no) => {
    verifies('B7');
    const turns = Array.from({ length: 6 }, (_, at) => [`Shall I remove shelf ${at} of the shop now?`, no] as const);
    expect(toOf(turns).map((to, at) => to.includes(`shelf ${at} `))).toEqual(turns.map(() => true));
  },
);

it.each(['#2', '# 2', 'nr. 2', 'No. 2', '№2', '2️⃣', '(2)', '2)', '-> 2', '2!', '2 👍', '②', 'option 2'])(
  'a choice by its number: %s',
  (choice) => {
    verifies('B7');
    const list = 'Which colour?\n1) Rot\n2) Blau\n3) Gelb';
    expect(toOf([[list, choice]])).toEqual(['[after you said: Which colour? 2) Blau]']);
  },
);

it('says which signs are a yes and which a no', () => {
  verifies('B7');
  for (const yes of [
    '👍',
    '👍🏽',
    '✔️',
    '✅',
    '🙆‍♀️',
    '👌',
    '👍👍',
    '👍🏽👍🏽',
    '✅ 👍',
    '☑',
    '+1',
    'ja',
    'oui, vas-y',
    'はい',
    'да',
  ])
    expect([yes, saysYes(yes), saysNo(yes)]).toEqual([yes, true, false]);
  for (const no of [
    '👎',
    '👎🏿',
    '👎👎',
    '❌❌',
    '🙅🏿🙅🏿',
    '⛔ 🚫',
    '❌',
    '✗',
    '🙅‍♂️',
    '🚫',
    '⛔',
    '-1',
    'nein',
    'non, merci',
    'いいえ',
    'нет',
  ])
    expect([no, saysYes(no), saysNo(no)]).toEqual([no, false, true]);
  for (const neither of ['?', '!', '...', '🤷', 'tabs', '2', '👍👎', 'nx2', 'Nothing to say of yes'])
    expect([neither, saysYes(neither), saysNo(neither)]).toEqual([neither, false, false]);
});
