import { useMemo } from 'react';
import { shortDiff } from '../../../src/core/short-diff.ts';
import { diffLines } from './diff-lines.ts';

export const DiffView = ({ diff, label, whole = false }: { diff: string; label: string; whole?: boolean }) => {
  const lines = useMemo(() => diffLines(shortDiff(diff)), [diff]);
  return (
    <section
      className={`rounded border border-line bg-raised py-1 ${whole ? '' : 'scroll-area max-h-[50vh]'}`}
      // What scrolls must be reachable with the keyboard.
      tabIndex={whole ? undefined : 0}
      aria-label={label}
    >
      <pre className="mono mono-wrap">
        {lines.map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other name, and never change.
          <span key={index} className="diff-line" data-sign={line.sign}>
            {line.text || ' '}
          </span>
        ))}
      </pre>
    </section>
  );
};
