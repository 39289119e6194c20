import { describe, expect, it } from 'vitest';
import type { ModelDay } from '../../../src/core/statistics.ts';
import { cellsOf, groupBy, perSecond } from './figures.ts';

const row = (day: string, model: string, extra: Partial<ModelDay> = {}): ModelDay => ({
  day,
  model,
  answers: 1,
  prompt_tokens: 1_000,
  told_prompt_tokens: 1_000,
  cached_tokens: 250,
  completion_tokens: 60,
  read_tokens: 750,
  read_seconds: 3,
  write_tokens: 60,
  write_seconds: 8,
  calls: 4,
  repaired_calls: 1,
  rejected_calls: 0,
  ...extra,
});

describe('figures of what models did', () => {
  it('are added up by whatever they are asked by', () => {
    const rows = [row('2', 'a'), row('2', 'b'), row('1', 'a')];
    expect(groupBy(rows, ({ model }) => model).map(({ name, answers }) => [name, answers])).toEqual([
      ['a', 2],
      ['b', 1],
    ]);
    expect(groupBy(rows, ({ day }) => day).map(({ name, prompt_tokens }) => [name, prompt_tokens])).toEqual([
      ['2', 2_000],
      ['1', 1_000],
    ]);
    expect(rows[0]?.answers).toBe(1);
  });

  it('are written as a person reads them, and not made up where nobody told them', () => {
    expect(cellsOf(row('1', 'a'))).toEqual(['1', '1.0k', '60', '250', '7.5', '25 %', '4', '25 %']);
    const untold = {
      told_prompt_tokens: 0,
      cached_tokens: 0,
      read_tokens: 0,
      read_seconds: 0,
      calls: 0,
      repaired_calls: 0,
    };
    expect(cellsOf(row('1', 'a', { ...untold, write_seconds: 0 }))).toEqual([
      '1',
      '1.0k',
      '60',
      '–',
      '–',
      '–',
      '0',
      '–',
    ]);
    expect(perSecond(20_000, 2)).toBe('10k');
  });
});
