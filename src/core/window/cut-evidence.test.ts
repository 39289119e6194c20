import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import { type CountEvidence, isCutBeyondDoubt } from './cut-evidence.ts';

const row = (evidence: Partial<CountEvidence> & Pick<CountEvidence, 'read' | 'expected'>): CountEvidence => ({
  isRound: false,
  isImpossible: false,
  isStalled: false,
  whole: 0,
  ...evidence,
});

describe('a count that is lower than expected', () => {
  it.each([
    ['a round window that nobody told', row({ read: 4_096, expected: 9_000, isRound: true })],
    ['a window that nobody told', row({ read: 3_977, expected: 9_000 })],
    ['a round window below the one that is told', row({ read: 4_096, expected: 9_000, isRound: true, told: 32_768 })],
    ['fewer tokens than words', row({ read: 2_100, expected: 9_000, isImpossible: true, told: 32_768 })],
    ['the same place again', row({ read: 4_091, expected: 9_000, told: 32_768, before: 4_095 })],
    ['counts that do not grow', row({ read: 3_600, expected: 9_000, isStalled: true, told: 32_768, whole: 12_000 })],
    ['a server begun anew with less', row({ read: 4_091, expected: 9_000, whole: 12_000, before: 4_095 })],
  ])('shows a cut: %s', (_name, evidence) => {
    verifies('B7');
    expect(isCutBeyondDoubt(evidence)).toBe(true);
  });

  it.each([
    ['more than was expected', row({ read: 7_596, expected: 7_509, told: 8_192 })],
    ['more than was expected, in a window nobody told', row({ read: 7_596, expected: 7_509 })],
    ['digits in a window that holds them', row({ read: 3_350, expected: 4_575, told: 8_192 })],
    ['log lines after a larger prompt was read', row({ read: 5_257, expected: 7_664, whole: 15_065 })],
    ['counts that grow', row({ read: 5_400, expected: 7_900, told: 16_384, before: 5_257 })],
  ])('shows none: %s', (_name, evidence) => {
    verifies('B7');
    expect(isCutBeyondDoubt(evidence)).toBe(false);
  });
});
