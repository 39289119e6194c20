/** One session of the list: the way to it, how it stands, and what can be done with it. */
import { lazy, Suspense, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { Menu } from '../parts/menu.tsx';
import { onEscape } from '../parts/on-escape.ts';
import { isWritten } from '../parts/use-written.ts';
import { MakeRoom } from '../shell/make-room.tsx';
import type { SessionRow } from '../state/api.ts';
import { removeSession } from './remove-session.ts';
import { RenameField, writtenNameOf } from './rename-field.tsx';

const ShareDialog = lazy(() => import('../share/share-dialog.tsx').then((all) => ({ default: all.ShareDialog })));

type Props = {
  session: SessionRow;
  current: boolean;
  pinned: boolean;
  /** Its folder is shown: the list is one of all folders. */
  showsFolder: boolean;
  onPin(): void;
  onSelectSeveral(): void;
};

export const SessionEntry = ({ session, current, pinned, showsFolder, onPin, onSelectSeveral }: Props) => {
  const app = useApp();
  const { api, openSession, refreshSessions, say, send } = app;
  const [mode, setMode] = useState<'shown' | 'renaming' | 'deleting' | 'making-room' | 'sharing'>(() =>
    isWritten(writtenNameOf(session.id)) ? 'renaming' : 'shown',
  );
  /** Nothing was deleted: whoever was asked is where they were. */
  const isBack = useRef(false);
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
  const remove = async (): Promise<void> => void (await told(removeSession(app, session.id)));
  if (mode === 'renaming') {
    return (
      <div className="py-0.5">
        <RenameField
          sessionId={session.id}
          title={session.title}
          onOver={() => setMode('shown')}
          onSave={async (title) => {
            const answer = await api.rename(session.id, title);
            refreshSessions();
            return answer.ok ? undefined : answer.message;
          }}
        />
      </div>
    );
  }
  if (mode === 'making-room') {
    return (
      <MakeRoom
        sessionId={session.id}
        onCancel={() => setMode('shown')}
        onMake={(focus) => {
          setMode('shown');
          void send({ type: 'compact', ...(focus === '' ? {} : { focus }) });
        }}
      />
    );
  }
  if (mode === 'deleting') {
    const keep = (): void => {
      isBack.current = true;
      setMode('shown');
    };
    return (
      // biome-ignore lint/a11y/noStaticElementInteractions: its buttons hear the key.
      <div className="my-0.5 rounded border border-bad p-2 text-sm" onKeyDown={onEscape(keep)}>
        <p className="mb-2 [overflow-wrap:anywhere]">Delete “{session.title}”? It cannot be brought back.</p>
        <div className="flex gap-2">
          <button type="button" className="button text-bad" onClick={() => void remove()}>
            Delete
          </button>
          <button type="button" className="button" ref={(element) => element?.focus()} onClick={keep}>
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
        ref={(element) => {
          if (element === null || !isBack.current) return;
          isBack.current = false;
          element.focus();
        }}
        aria-current={current ? 'page' : undefined}
        aria-keyshortcuts="F2"
        className="flex h-full min-w-0 flex-1 items-center gap-2 rounded pl-2 pr-1"
        onDoubleClick={() => setMode('renaming')}
        onKeyDown={(event) => {
          if (event.key === 'F2') setMode('renaming');
        }}
      >
        <span className="min-w-0 flex-1 truncate">{session.title || 'New session'}</span>
        <State session={session} showsFolder={showsFolder} />
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
          { key: 'share', label: 'Share for reading', onSelect: () => setMode('sharing') },
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
          { key: 'several', label: 'Select several', onSelect: onSelectSeveral },
          { key: 'delete', label: 'Delete', danger: true, onSelect: () => setMode('deleting') },
        ]}
      />
      {mode === 'sharing' && (
        <Suspense>
          <ShareDialog id={session.id} title={session.title} onClose={() => setMode('shown')} />
        </Suspense>
      )}
    </div>
  );
};

const State = ({ session, showsFolder }: Pick<Props, 'session' | 'showsFolder'>) => {
  const state = useApp().activity.get(session.id);
  if (state?.permission_request || (state?.server_questions ?? 0) > 0)
    return <span className="shrink-0 text-xs text-warn">? waits</span>;
  if (state?.running) return <span className="shrink-0 text-xs text-blue">● runs</span>;
  if (showsFolder) {
    return (
      <span className="max-w-[45%] shrink-0 truncate text-xs text-soft" title={session.workspace}>
        {folderName(session.workspace)}
      </span>
    );
  }
  return <span className="shrink-0 text-xs text-soft tabular-nums">{ago(session.updated_at, Date.now())}</span>;
};

export const folderName = (workspace: string): string => workspace.split(/[\\/]/).at(-1) || workspace;
