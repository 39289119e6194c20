/** What can be done with the sessions that were chosen. */
import { useState } from 'react';
import { counted } from '../../../src/core/number-text.ts';
import { useApp } from '../app-context.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { removeSession } from './remove-session.ts';

type Props = {
  selected: ReadonlySet<string>;
  onSelectAll(): void;
  /** These are gone. */
  onRemoved(ids: readonly string[]): void;
  onClose(): void;
};

export const SelectionBar = ({ selected, onSelectAll, onRemoved, onClose }: Props) => {
  const app = useApp();
  const { sessionId, refreshSessions, say } = app;
  const [isAsked, setAsked] = useState(false);
  const [left, setLeft] = useState<number>();
  const what = counted(selected.size, 'session');
  const they = selected.size === 1 ? 'It' : 'They';
  /** One after the other; the first that cannot be deleted ends it, and the rest stays chosen. */
  const remove = async (): Promise<void> => {
    const removed: string[] = [];
    // The one that is shown first: the person may go elsewhere meanwhile.
    for (const id of [...selected].sort((one, other) => Number(other === sessionId) - Number(one === sessionId))) {
      setLeft(selected.size - removed.length);
      const answer = await removeSession(app, id);
      // Somebody else may have deleted it.
      if (!answer.ok && answer.status !== 404) {
        say(answer.message);
        break;
      }
      removed.push(id);
    }
    setLeft(undefined);
    setAsked(false);
    onRemoved(removed);
    refreshSessions();
  };
  if (left !== undefined) {
    return (
      <p role="status" className="border-t border-line px-4 py-2 text-sm">
        Deleting, {left} left…
      </p>
    );
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: its buttons hear the key.
    <div
      className="border-t border-line px-2 py-2 text-sm"
      onKeyDown={isAsked ? onEscape(() => setAsked(false)) : undefined}
    >
      <p role="status" className="mb-1.5 px-1">
        {isAsked ? `Delete ${what}? ${they} cannot be brought back.` : `${what} chosen`}
      </p>
      <div className="flex flex-wrap gap-1">
        {isAsked ? (
          <>
            <button type="button" className="button text-bad" onClick={() => void remove()}>
              Delete {what}
            </button>
            <button
              type="button"
              className="button"
              ref={(element) => element?.focus()}
              onClick={() => setAsked(false)}
            >
              Keep
            </button>
          </>
        ) : (
          <>
            <button type="button" className="button" onClick={onSelectAll}>
              All
            </button>
            <button
              type="button"
              className="button text-bad"
              disabled={selected.size === 0}
              onClick={() => setAsked(true)}
            >
              Delete
            </button>
            <button type="button" className="button" onClick={onClose}>
              Done
            </button>
          </>
        )}
      </div>
    </div>
  );
};
