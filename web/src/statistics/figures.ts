/** Rows of statistics added up, and as a person reads them. Pure. */
import type { ModelDay } from '../../../src/core/statistics.ts';
import { percent, tokens } from '../parts/format.ts';

export type Sums = Omit<ModelDay, 'day' | 'model'>;
export type Grouped = Sums & { name: string };

const isFigure = (key: string): boolean => key !== 'day' && key !== 'model';

/** In the order in which the names come. */
export const groupBy = (rows: readonly ModelDay[], nameOf: (row: ModelDay) => string): Grouped[] => {
  const groups = new Map<string, Grouped>();
  for (const row of rows) {
    const name = nameOf(row);
    const { day: _day, model: _model, ...figures } = row;
    const sum = groups.get(name);
    if (sum === undefined) groups.set(name, { name, ...figures });
    else for (const key of Object.keys(figures).filter(isFigure) as (keyof Sums)[]) sum[key] += figures[key];
  }
  return [...groups.values()];
};

const NOT_TOLD = '–';

export const perSecond = (count: number, seconds: number): string => {
  if (count === 0 || seconds <= 0) return NOT_TOLD;
  const rate = count / seconds;
  return rate < 10 ? rate.toFixed(1) : tokens(Math.round(rate));
};

/** `–` where no server told it. */
export const shareOf = (part: number, whole: number): string => (whole === 0 ? NOT_TOLD : percent(part / whole));

/** What stands in a row of the table, in the order of its columns. */
export const cellsOf = (sums: Sums): string[] => [
  String(sums.answers),
  tokens(sums.prompt_tokens),
  tokens(sums.completion_tokens),
  perSecond(sums.read_tokens, sums.read_seconds),
  perSecond(sums.write_tokens, sums.write_seconds),
  shareOf(sums.cached_tokens, sums.told_prompt_tokens),
  String(sums.calls),
  shareOf(sums.repaired_calls + sums.rejected_calls, sums.calls),
];
export const COLUMNS = ['Answers', 'Read', 'Written', 'Read/s', 'Written/s', 'Reused', 'Calls', 'Mended'] as const;
