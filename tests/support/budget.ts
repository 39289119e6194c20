/** Sizes that must not grow unnoticed: a test that fails says what grew, by how much, and what to do. */
import { expect } from 'vitest';
import { grouped } from '../../src/core/number-text.ts';

export type Budget = {
  /** What is measured, as the beginning of a sentence. */
  what: string;
  most: number;
  unit: string;
  /** What whoever made it grow does now: sentences. */
  advice: string;
};

export const overBudget = ({ what, most, unit, advice }: Budget, size: number): string => {
  const percent = (((size - most) / most) * 100).toFixed(1);
  return `${what}: ${grouped(size)} ${unit}, ${grouped(size - most)} (${percent} %) over its budget of ${grouped(most)}. ${advice}`;
};

export const expectWithin = (budget: Budget, size: number): void =>
  expect(size, size > budget.most ? overBudget(budget, size) : budget.what).toBeLessThanOrEqual(budget.most);
