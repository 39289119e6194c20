/** At the right, where there is something to show: tasks, changed files, and the calls in the order of time. */
import { useMemo } from 'react';
import type { TaskStatus } from '../../../src/core/ports.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { STATE_MARKS, STATE_WORDS, toolTitle } from '../calls/call-facts.ts';
import { bytes, duration } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import type { CallView, ChangeView, View } from '../state/view.ts';
import type { Documents } from './use-documents.ts';

const TASK_MARKS: Readonly<Record<TaskStatus, string>> = { pending: '○', in_progress: '●', completed: '✓' };
const TASK_WORDS: Readonly<Record<TaskStatus, string>> = {
  pending: 'pending',
  in_progress: 'in progress',
  completed: 'completed',
};
const SHOWN_CALLS = 100;

export const hasSideContent = (view: View, documents: Documents): boolean =>
  documents.list.some(({ state }) => state === 'ready') ||
  view.tasks.length > 0 ||
  view.changes.length > 0 ||
  view.items.some((item) => item.kind === 'call');

const Section = ({ title, children }: { title: string; children: React.ReactNode }) => (
  <section className="border-b border-line px-4 py-3">
    <h2 className="label mb-2">{title}</h2>
    {children}
  </section>
);

export const SidePanel = ({ onClose }: { onClose(): void }) => {
  const { view } = useSnapshot();
  const calls = useMemo(
    () => view.items.flatMap((item) => (item.kind === 'call' ? [item.call] : [])).slice(-SHOWN_CALLS),
    [view.items],
  );
  return (
    <aside aria-label="Tasks, files and calls" className="flex h-full flex-col bg-sunken">
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
        {view.changes.length > 0 && <Files changes={view.changes} />}
        {calls.length > 0 && <Timeline calls={calls} />}
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
            <span className="min-w-0 flex-1 truncate" title={`${name}, ${lines} lines`}>
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

const Files = ({ changes }: { changes: readonly ChangeView[] }) => {
  const { send } = useApp();
  const paths = [...new Map(changes.map((change) => [change.path, change])).values()];
  const canUndo = changes.some(({ undone }) => !undone);
  return (
    <Section title="Changed files">
      <ul className="flex flex-col gap-1 text-sm">
        {paths.map(({ path, created, undone }) => (
          <li key={path} className="flex items-baseline gap-2">
            <span className="mono min-w-0 flex-1 truncate" title={path}>
              {path}
            </span>
            <span className="text-xs text-soft">{undone ? 'undone' : created ? 'new' : 'changed'}</span>
          </li>
        ))}
      </ul>
      {canUndo && (
        <button type="button" className="button mt-2" onClick={() => void send({ type: 'undo' })}>
          <Icon name="undo" /> Undo the last change
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

const Timeline = ({ calls }: { calls: readonly CallView[] }) => {
  const longest = Math.max(1, ...calls.map(({ result }) => result?.metadata.execution_time_ms ?? 0));
  return (
    <Section title="Calls">
      <ol className="flex flex-col text-sm">
        {calls.map((call) => {
          const ms = call.result?.metadata.execution_time_ms;
          return (
            <li key={call.id}>
              <button
                type="button"
                data-state={call.state}
                className="call-entry flex w-full items-center gap-2 rounded px-1 py-0.5 text-left hover:bg-hover"
                onClick={() => showCall(call.id)}
              >
                <span className="call-mark w-3 text-center" aria-hidden="true">
                  {STATE_MARKS[call.state]}
                </span>
                <span className="sr-only">{STATE_WORDS[call.state]}:</span>
                <span className="min-w-0 flex-1 truncate" title={call.name}>
                  {toolTitle(call.name).tool}
                </span>
                <span aria-hidden="true" className="h-1 w-8 shrink-0 overflow-hidden rounded-full bg-hover">
                  <span
                    className="block h-full rounded-full bg-edge"
                    style={{ width: `${ms === undefined ? 0 : Math.max(4, (ms / longest) * 100)}%` }}
                  />
                </span>
                <span className="w-13 shrink-0 text-right text-xs tabular-nums text-soft">
                  {ms === undefined ? '' : duration(ms)}
                </span>
              </button>
            </li>
          );
        })}
      </ol>
    </Section>
  );
};
