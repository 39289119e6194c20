/** A table that scrolls by itself, and can be taken along as comma-separated values. */
import { type ReactNode, useRef } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { takeAllTurns } from '../parts/turns.ts';
import { csvOf } from './csv.ts';

const cellText = (cell: Element): string => {
  const copy = cell.cloneNode(true) as Element;
  for (const formula of copy.querySelectorAll('[data-formula]'))
    formula.replaceWith(formula.getAttribute('data-formula') ?? '');
  return copy.textContent;
};

const rowsOf = (table: Element, part: string): string[][] =>
  [...table.querySelectorAll(`${part} tr`)].map((row) => [...row.children].map(cellText));

/** A long table is drawn in parts that follow on each other; the first of them stands for all. */
const wholeTable = (first: HTMLTableElement): string[][] => {
  const rows = [...rowsOf(first, 'thead'), ...rowsOf(first, 'tbody')];
  const isLast = (table: Element, of: Element): boolean => [...of.querySelectorAll('table')].at(-1) === table;
  const parts = [...(first.closest('[data-passages]')?.querySelectorAll('.prose') ?? [])];
  let part = first.closest('.prose');
  let table: Element | null = first;
  let at = part ? parts.indexOf(part) : -1;
  while (part && table && at >= 0 && isLast(table, part)) {
    at += 1;
    part = parts[at] ?? null;
    table = part?.classList.contains('prose-continued') ? part.querySelector('table') : null;
    if (table) rows.push(...rowsOf(table, 'tbody'));
  }
  return rows;
};

export const Table = ({ children }: { children?: ReactNode }) => {
  const table = useRef<HTMLTableElement>(null);
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div
        className="table-scroll"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        role="group"
        aria-label="Table"
      >
        <table ref={table}>{children}</table>
      </div>
      <div className="table-actions">
        <CopyButton
          text={() => {
            takeAllTurns();
            return table.current ? csvOf(wholeTable(table.current)) : '';
          }}
          label="Copy table as CSV"
          shown="CSV"
        />
      </div>
    </>
  );
};
