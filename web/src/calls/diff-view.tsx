import { useMemo } from 'react';
import { diffLines } from './diff-lines.ts';

export const DiffView = ({ diff, label }: { diff: string; label: string }) => {
  const lines = useMemo(() => diffLines(diff), [diff]);
  return (
    <section
      className="scroll-area max-h-[50vh] rounded border border-line bg-raised py-1"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
      tabIndex={0}
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
