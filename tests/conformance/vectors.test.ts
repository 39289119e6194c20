import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { autoParseToolCalls, stripToolCalls } from '../../src/dialects/index.ts';
import { verifies } from '../requirements.ts';
import { everyNth, onlyLong, rounds } from '../support/long.ts';
import { seededRandom } from '../support/seeded-random.ts';
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
import { mutate } from './mutations.ts';

const corpus = ownCorpus();
const shared = sharedVectors();
const all = [...corpus, ...shared];

/** Cases that we hold to be wrong, each with the reason: they are run, and listed here instead of being skipped. */
const disputed = JSON.parse(readFileSync(new URL('disputed.json', import.meta.url), 'utf8')) as Record<string, string>;

/** Cases of our own that cannot be decided without being told the dialect or the tools, each with the reason. */
const undecided = JSON.parse(readFileSync(new URL('undecided.json', import.meta.url), 'utf8')) as Record<
  string,
  string
>;
/** Of cases whose authors did not think of automatic detection, this share may be read otherwise. */
const UNDECIDED_SHARE = 0.005;

/** Our own cases are all right but for those listed; of the shared ones nearly all. Either may be empty of faults. */
const expectDecided = (wrong: readonly Case[]): void => {
  const unlisted = wrong.filter(({ id }) => corpus.some((own) => own.id === id) && undecided[id] === undefined);
  expect(unlisted.map(({ id }) => id)).toEqual([]);
  const foreign = wrong.filter((one) => shared.includes(one));
  expect(foreign.length, foreign.map(({ id }) => id).join()).toBeLessThanOrEqual(shared.length * UNDECIDED_SHARE);
};

const byDialect = (cases: readonly Case[]): [string, Case[]][] => {
  const dialects = new Map<string, Case[]>();
  for (const one of cases) dialects.set(one.format, [...(dialects.get(one.format) ?? []), one]);
  return [...dialects];
};

const wrongIn = (cases: readonly Case[], dialectOf: (one: Case) => string): string[] =>
  cases.flatMap((one) => {
    const outcome = run(one, dialectOf(one));
    const wrong = [...faults(outcome, one), ...eventFaults(outcome)];
    return wrong.length > 0 && disputed[one.id] === undefined ? [`${one.id}: ${wrong.join(' | ')}`] : [];
  });

test.each(byDialect(corpus))('reads our own cases of %s', (_, cases) => {
  verifies('L10');
  expect(wrongIn(cases, (one) => one.format)).toEqual([]);
});

test.skipIf(shared.length === 0).each(byDialect(shared))('reads the shared vectors of %s', (_, cases) => {
  verifies('L10', 'Z16');
  expect(wrongIn(cases, (one) => one.format)).toEqual([]);
});

const readAs = (one: Case, dialect: string): string[] => {
  const outcome = run(one, dialect);
  return [...faults(outcome, one), ...eventFaults(outcome)];
};

test('finds out by itself in which dialect a text is written', () => {
  verifies('L4');
  expectDecided(all.filter((one) => readAs(one, 'auto').length > 0 && disputed[one.id] === undefined));
});

const readWithoutHint = ({ text, tools }: Case) => autoParseToolCalls(text, tools === undefined ? {} : { tools });

test('finds out by itself that a text begins inside reasoning', () => {
  verifies('L4');
  expectDecided(all.filter((one) => faults({ result: readWithoutHint(one), events: [] }, one).length > 0));
});

test('leaves nothing of a call in the text that is shown, whatever the dialect and without its tools', () => {
  verifies('L5');
  const called = all.filter(
    ({ expected, judge }) => expected.calls.length > 0 && expected.truncated !== true && !judge,
  );
  expect(called.length).toBeGreaterThan(400);
  expectDecided(called.filter(({ text, expected }) => normal(stripToolCalls(text)) !== normal(expected.content)));
});

test('lists as undecided only cases that some way of reading gets wrong', () => {
  const right = Object.keys(undecided).filter((id) => {
    const one = corpus.find((own) => own.id === id);
    return (
      one === undefined ||
      (readAs(one, 'auto').length === 0 &&
        faults({ result: readWithoutHint(one), events: [] }, one).length === 0 &&
        normal(stripToolCalls(one.text)) === normal(one.expected.content))
    );
  });
  expect(right).toEqual([]);
});

/** Long texts are cut at places spread over them, all others between every two code units; at a tenth of them usually. */
const CUTS = 150;
const placesIn = (text: string): number[] => {
  const step = Math.max(1, Math.floor(text.length / CUTS));
  return Array.from({ length: Math.floor(text.length / step) }, (_, i) => i * step);
};

test.each(byDialect(all))('reads %s alike wherever the text is cut in two', (_, cases) => {
  verifies('L10');
  for (const one of cases) {
    const whole = fingerprint(run(one, one.format));
    for (const at of everyNth(placesIn(one.text), 29)) {
      expect(fingerprint(run(one, one.format, cutAt(one.text, [at]))), `${one.id} cut at ${at}`).toBe(whole);
    }
  }
});

test.each([1, 7, ...onlyLong([2, 3])])('reads every case alike in pieces of %d', (size) => {
  verifies('L10');
  for (const one of all) {
    const outcome = run(one, one.format, inPiecesOf(size, one.text));
    expect(eventFaults(outcome), one.id).toEqual([]);
    expect(fingerprint(outcome), one.id).toBe(fingerprint(run(one, one.format)));
  }
});

test('reads every case alike when it is cut at random', () => {
  verifies('L10');
  const random = seededRandom();
  for (const one of all) {
    const whole = fingerprint(run(one, one.format));
    for (let round = 0; round < rounds(1, 5); round++) {
      const cuts = Array.from({ length: 1 + Math.floor(random() * 6) }, () => Math.floor(random() * one.text.length));
      expect(fingerprint(run(one, one.format, cutAt(one.text, cuts))), `${one.id} ${cuts}`).toBe(whole);
    }
  }
});

/** The full count is run by `node bench/fuzz-dialects.ts`. */
const MUTATIONS = rounds(500, 50_000);

test('mutated cases never throw, and mean the same in any pieces', () => {
  verifies('L10');
  const random = seededRandom();
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
