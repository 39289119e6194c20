/** In the place of the field: a session of another folder is read here, and gone on with there or in a copy. */
import { useState } from 'react';
import { useApp, useSnapshot } from '../app-context.tsx';

/** The folder of the session that is shown, where it is another one than that of this server. */
export const useOtherFolder = (): string | undefined => {
  const { status } = useApp();
  const { workspace } = useSnapshot().view;
  return status === undefined || workspace === '' || workspace === status.workspace ? undefined : workspace;
};

export const OtherFolder = ({ folder }: { folder: string }) => {
  const { api, sessionId, openSession, refreshSessions, say } = useApp();
  const [isBusy, setBusy] = useState(false);
  const copy = async (): Promise<void> => {
    if (sessionId === undefined) return;
    setBusy(true);
    const read = await api.exported(sessionId);
    const made = read.ok ? await api.importSession(read.value) : read;
    setBusy(false);
    if (!made.ok) {
      say(made.message);
      return;
    }
    refreshSessions();
    openSession(made.value.id);
  };
  return (
    <div className="mx-auto w-full max-w-[48rem] shrink-0 px-4 pb-3 max-sm:px-2">
      <div className="rounded border border-line bg-sunken px-3 py-2 text-sm">
        <p className="mb-2 [overflow-wrap:anywhere]">
          This session belongs to <span className="mono">{folder}</span>. Start halter there to go on with it, or go on
          here with a copy of what was said.
        </p>
        <button type="button" className="button" disabled={isBusy} onClick={() => void copy()}>
          Copy into this folder
        </button>
      </div>
    </div>
  );
};
