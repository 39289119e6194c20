import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { autoParseToolCalls, dialectNames, stripToolCalls } from '../../src/dialects/index.ts';
import { verifies } from '../requirements.ts';
import {
  type Case,
  cutAt,
  eventFaults,
  faults,
  fingerprint,
  inPiecesOf,
  normal,
  ownCorpus,
  run,
  sharedVectors,
} from './cases.ts';
import { mutate, randomFrom } from './mutations.ts';

const corpus = ownCorpus();
const shared = sharedVectors();
const all = [...corpus, ...shared];

/** Cases that we hold to be wrong, each with the reason: they are run, and listed here instead of being skipped. */
const disputed = JSON.parse(readFileSync(new URL('disputed.json', import.meta.url), 'utf8')) as Record<string, string>;

const byFormat = (cases: readonly Case[]): [string, Case[]][] => {
  const formats = new Map<string, Case[]>();
  for (const one of cases) formats.set(one.format, [...(formats.get(one.format) ?? []), one]);
  return [...formats];
};

const wrongIn = (cases: readonly Case[], dialectOf: (one: Case) => string): string[] =>
  cases.flatMap((one) => {
    const outcome = run(one, dialectOf(one));
    const wrong = [...faults(outcome, one), ...eventFaults(outcome)];
    return wrong.length > 0 && disputed[one.id] === undefined ? [`${one.id}: ${wrong.join(' | ')}`] : [];
  });

test('every format of the catalogue has at least ten cases of our own', () => {
  verifies('L10');
  const counts = new Map(byFormat(corpus).map(([format, cases]) => [format, cases.length]));
  for (const dialect of dialectNames()) {
    if (dialect !== 'auto' && dialect !== 'native')
      expect(counts.get(dialect) ?? 0, dialect).toBeGreaterThanOrEqual(10);
  }
});

test.each(byFormat(corpus))('reads our own cases of %s', (_, cases) => {
  verifies('L10');
  expect(wrongIn(cases, (one) => one.format)).toEqual([]);
});

test.skipIf(shared.length === 0).each(byFormat(shared))('reads the shared vectors of %s', (_, cases) => {
  verifies('L10', 'Z16');
  expect(wrongIn(cases, (one) => one.format)).toEqual([]);
});

test('finds out by itself in which format a text is written, in nearly every case', () => {
  verifies('L4');
  const wrong = wrongIn(all, () => 'auto');
  expect(wrong.length / all.length).toBeLessThan(0.005);
});

test('finds out by itself that a text begins inside reasoning', () => {
  verifies('L4');
  const wrong = all.filter((one) => {
    const result = autoParseToolCalls(one.text, one.tools === undefined ? {} : { tools: one.tools });
    return faults({ result, events: [] }, one).length > 0;
  });
  expect(wrong.length / all.length).toBeLessThan(0.005);
});

test('leaves nothing of a call in the text that is shown, whatever the format and without its tools', () => {
  verifies('L5');
  const called = all.filter(
    ({ expected, judge }) => expected.calls.length > 0 && expected.truncated !== true && !judge,
  );
  const wrong = called.filter(({ text, expected }) => normal(stripToolCalls(text)) !== normal(expected.content));
  expect(called.length).toBeGreaterThan(400);
  expect(wrong.length / called.length, wrong.map(({ id }) => id).join()).toBeLessThan(0.005);
});

/** Long texts are cut at places spread over them; all others between every two code units. */
const CUTS = 150;
const placesIn = (text: string): number[] => {
  const step = Math.max(1, Math.floor(text.length / CUTS));
  return Array.from({ length: Math.floor(text.length / step) }, (_, i) => i * step);
};

test.each(byFormat(all))('reads %s alike wherever the text is cut in two', (_, cases) => {
  verifies('L10');
  for (const one of cases) {
    const whole = fingerprint(run(one, one.format));
    for (const at of placesIn(one.text)) {
      expect(fingerprint(run(one, one.format, cutAt(one.text, [at]))), `${one.id} cut at ${at}`).toBe(whole);
    }
  }
});

test.each([1, 2, 3, 7])('reads every case alike in pieces of %d', (size) => {
  verifies('L10');
  for (const one of all) {
    const outcome = run(one, one.format, inPiecesOf(size, one.text));
    expect(eventFaults(outcome), one.id).toEqual([]);
    expect(fingerprint(outcome), one.id).toBe(fingerprint(run(one, one.format)));
  }
});

test('reads every case alike when it is cut at random', () => {
  verifies('L10');
  const random = randomFrom(20261121);
  for (const one of all) {
    const whole = fingerprint(run(one, one.format));
    for (let round = 0; round < 5; round++) {
      const cuts = Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.floor(random() * one.text.length));
      expect(fingerprint(run(one, one.format, cutAt(one.text, cuts))), `${one.id} ${cuts}`).toBe(whole);
    }
  }
});

/** The full count is run by `node bench/fuzz-dialects.ts`. */
const MUTATIONS = 5_000;

test('mutated cases never throw, and mean the same in any pieces', () => {
  verifies('L10');
  const random = randomFrom(7);
  const short = all.filter(({ text }) => text.length < 3_000);
  let withCall = 0;
  for (let i = 0; i < MUTATIONS; i++) {
    const one = mutate(short, random);
    const dialect = i % 4 === 0 ? 'auto' : one.format;
    const whole = run(one, dialect);
    if (whole.result.calls.length > 0) withCall++;
    expect(eventFaults(whole), one.text).toEqual([]);
    const size = 1 + Math.floor(random() * 9);
    expect(fingerprint(run(one, dialect, inPiecesOf(size, one.text))), one.text).toBe(fingerprint(whole));
  }
  expect(withCall / MUTATIONS).toBeGreaterThan(0.05);
});
