/**
 * Texts without an expectation. Agent's parser passes its own expectations, so on those cases it cannot be found
 * wrong; here it can: cases with random damage are read by every engine, and where all of them agree in both modes and
 * halter alone reads something else, it is halter that has to be explained.
 */
import { type Case, ownCorpus, sharedVectors } from '../../tests/conformance/cases.ts';
import { mutate } from '../../tests/conformance/mutations.ts';
import { randomFrom } from '../../tests/support/random.ts';
import { type Call, completeCalls, type Difference, differenceOf, sameCalls } from './compare.ts';
import { driveEngine, type EngineOutcome, type EngineResult } from './drive-engine.ts';
import { ENGINES } from './engines.ts';
import { fetchEngine } from './fetch-engine.ts';
import { ourCalls } from './judge.ts';

export type Vote = { one: Case; ours: Call[]; theirs: EngineOutcome; difference: Difference };
export type VoteResult = {
  texts: number;
  /** All engines agree, in both modes. */
  unanimous: number;
  /** Of these: texts in which they find a call. */
  withCall: number;
  against: Vote[];
  /** Texts on which an engine raised an error or hung. */
  failed: { engine: string; format: string; text: string; error: string }[];
};

/** Damaged cases of formats that every engine knows. Half a surrogate pair cannot be sent as JSON, so it is left out. */
const damagedCases = (count: number, seed: number): Case[] => {
  const known = [...sharedVectors(), ...ownCorpus()].filter(
    ({ format, text }) => text.length < 3_000 && ENGINES.every((engine) => engine.formats[format] !== undefined),
  );
  const random = randomFrom(seed);
  const cases: Case[] = [];
  while (cases.length < count) {
    const one = mutate(known, random);
    if (one.text.isWellFormed()) cases.push(one);
  }
  return cases;
};

const agreed = (outcomes: readonly EngineOutcome[]): EngineOutcome | undefined => {
  const [first] = outcomes;
  if (first === undefined || outcomes.some((outcome) => 'error' in outcome)) return undefined;
  const calls = completeCalls(first);
  return outcomes.every((outcome) => sameCalls(completeCalls(outcome), calls)) ? first : undefined;
};

const errorOf = (result: EngineResult | undefined): string | undefined =>
  [result?.whole, result?.stream].flatMap((got) => (got !== undefined && 'error' in got ? [got.error] : [])).at(0);

export const runVote = async (count: number, seed: number, cache: string): Promise<VoteResult> => {
  const cases = damagedCases(count, seed);
  const results: EngineResult[][] = [];
  for (const engine of ENGINES) results.push(await driveEngine(engine, await fetchEngine(engine, cache), cases));
  const result: VoteResult = { texts: cases.length, unanimous: 0, withCall: 0, against: [], failed: [] };
  for (const [i, one] of cases.entries()) {
    for (const [at, { name }] of ENGINES.entries()) {
      const error = errorOf(results[at]?.[i]);
      if (error !== undefined) result.failed.push({ engine: name, format: one.format, text: one.text, error });
    }
    const theirs = agreed(results.flatMap((own) => [own[i]?.whole, own[i]?.stream].filter((got) => got !== undefined)));
    if (theirs === undefined) continue;
    result.unanimous++;
    if (completeCalls(theirs).length > 0) result.withCall++;
    const ours = ourCalls(one, 'whole');
    const difference = differenceOf(ours, theirs);
    if (difference !== undefined) result.against.push({ one, ours, theirs, difference });
  }
  return result;
};

export const voteText = ({ texts, unanimous, withCall, against, failed }: VoteResult): string => {
  const kinds = new Map<Difference, number>();
  for (const { difference } of against) kinds.set(difference, (kinds.get(difference) ?? 0) + 1);
  return [
    `\n${texts} damaged texts: ${ENGINES.map(({ name }) => name).join(' and ')} agree in both modes on ${unanimous}`,
    `  with a call in ${withCall} of them; halter reads ${unanimous - against.length} like them and ${against.length} not`,
    ...[...kinds].sort(([, left], [, right]) => right - left).map(([kind, number]) => `    ${kind}: ${number}`),
    ...ENGINES.map(({ name }) => {
      const own = failed.filter(({ engine }) => engine === name);
      const hung = own.filter(({ error }) => error.startsWith('no answer')).length;
      return `  ${name} raises an error on ${own.length - hung} of the texts and hangs on ${hung}`;
    }),
  ].join('\n');
};
