/** What was decided stays where it is asked about or used later: a name in another sentence does not say the decision again. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { createSaid } from './said.ts';

const NAMES = [
  'Amber',
  'Birch',
  'Cedar',
  'Dahlia',
  'Elm',
  'Fern',
  'Ginkgo',
  'Hazel',
  'Iris',
  'Juniper',
  'Kale',
  'Lotus',
];
const ASKED = [1, 6, 10];
const WAYS: readonly [string, (name: string, at: number) => string, (name: string, at: number) => string][] = [
  [
    'in English',
    (name, at) => `Decision number ${at}: we will call module ${at} ${name}.`,
    (name) => `What was ${name}?`,
  ],
  [
    'by its number too',
    (name, at) => `We decided that module ${at} is called ${name}.`,
    (name, at) => `Is module ${at} called ${name}?`,
  ],
  ['in German', (name, at) => `Wir nennen das Modul ${at} ab jetzt ${name}.`, (name) => `Was war noch gleich ${name}?`],
  ['in Japanese', (name, at) => `モジュール${at}は${name}と呼びます。`, (name) => `${name}は何でしたか？`],
  ['in Russian', (name, at) => `Модуль ${at} называем ${name}.`, (name) => `Что такое ${name}?`],
  [
    'without a mark',
    (name, at) => `Decision number ${at}: we will call module ${at} ${name}.`,
    (name) => `Tell me again what ${name} was.`,
  ],
  [
    'in work',
    (name, at) => `Decision number ${at}: we will call module ${at} ${name}.`,
    (name) => `Rename the function in ${name} and run its tests.`,
  ],
  ['in Arabic', (name, at) => `نسمي الوحدة ${at} ${name}.`, (name) => `ما هو ${name}؟`],
];

describe.each(WAYS)('decisions that are spoken of later, %s', (_way, decided, asked) => {
  const decisions = NAMES.map(decided);
  const fillers = Array.from({ length: 12 }, (_, at) => `Now look at part ${at} of the plan and say what is in it.`);
  const questions = ASKED.map((at) => asked(NAMES[at] ?? '', at));
  const messages = [...decisions, ...fillers, ...questions];

  it.each([500, 700, 900, 1_200])('are left out no sooner than the others, at %i characters', (characters) => {
    verifies('B7');
    const { lines } = createSaid(messages, [])(characters);
    const isKept = decisions.map((decision) => lines.some((line) => line.includes(decision.slice(0, -1))));
    const keptOfAsked = ASKED.filter((at) => isKept[at]).length / ASKED.length;
    const others = isKept.filter((_, at) => !ASKED.includes(at));
    const keptOfOthers = others.filter((kept) => kept).length / others.length;
    expect(keptOfAsked).toBeGreaterThanOrEqual(Math.floor(keptOfOthers * ASKED.length) / ASKED.length);
  });
});
