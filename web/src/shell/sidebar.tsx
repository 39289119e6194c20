import { useCallback, useMemo, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { Windowed } from '../parts/windowed.tsx';
import type { SessionRow } from '../state/api.ts';
import { listEntries } from '../state/session-list.ts';
import { Inbox } from './inbox.tsx';
import { MakeRoom } from './make-room.tsx';
import { ThemeButton } from './theme-button.tsx';

type Props = { onSearch(): void; onServers(): void; onInvitation(): void; onClose(): void };

export const Sidebar = ({ onSearch, onServers, onInvitation, onClose }: Props) => {
  const { sessions, moreSessions, sessionId, openSession, status } = useApp();
  const [pinned, togglePin] = usePinned();
  const entries = useMemo(() => listEntries(sessions, pinned, new Date()), [sessions, pinned]);
  const folder = status?.workspace.split('/').at(-1) ?? '';
  return (
    <nav aria-label="Sessions" className="flex h-full flex-col bg-sunken">
      <div className="flex h-12 items-center gap-1 px-2">
        <strong className="min-w-0 flex-1 truncate pl-2 text-sm" title={status?.workspace}>
          {folder || 'halter'}
        </strong>
        <button
          type="button"
          className="icon-button"
          aria-label="Search sessions"
          title="Search sessions (Ctrl+K)"
          aria-keyshortcuts="Control+K"
          onClick={onSearch}
        >
          <Icon name="search" />
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label="Hide sessions"
          title="Hide sessions (Ctrl+B)"
          onClick={onClose}
        >
          <Icon name="sidebar" />
        </button>
      </div>
      <div className="px-2 pb-2">
        <button
          type="button"
          className="button w-full justify-start"
          title="New session (Ctrl+Shift+O)"
          onClick={() => openSession(undefined)}
        >
          <Icon name="plus" /> New session
        </button>
      </div>
      <Inbox />
      {sessions.length === 0 ? (
        <p className="min-h-0 flex-1 px-4 py-1 text-sm text-soft">No sessions in this folder yet.</p>
      ) : (
        <Windowed
          entries={entries}
          label="Sessions"
          className="min-h-0 flex-1 overflow-y-auto px-2 pb-2"
          keyOf={(entry) => ('heading' in entry ? entry.heading : entry.session.id)}
          onEnd={moreSessions}
          row={(entry) =>
            'heading' in entry ? (
              <h2 className="label session-row flex items-end px-2 pb-1">{entry.heading}</h2>
            ) : (
              <SessionEntry
                session={entry.session}
                current={entry.session.id === sessionId}
                pinned={pinned.has(entry.session.id)}
                onPin={() => togglePin(entry.session.id)}
              />
            )
          }
        />
      )}
      <div className="flex items-center justify-between border-t border-line px-2 py-1">
        <span className="min-w-0 flex-1 truncate pl-2 text-xs text-soft">halter {status?.version}</span>
        <button
          type="button"
          className="icon-button"
          aria-label="Open on another device"
          title="Open on another device"
          onClick={onInvitation}
        >
          <Icon name="phone" />
        </button>
        <button type="button" className="icon-button" aria-label="MCP servers" title="MCP servers" onClick={onServers}>
          <Icon name="plug" />
        </button>
        <ThemeButton />
      </div>
    </nav>
  );
};

const PINNED = 'halter pinned';

/** Kept in this browser. */
const usePinned = (): readonly [ReadonlySet<string>, (id: string) => void] => {
  const [pinned, setPinned] = useState<ReadonlySet<string>>(
    () => new Set((localStorage.getItem(PINNED) ?? '').split(' ').filter((id) => id !== '')),
  );
  const toggle = useCallback((id: string): void => {
    setPinned((known) => {
      const next = new Set(known);
      if (!next.delete(id)) next.add(id);
      localStorage.setItem(PINNED, [...next].join(' '));
      return next;
    });
  }, []);
  return [pinned, toggle];
};

type EntryProps = { session: SessionRow; current: boolean; pinned: boolean; onPin(): void };

const SessionEntry = ({ session, current, pinned, onPin }: EntryProps) => {
  const { api, activity, openSession, refreshSessions, say, send, sessionId } = useApp();
  const state = activity.get(session.id);
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting' | 'making-room'>('shown');
  const told = async (work: Promise<{ ok: true } | { ok: false; message: string }>): Promise<boolean> => {
    const answer = await work;
    if (!answer.ok) say(answer.message);
    refreshSessions();
    return answer.ok;
  };
  const fork = async (): Promise<void> => {
    const answer = await api.fork(session.id);
    if (answer.ok) openSession(answer.value.id);
    else say(answer.message);
    refreshSessions();
  };
  const remove = async (): Promise<void> => {
    if (sessionId === session.id) openSession(undefined);
    await told(api.remove(session.id));
  };
  if (mode === 'renaming') {
    return (
      <div className="py-0.5">
        <RenameField
          title={session.title}
          onCancel={() => setMode('shown')}
          onSave={(title) => {
            setMode('shown');
            void told(api.rename(session.id, title));
          }}
        />
      </div>
    );
  }
  if (mode === 'making-room') {
    return (
      <MakeRoom
        onCancel={() => setMode('shown')}
        onMake={(focus) => {
          setMode('shown');
          void send({ type: 'compact', ...(focus === '' ? {} : { focus }) });
        }}
      />
    );
  }
  if (mode === 'deleting') {
    return (
      <div className="my-0.5 rounded border border-bad p-2 text-sm">
        <p className="mb-2 [overflow-wrap:anywhere]">Delete “{session.title}”? It cannot be brought back.</p>
        <div className="flex gap-2">
          <button type="button" className="button text-bad" onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" className="button" ref={(element) => element?.focus()} onClick={() => setMode('shown')}>
            Keep
          </button>
        </div>
      </div>
    );
  }
  return (
    <div
      className={`group/entry session-row relative flex items-center rounded text-sm ${current ? 'bg-hover' : 'hover:bg-hover'}`}
    >
      <a
        href={`#/s/${session.id}`}
        aria-current={current ? 'page' : undefined}
        className="flex h-full min-w-0 flex-1 items-center gap-2 rounded pl-2 pr-1"
      >
        <span className="min-w-0 flex-1 truncate">{session.title || 'New session'}</span>
        {state?.permission_request || (state?.server_questions ?? 0) > 0 ? (
          <span className="shrink-0 text-xs text-warn">? waits</span>
        ) : state?.running ? (
          <span className="shrink-0 text-xs text-blue">● runs</span>
        ) : (
          <span className="shrink-0 text-xs text-soft tabular-nums">{ago(session.updated_at, Date.now())}</span>
        )}
      </a>
      <Menu
        label={`More about ${session.title || 'this session'}`}
        side="down"
        align="right"
        buttonClass="icon-button size-7 opacity-0 group-hover/entry:opacity-100 focus:opacity-100 aria-expanded:opacity-100 pointer-coarse:opacity-100"
        button={<Icon name="more" />}
        entries={[
          { key: 'pin', label: pinned ? 'Unpin' : 'Pin', onSelect: onPin },
          { key: 'rename', label: 'Rename', onSelect: () => setMode('renaming') },
          { key: 'fork', label: 'Fork', onSelect: () => void fork() },
          ...(current
            ? [{ key: 'room', label: 'Make room in the window', onSelect: () => setMode('making-room') }]
            : []),
          {
            key: 'text',
            label: 'Export as Markdown',
            onSelect: () => void told(api.download(api.exportPath(session.id, 'markdown'))),
          },
          {
            key: 'log',
            label: 'Export the log',
            onSelect: () => void told(api.download(api.exportPath(session.id, 'jsonl'))),
          },
          { key: 'delete', label: 'Delete', danger: true, onSelect: () => setMode('deleting') },
        ]}
      />
    </div>
  );
};

const RenameField = ({ title, onSave, onCancel }: { title: string; onSave(title: string): void; onCancel(): void }) => {
  const [value, setValue] = useState(title);
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSave(value.trim());
      }}
    >
      <input
        className="field"
        aria-label="Name of the session"
        ref={(element) => {
          if (element && document.activeElement !== element) element.select();
        }}
        value={value}
        onChange={(event) => setValue(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          onCancel();
        }}
        onBlur={onCancel}
      />
    </form>
  );
};
