/** Above the conversation: its title, and at both ends the way to what is folded. */
import { useSnapshot } from '../app-context.tsx';
import { counted } from '../parts/format.ts';
import { Icon, type IconName } from '../parts/icons.tsx';
import { standingFiles } from '../state/changed-files.ts';
import type { View } from '../state/view.ts';
import { useWaiting } from './inbox.tsx';

type Props = {
  /** Absent where nothing was said yet. */
  title: string | undefined;
  /** Absent where the sessions are shown. */
  onLeft: (() => void) | undefined;
  /** Absent where tasks and files are shown, or there are none. */
  onRight: (() => void) | undefined;
};

/** Both ends are as wide whatever they hold, so that the title stays where it is. */
export const Header = ({ title, onLeft, onRight }: Props) => (
  <header className="flex h-12 shrink-0 items-center gap-1 px-2 short:h-10">
    <span className="flex min-w-10 items-center md:min-w-44">{onLeft && <SessionsButton onClick={onLeft} />}</span>
    {title === undefined ? (
      <span className="flex-1" />
    ) : (
      <h1 className="min-w-0 flex-1 truncate px-2 text-center text-sm text-soft">{title}</h1>
    )}
    <span className="flex min-w-10 items-center justify-end md:min-w-44">
      {onRight && <SideButton onClick={onRight} />}
    </span>
  </header>
);

/** With how many other sessions wait, so that a folded list hides none. */
const SessionsButton = ({ onClick }: { onClick(): void }) => {
  const { length } = useWaiting();
  return (
    <span className="flex items-center">
      <HeaderButton icon="sidebar" label="Show sessions" keys="Ctrl+B" onClick={onClick} />
      {length === 0 && (
        <button type="button" className="quiet-button max-md:hidden" tabIndex={-1} onClick={onClick}>
          Sessions
        </button>
      )}
      {length > 0 && (
        <button type="button" className="quiet-button text-warn" onClick={onClick}>
          ? {length} {length === 1 ? 'waits' : 'wait'}
        </button>
      )}
    </span>
  );
};

/** What of this session is folded away at the right, in a few words. */
const sideWords = ({ tasks, changes }: View): string => {
  const done = tasks.filter(({ status }) => status === 'completed').length;
  const files = standingFiles(changes).length;
  return [
    ...(tasks.length > 0 ? [`${done} of ${counted(tasks.length, 'task')}`] : []),
    ...(files > 0 ? [`${counted(files, 'file')} changed`] : []),
  ].join(' · ');
};

const SideButton = ({ onClick }: { onClick(): void }) => {
  const { view } = useSnapshot();
  const words = sideWords(view);
  return (
    <>
      {words !== '' && (
        <button type="button" className="quiet-button tabular-nums max-md:hidden" tabIndex={-1} onClick={onClick}>
          {words}
        </button>
      )}
      <HeaderButton icon="panel" label="Show tasks and files" onClick={onClick} />
    </>
  );
};

type HeaderButtonProps = { icon: IconName; label: string; keys?: string; onClick(): void };

const HeaderButton = ({ icon, label, keys, onClick }: HeaderButtonProps) => (
  <button
    type="button"
    className="icon-button"
    aria-label={label}
    title={keys ? `${label} (${keys})` : label}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
);
