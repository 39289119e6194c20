/** One case, read by both: who is right, and every difference with its verdict. */
import type { JsonValue } from '../../src/core/json.ts';
import { type Case, run } from '../../tests/conformance/cases.ts';
import {
  type Call,
  completeCalls,
  type Difference,
  differenceOf,
  sameCalls,
  type Verdict,
  verdictByExpectation,
} from './compare.ts';
import { tokenLikePieces } from './deltas.ts';
import type { EngineOutcome, EngineResult } from './drive-engine.ts';
import type { Engine } from './engines.ts';
import { type Mode, type Reason, reasonFor } from './reasons.ts';

export type JudgedDifference = {
  mode: Mode;
  difference: Difference;
  verdict: Verdict;
  reason: string | undefined;
  ours: Call[];
  theirs: EngineOutcome;
};
export type Judged = {
  one: Case;
  /** Agent's calls are the expected ones, in both modes. */
  halterRight: boolean;
  upstreamRight: Record<Mode, boolean>;
  differences: JudgedDifference[];
};

const MODES: readonly Mode[] = ['whole', 'stream'];

/** As plain JSON on both sides, so that only what was understood is compared. */
const plain = (value: unknown): JsonValue => JSON.parse(JSON.stringify(value)) as JsonValue;

export const ourCalls = (one: Case, mode: Mode): Call[] => {
  const pieces = mode === 'whole' ? [one.text] : tokenLikePieces(one.text);
  return run(one, one.format, pieces).result.calls.map((call) => ({
    name: call.name,
    arguments: plain(call.arguments),
  }));
};

export const judge = (
  one: Case,
  engine: Engine,
  result: EngineResult | undefined,
  reasons: readonly Reason[],
): Judged => {
  if (result === undefined) throw new Error(`${engine.name} gave no result for ${one.id}`);
  const expected = one.expected.calls.map((call) => ({ name: call.name, arguments: plain(call.arguments) }));
  const differences = MODES.flatMap((mode): JudgedDifference[] => {
    const [ours, theirs] = [ourCalls(one, mode), result[mode]];
    const difference = differenceOf(ours, theirs);
    if (difference === undefined) return [];
    const question = { engine: engine.name, id: one.id, format: one.format, tags: one.tags, mode, difference };
    const entry = reasonFor(reasons, question);
    const verdict = entry?.verdict ?? verdictByExpectation(expected, ours, theirs);
    return [{ mode, difference, verdict, reason: entry?.reason, ours, theirs }];
  });
  const right = (outcome: EngineOutcome): boolean =>
    !('error' in outcome) && sameCalls(completeCalls(outcome), expected);
  return {
    one,
    halterRight: MODES.every((mode) => sameCalls(ourCalls(one, mode), expected)),
    upstreamRight: { whole: right(result.whole), stream: right(result.stream) },
    differences,
  };
};
