import { loosenedText } from '../../../src/core/policy/modes.ts';
import { useApp, useSnapshot } from '../app-context.tsx';

/** Before the next message runs, a person knows that less is asked than they chose, and can have their mode back. */
export const LoosenedMode = () => {
  const { send } = useApp();
  const { loosenedFrom: before, mode } = useSnapshot().view;
  if (before === undefined) return null;
  return (
    <div
      role="status"
      className="mx-auto my-1 flex w-[calc(100%-2rem)] max-w-[46rem] shrink-0 flex-wrap items-center gap-2 rounded border border-warn bg-warn-soft px-3 py-1.5 text-sm"
    >
      <span className="min-w-0 flex-1 basis-60">{loosenedText(before, mode)}</span>
      <button type="button" className="button" onClick={() => void send({ type: 'change_mode', mode: before })}>
        Back to {before}
      </button>
    </div>
  );
};
