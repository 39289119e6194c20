/** Tokens, speed, reuse and repairs, by model and by day. */
import { useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { counted } from '../parts/format.ts';
import { visible } from '../parts/visible.ts';
import type { ToldStatistics } from '../state/api.ts';
import { bareModel } from '../state/model-name.ts';
import { COLUMNS, cellsOf, type Grouped, groupBy } from './figures.ts';

const SPANS = [7, 30, 365] as const;

export const StatisticsPanel = () => {
  const { api } = useApp();
  const [days, setDays] = useState<number>(30);
  const [isAll, setAll] = useState(false);
  const [told, setTold] = useState<ToldStatistics | string>();
  useEffect(() => {
    let isOver = false;
    void api.statistics(days, isAll).then((answer) => {
      if (!isOver) setTold(answer.ok ? answer.value : answer.message);
    });
    return () => {
      isOver = true;
    };
  }, [api, days, isAll]);
  return (
    <div className="flex flex-col gap-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2 text-sm">
        <label className="flex items-center gap-2">
          The last
          <select className="field w-auto" value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {SPANS.map((span) => (
              <option key={span} value={span}>
                {span} days
              </option>
            ))}
          </select>
        </label>
        <label className="flex min-h-10 items-center gap-2">
          <input
            type="checkbox"
            className="size-4 accent-blue"
            checked={isAll}
            onChange={(event) => setAll(event.target.checked)}
          />
          of all folders
        </label>
      </div>
      {told === undefined && (
        <p role="status" className="flex items-center gap-2 text-sm text-soft">
          <span className="spinner" aria-hidden="true" /> Reading the sessions
        </p>
      )}
      {typeof told === 'string' && (
        <p role="alert" className="text-sm text-bad">
          {told}
        </p>
      )}
      {typeof told === 'object' && <Told told={told} />}
    </div>
  );
};

const Told = ({ told: { rows, sessions, has_more: hasMore } }: { told: ToldStatistics }) => {
  if (rows.length === 0) return <p className="text-sm text-soft">No model answered in this time.</p>;
  const byModel = groupBy(rows, ({ model }) => bareModel(model)).sort(
    (one, other) => other.completion_tokens - one.completion_tokens,
  );
  return (
    <>
      <Figures title="By model" rows={byModel} />
      <Figures title="By day" rows={groupBy(rows, ({ day }) => day)} />
      <p className="text-xs text-soft">
        Tokens, of {counted(sessions, 'session')}
        {hasMore ? ', the newest ones' : ''}. Reused: the share of the prompts that the server had already. Mended: the
        share of calls that halter repaired or sent back. – : no server told it.
      </p>
    </>
  );
};

const Figures = ({ title, rows }: { title: string; rows: readonly Grouped[] }) => (
  <div>
    <h3 className="label mb-1">{title}</h3>
    <section
      className="scroll-area"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
      tabIndex={0}
      aria-label={title}
    >
      {/* Where there is no room for columns each figure has its name above it. */}
      <table className="w-full border-collapse text-sm max-sm:block">
        <thead className="max-sm:sr-only">
          <tr className="text-left text-xs text-soft">
            <th className="py-1 pr-3 font-medium">{title === 'By day' ? 'Day' : 'Model'}</th>
            {COLUMNS.map((column) => (
              <th key={column} className="px-2 py-1 text-right font-medium whitespace-nowrap">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-sm:block">
          {rows.map((row) => (
            <tr key={row.name} className="border-t border-line max-sm:grid max-sm:grid-cols-4 max-sm:py-1">
              <th
                scope="row"
                className="max-w-56 min-w-28 py-1 pr-3 text-left font-normal [overflow-wrap:anywhere] max-sm:col-span-full max-sm:max-w-full"
              >
                {visible(row.name)}
              </th>
              {cellsOf(row).map((cell, index) => (
                <td
                  key={COLUMNS[index]}
                  className="px-2 py-1 text-right whitespace-nowrap tabular-nums max-sm:px-0 max-sm:text-left"
                >
                  <span className="block text-xs text-soft sm:hidden" aria-hidden="true">
                    {COLUMNS[index]}
                  </span>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  </div>
);
