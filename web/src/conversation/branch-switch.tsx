import { lazy, memo, Suspense, useState } from 'react';
import type { BranchPoint } from '../../../src/core/session-tree.ts';
import { useApp } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';

const CompareDialog = lazy(() =>
  import('../compare/compare-dialog.tsx').then((all) => ({ default: all.CompareDialog })),
);

/** Which of several ways the conversation went here, and the way to the others. */
export const BranchSwitch = memo(({ point }: { point: BranchPoint }) => {
  const { send } = useApp();
  const [isCompared, setCompared] = useState(false);
  const { alternatives, kind } = point;
  const at = alternatives.findIndex(({ current }) => current);
  const go = (step: number): void => {
    const other = alternatives[at + step];
    if (other) void send({ type: 'branch', at_seq: other.head_seq });
  };
  const what = kind === 'message' ? 'message' : 'answer';
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div
      role="group"
      aria-label={`Versions of this ${what}`}
      className={`flex items-center text-xs text-soft ${kind === 'message' ? 'justify-end' : ''}`}
    >
      <button
        type="button"
        className="quiet-button"
        aria-label={`Earlier ${what}`}
        disabled={at <= 0}
        onClick={() => go(-1)}
      >
        <Icon name="left" size={12} />
      </button>
      <span className="tabular-nums">
        {at + 1} / {alternatives.length}
      </span>
      <button
        type="button"
        className="quiet-button"
        aria-label={`Later ${what}`}
        disabled={at >= alternatives.length - 1}
        onClick={() => go(1)}
      >
        <Icon name="right" size={12} />
      </button>
      {kind === 'answer' && (
        <button type="button" className="quiet-button" onClick={() => setCompared(true)}>
          Compare
        </button>
      )}
      {isCompared && (
        <Suspense>
          <CompareDialog point={point} onClose={() => setCompared(false)} />
        </Suspense>
      )}
    </div>
  );
});
