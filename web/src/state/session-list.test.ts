import { describe, expect, it } from 'vitest';
import type { SessionRow } from './api.ts';
import { listEntries, withFirstPage, withNextPage } from './session-list.ts';

const row = (id: string, updated_at: number, title = id): SessionRow => ({
  id,
  title,
  updated_at,
  workspace: '',
  model: '',
  created_at: 0,
  message_count: 1,
});
const ids = (rows: readonly SessionRow[]): string => rows.map(({ id }) => id).join('');

describe('the list of sessions', () => {
  it('keeps later pages where the first one comes again, without what is gone', () => {
    const known = [row('a', 9), row('b', 8), row('c', 7), row('d', 6), row('e', 5)];
    expect(ids(withFirstPage(known, [row('x', 10), row('a', 9), row('c', 7)], true))).toBe('xacde');
    expect(ids(withFirstPage(known, [row('d', 12), row('a', 9), row('b', 8)], true))).toBe('dabce');
    expect(ids(withFirstPage(known, [row('a', 9)], false))).toBe('a');
    expect(ids(withNextPage(known.slice(0, 2), known.slice(1)))).toBe('abcde');
  });

  it('stands by date, pinned ones first', () => {
    const now = new Date(2026, 10, 22, 12);
    const at = (day: number, month = 10): number => new Date(2026, month, day, 9).getTime();
    const rows = [row('a', at(22)), row('b', at(21)), row('c', at(17)), row('d', at(1)), row('e', at(3, 7))];
    const entries = listEntries(rows, [row('d', at(1))], now);
    expect(entries.map((entry) => ('heading' in entry ? entry.heading : entry.session.id))).toEqual([
      'Pinned',
      'd',
      'Today',
      'a',
      'Yesterday',
      'b',
      'Last 7 days',
      'c',
      'August 2026',
      'e',
    ]);
  });
});
