/** Statistics over the kept sessions. A session is read once, and again only when it changed. */

import type { Outcome } from '../core/outcome.ts';
import { type FolderNames, ofFolder } from '../core/session-folder.ts';
import { type ModelDay, mergeStatistics, statisticsOf } from '../core/statistics.ts';
import type { SessionStore, SessionSummary } from '../core/storage-port.ts';
import { SERVER_LIMITS } from './limits.ts';

const DAY_MS = 24 * 60 * 60 * 1000;

/** The day on this machine's calendar. */
const dayOf = (at: number): string => {
  const date = new Date(at);
  return [date.getFullYear(), date.getMonth() + 1, date.getDate()]
    .map((part) => String(part).padStart(2, '0'))
    .join('-');
};

export type ToldStatistics = {
  rows: ModelDay[];
  sessions: number;
  /** There were more sessions than are read for this; the newest were. */
  has_more: boolean;
};

export class Statistics {
  readonly #sessions: SessionStore;
  readonly #now: () => number;
  readonly #read = new Map<string, { updatedAt: number; rows: readonly ModelDay[] }>();

  constructor(sessions: SessionStore, now: () => number) {
    this.#sessions = sessions;
    this.#now = now;
  }

  /** Of the last `days` days, today among them. */
  async of(days: number, folder?: FolderNames): Promise<Outcome<ToldStatistics>> {
    const first = dayOf(this.#now() - (days - 1) * DAY_MS);
    const listed = await this.#sessions.list(folder && ofFolder(folder));
    if (!listed.ok) return listed;
    const recent = listed.value.filter(({ updated_at }) => dayOf(updated_at) >= first);
    const read = recent.slice(0, SERVER_LIMITS.statisticsSessions);
    const parts: (readonly ModelDay[])[] = [];
    for (let from = 0; from < read.length; from += SERVER_LIMITS.statisticsAtOnce) {
      const part = read.slice(from, from + SERVER_LIMITS.statisticsAtOnce);
      parts.push(...(await Promise.all(part.map((summary) => this.#rowsOf(summary)))));
    }
    const rows = mergeStatistics(parts).filter(({ day }) => day >= first);
    return { ok: true, value: { rows, sessions: read.length, has_more: recent.length > read.length } };
  }

  async #rowsOf({ id, updated_at: updatedAt }: SessionSummary): Promise<readonly ModelDay[]> {
    const known = this.#read.get(id);
    if (known?.updatedAt === updatedAt) return known.rows;
    const read = await this.#sessions.read(id);
    const rows = read.ok ? statisticsOf(read.value.events, dayOf) : [];
    this.#read.delete(id);
    this.#read.set(id, { updatedAt, rows });
    const [oldest] = this.#read.keys();
    if (this.#read.size > SERVER_LIMITS.statisticsSessions && oldest !== undefined) this.#read.delete(oldest);
    return rows;
  }
}
