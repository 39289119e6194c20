/** One file of the review: its places, each with its answers, and the answers for all of it. */
import { useEffect, useId, useMemo, useState } from 'react';
import type { FileReview, ReviewHunk } from '../../../src/core/file-review.ts';
import { hunkRows } from '../calls/diff-rows.ts';
import { DiffRows } from '../calls/diff-rows-view.tsx';
import { useSecondPress } from '../parts/use-second-press.ts';
import { useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import type { Resolve } from './resolve.ts';

type Props = {
  /** The session. */
  id: string;
  file: FileReview;
  /** Nothing can be settled now. */
  disabled: boolean;
  /** How each file that can be taken back is, by its path. */
  undoers: Map<string, () => Promise<void>>;
  onResolve(how: Resolve): Promise<boolean>;
};

/** By where it was before and what it holds: what changes above it, by whomever, moves it and is nothing to it. */
const keyOf = ({ old_start, lines }: ReviewHunk): string =>
  [old_start, ...lines.filter((line) => !line.startsWith(' '))].join('\n');

const STATES = { created: 'new file', changed: '', removed: 'no longer there' } as const;

const otherBranchesText = (asked: readonly string[]): string =>
  `Changed on another branch, in the answer to ${asked.map((words) => `“${visible(words)}”`).join(' and ')}.`;

export const FileSection = ({ id, file, disabled, undoers, onResolve }: Props) => {
  const heading = useId();
  const { value: kept, update: setKept, forget } = useWritten<readonly string[]>(`kept ${id} ${file.path}`, []);
  const [isBusy, setBusy] = useState(false);
  const { path, hunks, state } = file;
  // What somebody else wrote in stays, or goes back with the whole file.
  const own = hunks.flatMap((hunk, index) => (hunk.changed_since ? [] : [index]));
  const open = own.filter((index) => !kept.includes(keyOf(hunks[index] as ReviewHunk)));
  const isDisabled = disabled || isBusy;
  const resolve = async (how: Resolve): Promise<void> => {
    setBusy(true);
    const isDone = await onResolve(how);
    if (isDone && how.hunks === undefined) forget();
    setBusy(false);
  };
  // Every place that is left is to stay. Of one in which somebody else wrote nobody said so.
  const isAnswered = own.length > 0 && own.length === hunks.length && open.length === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when it becomes so.
  useEffect(() => {
    if (isAnswered) void resolve({ decision: 'accept' });
  }, [isAnswered]);
  const isPart = open.length < hunks.length;
  const undo = (): Promise<void> => resolve({ decision: 'undo', ...(isPart ? { hunks: open } : {}) });
  const isUndoable = !file.changed_since && file.can_undo && open.length > 0;
  useEffect(() => {
    if (isUndoable) undoers.set(path, undo);
    return () => void undoers.delete(path);
  });
  return (
    <article className="border-b border-line" data-file={path} aria-labelledby={heading}>
      <header className="sticky top-0 z-10 flex flex-wrap items-center gap-x-3 gap-y-1 border-b border-line bg-sunken px-4 py-1.5">
        <h3 id={heading} className="mono min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
          {visible(path)}
        </h3>
        <span className="text-xs text-soft tabular-nums">
          {STATES[state]} <span className="text-good">+{file.added}</span>{' '}
          <span className="text-bad">-{file.removed}</span>
        </span>
        {!file.changed_since && (
          <span className="flex gap-1">
            <Twice
              asks={isPart ? 'Undo the rest' : 'Undo file'}
              sure="Really undo it"
              disabled={isDisabled || !file.can_undo}
              onSure={() => void undo()}
            />
            <button
              type="button"
              className="button"
              disabled={isDisabled}
              onClick={() => void resolve({ decision: 'accept' })}
            >
              Keep file
            </button>
          </span>
        )}
      </header>
      {file.changed_since && <ChangedSince file={file} disabled={isDisabled} onResolve={resolve} />}
      {file.other_branches.length > 0 && (
        <p className="border-b border-line px-4 py-2 text-sm text-soft [overflow-wrap:anywhere]">
          {otherBranchesText(file.other_branches)}
        </p>
      )}
      {file.note !== undefined && <p className="px-4 py-2 text-sm text-soft">{file.note}</p>}
      {hunks.map((hunk, index) => (
        <Hunk
          key={keyOf(hunk)}
          hunk={hunk}
          isKept={kept.includes(keyOf(hunk))}
          disabled={isDisabled}
          answers={file.can_undo_hunks && (hunks.length > 1 || file.changed_since)}
          onUndo={() => void resolve({ decision: 'undo', hunks: [index] })}
          onKeep={() => setKept((known) => [...known, keyOf(hunk)])}
          onOpen={() => setKept((known) => known.filter((each) => each !== keyOf(hunk)))}
        />
      ))}
    </article>
  );
};

type HunkProps = {
  hunk: ReviewHunk;
  isKept: boolean;
  disabled: boolean;
  /** It is answered by itself. */
  answers: boolean;
  onUndo(): void;
  onKeep(): void;
  onOpen(): void;
};

const Hunk = ({ hunk, isKept, disabled, answers, onUndo, onKeep, onOpen }: HunkProps) => {
  const rows = useMemo(() => hunkRows(hunk), [hunk]);
  const place = `line ${hunk.new_start}`;
  if (isKept) {
    return (
      <button
        type="button"
        className="quiet-button my-1 ml-2"
        aria-label={`Show the place at ${place} again`}
        onClick={onOpen}
      >
        ✓ Kept at {place} · show
      </button>
    );
  }
  return (
    <div className="border-t border-line first-of-type:border-t-0">
      {answers && (
        <div className="flex min-h-7 items-center gap-1 px-4 pt-1 text-xs text-soft">
          <span className="min-w-0 flex-1">
            From {place}
            {hunk.changed_since && <span className="text-warn"> · somebody else wrote here since</span>}
          </span>
          {!hunk.changed_since && <PlaceAnswers place={place} disabled={disabled} onUndo={onUndo} onKeep={onKeep} />}
        </div>
      )}
      <div className="py-1">
        <DiffRows rows={rows} />
      </div>
    </div>
  );
};

type PlaceAnswersProps = Pick<HunkProps, 'disabled' | 'onUndo' | 'onKeep'> & { place: string };

const PlaceAnswers = ({ place, disabled, onUndo, onKeep }: PlaceAnswersProps) => (
  <>
    <Twice
      asks="Undo"
      sure="Really undo"
      where={` the place at ${place}`}
      className="quiet-button border border-line"
      disabled={disabled}
      onSure={onUndo}
    />
    <button
      type="button"
      className="quiet-button border border-line"
      aria-label={`Keep the place at ${place}`}
      onClick={onKeep}
    >
      Keep
    </button>
  </>
);

/** Nothing is written over that halter did not write, until the person has chosen what is to be. */
const ChangedSince = ({
  file,
  disabled,
  onResolve,
}: {
  file: FileReview;
  disabled: boolean;
  onResolve(how: Resolve): void;
}) => (
  <div className="border-b border-warn bg-warn-soft px-4 py-2 text-sm">
    <p className="mb-2">
      {file.state === 'removed'
        ? 'The file was removed since halter wrote it.'
        : `Somebody else changed this file since halter wrote it${file.can_undo_hunks ? '. Places in which only halter wrote can go back one by one.' : ', so what you see may be the work of both.'}`}
    </p>
    <div className="flex flex-wrap gap-1">
      <button type="button" className="button" disabled={disabled} onClick={() => onResolve({ decision: 'accept' })}>
        Leave it as it is
      </button>
      {file.can_undo && file.state === 'changed' && (
        <button
          type="button"
          className="button"
          disabled={disabled}
          onClick={() => onResolve({ decision: 'undo', on_change: 'beside' })}
        >
          Write the old content beside it
        </button>
      )}
      {file.can_undo && (
        <Twice
          {...REPLACES[file.state]}
          className="button text-bad"
          disabled={disabled}
          onSure={() => onResolve({ decision: 'undo', on_change: 'force' })}
        />
      )}
    </div>
  </div>
);

/** What others wrote goes with it and is kept nowhere: that is said. */
const REPLACES: Readonly<Record<FileReview['state'], { asks: string; sure?: string }>> = {
  created: { asks: 'Remove the file', sure: 'Really remove it, with what others wrote' },
  changed: { asks: 'Put the old content in its place', sure: 'Really put it there: what others wrote is lost' },
  // There is nothing that could be lost.
  removed: { asks: 'Put the old content in its place' },
};

type TwiceProps = {
  asks: string;
  /** Absent where nothing could be lost: one press is enough. */
  sure?: string | undefined;
  /** What a reader of the screen needs besides. */
  where?: string;
  className?: string;
  disabled: boolean;
  onSure(): void;
};

/** There is no way back from it, so that a finger beside another button does nothing yet. */
export const Twice = ({ asks, sure, where, className = 'button', disabled, onSure }: TwiceProps) => {
  const { isAsked, ask, press, takeBack, waits } = useSecondPress(onSure);
  const words = isAsked && sure !== undefined ? sure : asks;
  return (
    <button
      type="button"
      className={isAsked && !className.includes('text-bad') ? `${className} text-bad` : className}
      aria-label={where === undefined ? undefined : `${words}${where}`}
      disabled={disabled}
      {...waits}
      onBlur={takeBack}
      onKeyDown={(event) => event.repeat && event.preventDefault()}
      onClick={sure === undefined ? onSure : isAsked ? press : ask}
    >
      {words}
    </button>
  );
};
