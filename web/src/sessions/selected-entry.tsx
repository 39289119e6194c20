import { useApp } from '../app-context.tsx';
import type { SessionRow } from '../state/api.ts';
import { folderName } from './session-entry.tsx';

type Props = { session: SessionRow; isSelected: boolean; onToggle(): void };

/** A row while several sessions are chosen. One that runs or waits is no part of it. */
export const SelectedEntry = ({ session, isSelected, onToggle }: Props) => {
  const { activity, allFolders } = useApp();
  const isBusy = isAtWork(activity.get(session.id));
  return (
    <label
      className={`session-row flex items-center gap-2 rounded px-2 text-sm ${isBusy ? 'text-soft' : 'cursor-pointer hover:bg-hover'}`}
    >
      <input type="checkbox" className="size-4" checked={isSelected} disabled={isBusy} onChange={onToggle} />
      <span className="min-w-0 flex-1 truncate">{session.title || 'New session'}</span>
      {(isBusy || allFolders) && (
        <span className="max-w-[45%] shrink-0 truncate text-xs text-soft" title={session.workspace}>
          {isBusy ? 'at work' : folderName(session.workspace)}
        </span>
      )}
    </label>
  );
};

type State = { running: boolean; permission_request: unknown; server_questions: number };

export const isAtWork = (state: State | undefined): boolean =>
  state !== undefined && (state.running || state.permission_request !== null || state.server_questions > 0);
