import { useMemo } from 'react';
import { shortDiff } from '../../../src/core/short-diff.ts';
import { diffRows } from './diff-rows.ts';
import { DiffRows } from './diff-rows-view.tsx';

export const DiffView = ({ diff, label, whole = false }: { diff: string; label: string; whole?: boolean }) => {
  const rows = useMemo(() => diffRows(shortDiff(diff)), [diff]);
  return (
    <section
      className={`rounded border border-line bg-raised py-1 ${whole ? '' : 'scroll-area max-h-[50vh]'}`}
      // What scrolls must be reachable with the keyboard.
      tabIndex={whole ? undefined : 0}
      aria-label={label}
    >
      <DiffRows rows={rows} />
    </section>
  );
};
