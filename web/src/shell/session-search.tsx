/** Ctrl+K: find a session by its name or by what was said in it. */
import { useEffect, useId, useRef, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago } from '../parts/format.ts';
import { useModal } from '../parts/use-modal.ts';
import { excerptPieces } from '../sessions/excerpt.ts';
import type { SessionRow } from '../state/api.ts';

const WAIT_MS = 150;
const SHOWN = 20;

type Found = { words: string; rows: readonly SessionRow[]; problem?: string };
const NOTHING: Found = { words: '', rows: [] };

export const SessionSearch = ({ onClose }: { onClose(): void }) => {
  const { api, sessions, openSession, allFolders } = useApp();
  const [query, setQuery] = useState('');
  /** What is found, and by which words. */
  const [found, setFound] = useState<Found>(NOTHING);
  const [chosen, setChosen] = useState<string>();
  /** Enter came before the answer. */
  const [isToOpen, setToOpen] = useState(false);
  const dialog = useRef<HTMLDialogElement>(null);
  const options = useRef<HTMLDivElement>(null);
  const list = useId();
  const words = query.trim();

  useModal(dialog);
  // What is found for the words that stand there counts, whatever becomes of the list meanwhile.
  useEffect(() => {
    if (words === '') return;
    let stale = false;
    const timer = setTimeout(async () => {
      const answer = await api.sessions({ query: words, limit: SHOWN, all: allFolders });
      if (stale) return;
      setFound(answer.ok ? { words, rows: answer.value.sessions } : { words, rows: [], problem: answer.message });
    }, WAIT_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [api, words, allFolders]);

  const told = words === '' ? { ...NOTHING, rows: sessions } : words.startsWith(found.words) ? found : NOTHING;
  const shown = told.rows.slice(0, SHOWN);
  const isFound = told.words === words;
  // The list may change while somebody walks through it.
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === chosen),
  );
  const open = (session: SessionRow | undefined): void => {
    if (!session) return;
    openSession(session.id);
    onClose();
  };
  const walk = (next: number): void => {
    const to = Math.min(Math.max(next, 0), shown.length - 1);
    setChosen(shown[to]?.id);
    options.current?.children[to]?.scrollIntoView({ block: 'nearest' });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: once what was typed is found.
  useEffect(() => {
    if (!isToOpen || !isFound) return;
    setToOpen(false);
    open(shown[at]);
  }, [isToOpen, isFound]);
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
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'ArrowDown') walk(at + 1);
        else if (event.key === 'ArrowUp') walk(at - 1);
        else if (event.key === 'Enter') setToOpen(true);
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
        onChange={(event) => {
          setQuery(event.target.value);
          setChosen(undefined);
          setToOpen(false);
        }}
      />
      <div ref={options} id={list} role="listbox" aria-label="Sessions" className="max-h-[50vh] overflow-y-auto p-1">
        {shown.map((session, index) => (
          <div
            key={session.id}
            id={`${list}-${index}`}
            role="option"
            data-session={session.id}
            tabIndex={-1}
            aria-selected={index === at}
            className={`cursor-pointer rounded px-3 py-1.5 text-sm pointer-coarse:min-h-10 max-sm:min-h-10 ${index === at ? 'bg-hover' : ''}`}
            onPointerMove={() => setChosen(session.id)}
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
          {isFound ? (told.problem ?? 'Nothing found.') : 'Searching…'}
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
