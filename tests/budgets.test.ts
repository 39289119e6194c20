import { expect, it } from 'vitest';
import { expectWithin, overBudget } from './support/budget.ts';

const budget = { what: 'The page', most: 4_850, unit: 'bytes', advice: 'Load it later.' };

it('says of a size over its budget what grew, by how much, and what to do', () => {
  expect(overBudget(budget, 5_015)).toBe('The page: 5,015 bytes, 165 (3.4 %) over its budget of 4,850. Load it later.');
  expect(() => expectWithin(budget, 5_015)).toThrow('165 (3.4 %) over its budget');
  expect(() => expectWithin(budget, 4_850)).not.toThrow();
});
