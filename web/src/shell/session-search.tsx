/** Ctrl+K: find a session by its name or by what was said in it. */
import { useEffect, useId, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago } from '../parts/format.ts';
import { useModal } from '../parts/use-modal.ts';
import { excerptPieces } from '../sessions/excerpt.ts';
import type { SessionRow } from '../state/api.ts';

const WAIT_MS = 150;
const SHOWN = 20;

export const SessionSearch = ({ onClose }: { onClose(): void }) => {
  const { api, sessions, openSession, allFolders } = useApp();
  const [query, setQuery] = useState('');
  const [found, setFound] = useState<readonly SessionRow[]>(sessions);
  const [at, setAt] = useState(0);
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useId();

  useModal(dialog);
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(
      async () => {
        const answer =
          query.trim() === '' ? undefined : await api.sessions({ query: query.trim(), limit: SHOWN, all: allFolders });
        if (stale) return;
        setFound(answer?.ok ? answer.value.sessions : sessions);
        setAt(0);
      },
      query === '' ? 0 : WAIT_MS,
    );
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [api, query, sessions, allFolders]);

  const shown = found.slice(0, SHOWN);
  const open = (session: SessionRow | undefined): void => {
    if (!session) return;
    openSession(session.id);
    onClose();
  };
  return (
    <dialog
      ref={dialog}
      aria-label="Search sessions"
      className="m-auto mt-[12vh] w-[36rem] max-w-[calc(100vw-2rem)] rounded border border-line bg-raised p-0 text-ink shadow-float backdrop:bg-black/30"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      onKeyDown={(event) => {
        if (event.key === 'ArrowDown') setAt(Math.min(at + 1, shown.length - 1));
        else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0));
        else if (event.key === 'Enter') open(shown[at]);
        else return;
        event.preventDefault();
      }}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={list}
        aria-activedescendant={shown[at] ? `${list}-${at}` : undefined}
        aria-label="Search sessions"
        placeholder="Search sessions"
        className="h-12 w-full border-b border-line bg-transparent px-4 outline-none"
        value={query}
        onChange={(event) => setQuery(event.target.value)}
      />
      <div id={list} role="listbox" aria-label="Sessions" className="max-h-[50vh] overflow-y-auto p-1">
        {shown.map((session, index) => (
          <div
            key={session.id}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className={`cursor-pointer rounded px-3 py-1.5 text-sm pointer-coarse:min-h-10 max-sm:min-h-10 ${index === at ? 'bg-hover' : ''}`}
            onPointerMove={() => setAt(index)}
            onClick={() => open(session)}
            onKeyDown={() => {}}
          >
            <span className="flex items-baseline gap-2">
              <span className="min-w-0 flex-1 truncate">{session.title || 'New session'}</span>
              <span className="text-xs text-soft">{ago(session.updated_at, Date.now())}</span>
            </span>
            {session.excerpt && <Excerpt text={session.excerpt} query={query} isAside={session.set_aside ?? false} />}
          </div>
        ))}
      </div>
      {shown.length === 0 && (
        <p role="status" className="px-4 pb-4 text-sm text-soft">
          Nothing found.
        </p>
      )}
    </dialog>
  );
};

const Excerpt = ({ text, query, isAside }: { text: string; query: string; isAside: boolean }) => (
  <span className="block truncate text-xs text-soft">
    {isAside && 'On another branch: '}
    {excerptPieces(text, query).map((piece, index) =>
      piece.isHit ? (
        // biome-ignore lint/suspicious/noArrayIndexKey: pieces of one text.
        <mark key={index} className="bg-transparent font-semibold text-ink">
          {piece.text}
        </mark>
      ) : (
        piece.text
      ),
    )}
  </span>
);
