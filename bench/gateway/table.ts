/** What came of the traps, one line a client. */
import type { Through } from './play.ts';

export type Row = {
  client: string;
  through: Through;
  trap: string;
  passed: boolean;
  /** The client was still at it when its time was over. */
  isLate: boolean;
  /** Nothing was played. */
  whyNot?: string;
};

const CLIENT_WIDTH = 12;
const passedOf = (rows: readonly Row[]): number => rows.filter(({ passed }) => passed).length;
const asText = (rows: readonly Row[]): Row[] => rows.filter(({ trap }) => trap.startsWith('text-'));

/** Of one client and one way, with the rows that did not pass. */
export const summaryOf = (rows: readonly Row[]): string => {
  const [first] = rows;
  if (first === undefined) return '';
  const texts = asText(rows);
  const failed = rows.filter(({ passed, isLate }) => !passed && !isLate).map(({ trap }) => trap);
  const late = rows.filter(({ isLate }) => isLate).map(({ trap }) => trap);
  const details =
    first.whyNot === undefined
      ? [failed.length > 0 ? `not: ${failed.join(' ')}` : '', late.length > 0 ? `late: ${late.join(' ')}` : '']
      : [first.whyNot];
  const begin = `${first.client.padEnd(CLIENT_WIDTH)} ${first.through.padEnd(7)} ${String(passedOf(rows)).padStart(2)} of ${rows.length}`;
  return [`${begin}, calls as text ${passedOf(texts)} of ${texts.length}`, ...details.filter(Boolean)].join('  ');
};

/** Of all clients, one way beside the other. */
export const tableOf = (rows: readonly Row[], ways: readonly Through[]): string => {
  const clients = [...new Set(rows.map(({ client }) => client))];
  const lines = clients.map((client) => {
    const own = rows.filter((row) => row.client === client);
    const cell = (each: readonly Row[]): string =>
      each[0]?.whyNot === undefined ? `${passedOf(each)} of ${each.length}` : '-';
    const both = (pick: (each: readonly Row[]) => readonly Row[]): string =>
      ways.map((way) => cell(pick(own.filter(({ through }) => through === way)))).join(' -> ');
    return `${client.padEnd(CLIENT_WIDTH)} ${both((each) => each).padEnd(22)} calls as text ${both(asText)}`;
  });
  return ['', `${''.padEnd(CLIENT_WIDTH)} ${ways.join(' -> ')}`, ...lines].join('\n');
};
