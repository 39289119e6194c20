/** The list of sessions, by date, with the pinned ones first; several can be chosen to be deleted. */
import { lazy, Suspense, useEffect, useMemo } from 'react';
import { useApp } from '../app-context.tsx';
import { Windowed } from '../parts/windowed.tsx';
import type { Api } from '../state/api.ts';
import { inBrowser } from '../state/browser-store.ts';
import { type ListEntry, listEntries } from '../state/session-list.ts';
import { isAtWork, SelectedEntry } from './selected-entry.tsx';
import { SessionEntry } from './session-entry.tsx';

// It is seldom opened.
const SelectionBar = lazy(() => import('./selection-bar.tsx').then((all) => ({ default: all.SelectionBar })));

/** Where browsers kept their own before the server did. */
const PINNED_HERE = 'halter pinned';

/** What was pinned in this browser alone is told to the server, once. */
const usePinsOfBefore = (api: Api, refresh: () => void): void => {
  useEffect(() => {
    const ids = (inBrowser.get(PINNED_HERE) ?? '').split(' ').filter((id) => id !== '');
    if (ids.length === 0) return;
    void Promise.all(ids.map((id) => api.pin(id, true))).then((answers) => {
      // One that is gone by now is told so; without any answer they are kept.
      if (answers.some((answer) => !answer.ok && answer.status !== 404)) return;
      inBrowser.remove(PINNED_HERE);
      refresh();
    });
  }, [api, refresh]);
};

const usePins = () => {
  const { api, pinned, refreshSessions, say } = useApp();
  usePinsOfBefore(api, refreshSessions);
  const inFront = useMemo(() => new Set(pinned.map(({ id }) => id)), [pinned]);
  const togglePin = async (id: string): Promise<void> => {
    const answer = await api.pin(id, !inFront.has(id));
    if (!answer.ok) say(answer.message);
    refreshSessions();
  };
  return { inFront, togglePin };
};

const toggled = (known: ReadonlySet<string>, id: string): ReadonlySet<string> => {
  const next = new Set(known);
  if (!next.delete(id)) next.add(id);
  return next;
};

type Props = {
  /** Undefined: none is chosen, a session is opened by its row. */
  selected: ReadonlySet<string> | undefined;
  onSelected(selected: ReadonlySet<string> | undefined): void;
};

export const SessionList = ({ selected, onSelected }: Props) => {
  const { sessions, pinned, moreSessions, sessionId, allFolders, activity } = useApp();
  const { inFront, togglePin } = usePins();
  const entries = useMemo(() => listEntries(sessions, pinned, new Date()), [sessions, pinned]);
  if (sessions.length === 0) {
    return (
      <p className="min-h-0 flex-1 px-4 py-1 text-sm text-soft">
        {allFolders ? 'No sessions yet.' : 'No sessions in this folder yet.'}
      </p>
    );
  }
  const row = (entry: ListEntry) => {
    if ('heading' in entry) return <h2 className="label session-row flex items-end px-2 pb-1">{entry.heading}</h2>;
    const { session } = entry;
    return selected ? (
      <SelectedEntry
        session={session}
        isSelected={selected.has(session.id)}
        onToggle={() => onSelected(toggled(selected, session.id))}
      />
    ) : (
      <SessionEntry
        session={session}
        current={session.id === sessionId}
        pinned={inFront.has(session.id)}
        showsFolder={allFolders}
        onPin={() => void togglePin(session.id)}
        onSelectSeveral={() => onSelected(new Set([session.id]))}
      />
    );
  };
  return (
    <>
      <Windowed
        entries={entries}
        label="Sessions"
        className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
        keyOf={(entry) => ('heading' in entry ? entry.heading : entry.session.id)}
        onEnd={moreSessions}
        row={row}
      />
      <Suspense>
        {selected && (
          <SelectionBar
            selected={selected}
            onSelectAll={() =>
              onSelected(new Set(sessions.filter(({ id }) => !isAtWork(activity.get(id))).map(({ id }) => id)))
            }
            onRemoved={(ids) => onSelected(new Set([...selected].filter((id) => !ids.includes(id))))}
            onClose={() => onSelected(undefined)}
          />
        )}
      </Suspense>
    </>
  );
};
