/** At the right, where there is something to show: tasks, changed files, and what was read. */
import { useMemo } from 'react';
import type { TaskStatus } from '../../../src/core/ports.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { bytes, counted } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { changedFiles } from '../state/changed-files.ts';
import type { ChangeView, View } from '../state/view.ts';
import { type Source, sourcesOf } from './side-content.ts';

const TASK_MARKS: Readonly<Record<TaskStatus, string>> = { pending: '○', in_progress: '●', completed: '✓' };
const TASK_WORDS: Readonly<Record<TaskStatus, string>> = {
  pending: 'pending',
  in_progress: 'in progress',
  completed: 'completed',
};

const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section className="border-b border-line px-4 py-3">
    <h2 className="label mb-2">{title}</h2>
    {children}
  </section>
);

type Props = { onClose(): void /** Shows all changes, from this file on. */; onReview(path: string | undefined): void };

export const SidePanel = ({ onClose, onReview }: Props) => {
  const { view } = useSnapshot();
  const sources = useMemo(() => sourcesOf(view), [view]);
  return (
    <aside aria-label="Tasks, files and sources" className="flex h-full min-h-0 flex-col bg-sunken">
      <div className="flex h-12 shrink-0 items-center justify-between pl-4 pr-2">
        <strong className="text-sm">This session</strong>
        <button type="button" className="icon-button" aria-label="Hide tasks and files" onClick={onClose}>
          <Icon name="panel" />
        </button>
      </div>
      <section
        className="min-h-0 flex-1 overflow-y-auto"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        aria-label="Details of this session"
      >
        {view.tasks.length > 0 && <Tasks view={view} />}
        <DocumentList />
        {changedFiles(view.changes).length > 0 && <Files changes={view.changes} onReview={onReview} />}
        {sources.length > 0 && <Sources sources={sources} />}
      </section>
    </aside>
  );
};

const Tasks = ({ view }: { view: View }) => (
  <Section
    title={`Tasks, ${view.tasks.filter(({ status }) => status === 'completed').length} of ${view.tasks.length} done`}
  >
    <ul aria-label="Tasks" aria-live="polite" className="flex flex-col gap-1 text-sm">
      {view.tasks.map(({ id, content, status }) => (
        <li key={id} className="flex gap-2" data-task={status}>
          <span
            aria-hidden="true"
            className={status === 'completed' ? 'text-good' : status === 'in_progress' ? 'text-blue' : 'text-soft'}
          >
            {TASK_MARKS[status]}
          </span>
          <span className={`min-w-0 [overflow-wrap:anywhere] ${status === 'completed' ? 'text-soft' : ''}`}>
            {content}
          </span>
          <span className="sr-only">{TASK_WORDS[status]}</span>
        </li>
      ))}
    </ul>
  </Section>
);

const DocumentList = () => {
  const { documents } = useApp();
  const there = documents.list.filter(({ state }) => state === 'ready');
  if (there.length === 0) return null;
  return (
    <Section title="Documents of this chat">
      <ul aria-label="Documents" className="flex flex-col text-sm">
        {there.map(({ name, size, lines }) => (
          <li key={name} className="flex h-7 items-center gap-2">
            <span className="min-w-0 flex-1 truncate" title={`${name}, ${counted(lines ?? 0, 'line')}`}>
              {name}
            </span>
            <span className="shrink-0 text-xs tabular-nums text-soft">{bytes(size)}</span>
            <button
              type="button"
              className="quiet-button shrink-0"
              aria-label={`Take ${name} out of this chat`}
              title="Take it out of this chat"
              onClick={() => documents.remove(name)}
            >
              <Icon name="close" size={12} />
            </button>
          </li>
        ))}
      </ul>
    </Section>
  );
};

const Files = ({ changes, onReview }: { changes: readonly ChangeView[] } & Pick<Props, 'onReview'>) => {
  return (
    <Section title="Changed files">
      <ul className="flex flex-col text-sm">
        {changedFiles(changes).map(({ path, state, elsewhere }) => (
          <li key={path}>
            <button
              type="button"
              className="flex min-h-8 w-full items-center gap-2 rounded px-1 text-left hover:bg-hover pointer-coarse:min-h-10 max-sm:min-h-10"
              onClick={() => onReview(path)}
            >
              <span className="mono min-w-0 flex-1 truncate" title={path}>
                {path}
              </span>
              <span className="shrink-0 text-xs text-soft">{elsewhere ? `${state} on another branch` : state}</span>
            </button>
          </li>
        ))}
      </ul>
      {changes.some(({ undone }) => !undone) && (
        <button type="button" className="button mt-2" onClick={() => onReview(undefined)}>
          <Icon name="diff" /> Review changes
        </button>
      )}
    </Section>
  );
};

const showCall = (id: string): void => {
  const card = document.querySelector<HTMLElement>(`[data-call="${CSS.escape(id)}"]`);
  card?.scrollIntoView({ block: 'center' });
  card?.querySelector('button')?.focus();
};

const Sources = ({ sources }: { sources: readonly Source[] }) => (
  <Section title="Sources">
    <ul aria-label="Sources" className="flex flex-col text-sm">
      {sources.map(({ name, callId }) => (
        <li key={name}>
          <button
            type="button"
            className="mono w-full truncate rounded px-1 py-0.5 text-left pointer-coarse:min-h-10 max-sm:min-h-10 hover:bg-hover"
            title={name}
            onClick={() => showCall(callId)}
          >
            {name}
          </button>
        </li>
      ))}
    </ul>
  </Section>
);
