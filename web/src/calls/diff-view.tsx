import { useMemo } from 'react';
import { shortDiff } from '../../../src/core/short-diff.ts';
import { diffRows } from './diff-rows.ts';
import { DiffRows } from './diff-rows-view.tsx';

export const DiffView = ({ diff, label }: { diff: string; label: string }) => {
  const rows = useMemo(() => diffRows(shortDiff(diff)), [diff]);
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div
      className="scroll-area max-h-[50vh] rounded border border-line bg-raised py-1"
      // What scrolls must be reachable with the keyboard.
      // biome-ignore lint/a11y/noNoninteractiveTabindex: as above.
      tabIndex={0}
      role="group"
      aria-label={label}
    >
      <DiffRows rows={rows} />
    </div>
  );
};
