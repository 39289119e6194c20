/** The tables and the list that a run prints. */
import type { Difference, Verdict } from './compare.ts';
import type { Judged, JudgedDifference } from './judge.ts';
import type { Mode } from './reasons.ts';

const VERDICTS: readonly Verdict[] = ['halter right', 'upstream right', 'both defensible', 'neither right'];

const percent = (part: number, total: number): string => (total === 0 ? '–' : `${((100 * part) / total).toFixed(1)} %`);

const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string): [string, Item[]][] => {
  const groups = new Map<string, Item[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
};

const row = (cells: readonly (string | number)[]): string =>
  cells.map((cell, i) => (i === 0 ? String(cell).padEnd(17) : String(cell).padStart(10))).join('');

/** The strongest word on a case that may differ in one mode or in both. */
const verdictOf = ({ differences }: Judged): Verdict | undefined =>
  (['upstream right', 'neither right', 'halter right', 'both defensible'] as const).find((verdict) =>
    differences.some((difference) => difference.verdict === verdict),
  );

const counts = (judged: readonly Judged[]): (string | number)[] => [
  judged.length,
  judged.filter(({ halterRight }) => halterRight).length,
  judged.filter(({ upstreamRight }) => upstreamRight.whole).length,
  judged.filter(({ upstreamRight }) => upstreamRight.stream).length,
  judged.filter(({ differences }) => differences.length > 0).length,
  ...VERDICTS.map((verdict) => judged.filter((one) => verdictOf(one) === verdict).length),
];

/** A line a format: cases, halter right, upstream right (whole, stream), cases that differ, and the verdicts on them. */
export const tableText = (judged: readonly Judged[]): string =>
  [
    row(['', '', 'halter', 'upstream', 'upstream', '', 'halter', 'upstream', 'both de-', 'neither']),
    row(['format', 'cases', 'right', 'whole', 'stream', 'differ', 'right', 'right', 'fensible', 'right']),
    ...grouped(judged, ({ one }) => one.format).map(([format, own]) => row([format, ...counts(own)])),
    row(['all', ...counts(judged)]),
  ].join('\n');

type Line = { id: string; format: string; modes: Mode[] } & Pick<JudgedDifference, 'difference' | 'verdict' | 'reason'>;

/** Both modes of a case in one line where they say the same. */
const linesOf = ({ one, differences }: Judged): Line[] =>
  grouped(differences, ({ difference, verdict, reason }) => JSON.stringify([difference, verdict, reason])).map(
    ([, same]) => {
      const { difference, verdict, reason } = same[0] as JudgedDifference;
      return { id: one.id, format: one.format, modes: same.map(({ mode }) => mode), difference, verdict, reason };
    },
  );

const WORDS: Readonly<Record<Difference, string>> = {
  raised: 'upstream raises an error',
  'no call': 'upstream finds no complete call, halter does',
  'call where none': 'upstream finds a call, halter does not',
  'fewer calls': 'upstream finds fewer calls',
  'more calls': 'upstream finds more calls',
  name: 'another name',
  'argument names': 'other arguments',
  'not an object': 'arguments that are no object',
  type: 'a value of another type',
  'white space': 'other white space in a value',
  value: 'another value',
};

/** Every case where the two differ, in groups of one reason. */
export const differencesText = (judged: readonly Judged[]): string => {
  const lines = judged.flatMap(linesOf);
  const groups = grouped(lines, (line) => JSON.stringify([line.format, line.verdict, line.difference, line.reason]));
  return groups
    .map(([, group]) => {
      const { format, verdict, difference, reason } = group[0] as Line;
      const head = `\n${format} · ${WORDS[difference]} · ${verdict}\n  ${reason ?? 'NOT REVIEWED: no reason on file'}`;
      return [head, ...group.map(({ id, modes }) => `    ${id} (${modes.join(', ')})`)].join('\n');
    })
    .join('\n');
};

export const summaryText = (judged: readonly Judged[]): string => {
  const differing = judged.filter(({ differences }) => differences.length > 0);
  const count = (test: (one: Judged) => boolean): string =>
    `${judged.filter(test).length} of ${judged.length} (${percent(judged.filter(test).length, judged.length)})`;
  const unreviewed = differing.filter(({ differences }) => differences.some(({ reason }) => reason === undefined));
  return [
    '',
    `calls as expected: halter ${count(({ halterRight }) => halterRight)}`,
    `  upstream, whole text ${count(({ upstreamRight }) => upstreamRight.whole)}`,
    `  upstream, streamed   ${count(({ upstreamRight }) => upstreamRight.stream)}`,
    `read alike in both modes: ${count(({ differences }) => differences.length === 0)}`,
    `differ: ${differing.length}, of them ${VERDICTS.map(
      (verdict) => `${verdict} ${differing.filter((one) => verdictOf(one) === verdict).length}`,
    ).join(', ')}`,
    `without a reviewed reason: ${unreviewed.length}`,
  ].join('\n');
};
