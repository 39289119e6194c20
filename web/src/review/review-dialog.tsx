/** Everything that a session changed in files, to be taken back or kept, file by file and place by place. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import type { FileReview, SessionReview } from '../../../src/core/file-review.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { useModal } from '../parts/use-modal.ts';
import { FileSection, Twice } from './file-section.tsx';
import type { Resolve } from './resolve.ts';

/** What is there now, looked at again when the session says that something changed. */
const useReview = (id: string) => {
  const { api } = useApp();
  const { view } = useSnapshot();
  const [review, setReview] = useState<SessionReview>();
  const [problem, setProblem] = useState<string>();
  const looks = useRef({ begun: 0, shown: 0 });
  const look = useCallback(async (): Promise<void> => {
    looks.current.begun += 1;
    const { begun } = looks.current;
    const answer = await api.changes(id);
    // What was looked at before is not put in the place of what was looked at since.
    if (begun < looks.current.shown) return;
    looks.current.shown = begun;
    if (answer.ok) setReview(answer.value);
    else setProblem(answer.message);
  }, [api, id]);
  const facts = view.log.filter(({ type }) => type === 'change_recorded' || type === 'change_undone').length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it says when.
  useEffect(() => void look(), [look, facts, view.running]);
  const resolve = useCallback(
    async ({ path, hash }: FileReview, how: Resolve): Promise<boolean> => {
      const answer = await api.command(id, { type: 'resolve_changes', path, hash, ...how });
      setProblem(answer.ok ? undefined : answer.message);
      await look();
      return answer.ok;
    },
    [api, id, look],
  );
  return { review, problem, resolve, running: view.running };
};

type Props = { id: string /** The file that is looked for. */; path: string | undefined; onClose(): void };

export const ReviewDialog = ({ id, path, onClose }: Props) => {
  const { review, problem, resolve, running } = useReview(id);
  const dialog = useRef<HTMLDialogElement>(null);
  const [undoers] = useState(() => new Map<string, () => Promise<void>>());
  useModal(dialog);
  const isThere = review !== undefined;
  useEffect(() => {
    if (!isThere || path === undefined) return;
    dialog.current?.querySelector(`[data-file="${CSS.escape(path)}"]`)?.scrollIntoView({ block: 'start' });
  }, [isThere, path]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the browser closes it with Escape.
    <dialog
      ref={dialog}
      aria-label="Changes of this session"
      className="m-auto h-[92dvh] w-[60rem] max-w-[calc(100vw-1rem)] overflow-hidden rounded border border-line bg-paper p-0 text-ink shadow-float backdrop:bg-black/30 open:flex open:flex-col"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <Head review={review} disabled={running} undoers={undoers} onClose={onClose} />
      {problem !== undefined && (
        <p role="alert" className="border-b border-bad bg-bad-soft px-4 py-2 text-sm [overflow-wrap:anywhere]">
          {problem}
        </p>
      )}
      <section
        className="min-h-0 flex-1 overflow-y-auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="Changed files"
      >
        {running && (
          <p className="border-b border-line px-4 py-2 text-sm text-soft">
            A run goes on. What it changed can be taken back when it is done.
          </p>
        )}
        {review?.files.map((file) => (
          <FileSection
            key={file.path}
            id={id}
            file={file}
            disabled={running}
            undoers={undoers}
            onResolve={(how) => resolve(file, how)}
          />
        ))}
        {review !== undefined && <Rest review={review} />}
      </section>
    </dialog>
  );
};

type HeadProps = {
  review: SessionReview | undefined;
  disabled: boolean;
  undoers: ReadonlyMap<string, () => Promise<void>>;
  onClose(): void;
};

/** What somebody else wrote in since is left out of all, and so is every place that is to stay. */
const Head = ({ review, disabled, undoers, onClose }: HeadProps) => {
  const undoAll = async (): Promise<void> => {
    for (const undo of [...undoers.values()]) await undo();
  };
  const count = review?.files.filter((file) => file.can_undo && !file.changed_since).length ?? 0;
  return (
    <div className="flex min-h-12 shrink-0 flex-wrap items-center gap-2 border-b border-line pl-4 pr-2">
      <h2 className="min-w-0 flex-1 truncate font-semibold">Changes {review && <Sizes files={review.files} />}</h2>
      {count > 1 && (
        <Twice asks="Undo all" sure="Really undo all files" disabled={disabled} onSure={() => void undoAll()} />
      )}
      <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
        <Icon name="close" />
      </button>
    </div>
  );
};

const Sizes = ({ files }: { files: readonly FileReview[] }) => {
  const [added, removed] = useMemo(
    () => [files.reduce((sum, file) => sum + file.added, 0), files.reduce((sum, file) => sum + file.removed, 0)],
    [files],
  );
  return files.length === 0 ? null : (
    <span className="ml-2 text-sm font-normal text-soft tabular-nums">
      {files.length === 1 ? '1 file' : `${files.length} files`} <span className="text-good">+{added}</span>{' '}
      <span className="text-bad">-{removed}</span>
    </span>
  );
};

const Rest = ({ review: { files, more } }: { review: SessionReview }) => (
  <div className="px-4 py-3 text-sm text-soft">
    {files.length === 0 && <p className="mb-1 text-ink">Nothing is left to look through.</p>}
    {more > 0 && <p>{more === 1 ? 'One older file is' : `${more} older files are`} not shown.</p>}
    <p>
      What commands changed without the sandbox or in the background, and files that are ignored, are not listed here.
    </p>
  </div>
);
