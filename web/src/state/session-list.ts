/** The list of sessions, of which pages are known. Pure. */
import type { SessionRow } from './api.ts';

const newestFirst = (one: SessionRow, other: SessionRow): number =>
  other.updated_at - one.updated_at || (one.id < other.id ? 1 : -1);

/**
 * With the first page as it is now. What is known of later pages stays; a session that should stand in this page and does
 * not is gone.
 */
export const withFirstPage = (
  known: readonly SessionRow[],
  page: readonly SessionRow[],
  hasMore: boolean,
): readonly SessionRow[] => {
  const last = page.at(-1);
  if (!hasMore || last === undefined) return page;
  const inPage = new Set(page.map(({ id }) => id));
  return [...page, ...known.filter((row) => !inPage.has(row.id) && newestFirst(last, row) < 0)];
};

export const withNextPage = (known: readonly SessionRow[], page: readonly SessionRow[]): readonly SessionRow[] => {
  const inPage = new Set(page.map(({ id }) => id));
  return [...known.filter(({ id }) => !inPage.has(id)), ...page].sort(newestFirst);
};

export type ListEntry = { heading: string } | { session: SessionRow };

const DAY_MS = 24 * 60 * 60 * 1000;

/** When a session was last of use, in words. `now` and the start of its day are local time. */
const groupOf = (updatedAt: number, now: Date): string => {
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  if (updatedAt >= today) return 'Today';
  if (updatedAt >= today - DAY_MS) return 'Yesterday';
  if (updatedAt >= today - 7 * DAY_MS) return 'Last 7 days';
  if (updatedAt >= today - 30 * DAY_MS) return 'Last 30 days';
  return new Date(updatedAt).toLocaleDateString('en', { month: 'long', year: 'numeric' });
};

/** Pinned ones first, then by date. */
export const listEntries = (
  sessions: readonly SessionRow[],
  pinned: readonly SessionRow[],
  now: Date,
): readonly ListEntry[] => {
  const entries: ListEntry[] = [];
  const inFront = new Set(pinned.map(({ id }) => id));
  if (pinned.length > 0) entries.push({ heading: 'Pinned' }, ...pinned.map((session) => ({ session })));
  let last = '';
  for (const session of sessions) {
    if (inFront.has(session.id)) continue;
    const heading = groupOf(session.updated_at, now);
    if (heading !== last) entries.push({ heading });
    last = heading;
    entries.push({ session });
  }
  return entries;
};
