/** Every model of every server and file that was found: to choose one, get others, try and remove them. */
import { useMemo, useRef, useState } from 'react';
import { bytes } from '../parts/format.ts';
import { PanelDialog } from '../parts/panel-dialog.tsx';
import { visible } from '../parts/visible.ts';
import { rowOf } from '../state/model-name.ts';
import { Jobs } from './jobs.tsx';
import { ModelEntry } from './model-entry.tsx';
import { groupsOf } from './model-words.ts';
import { PullForm } from './pull-form.tsx';
import { Suggestions } from './suggestions.tsx';
import { useModelsPanel } from './use-models-panel.ts';

type Props = { current: string; onChoose(model: string): void; onClose(): void };

export const ModelsDialog = ({ current, onChoose, onClose }: Props) => {
  const panel = useModelsPanel();
  const [search, setSearch] = useState('');
  const list = useRef<HTMLDivElement>(null);
  const groups = useMemo(() => groupsOf(panel.models ?? [], search), [panel.models, search]);
  const chosen = useMemo(() => rowOf(panel.models ?? [], current)?.id, [panel.models, current]);
  const choose = (model: string): void => {
    onChoose(model);
    onClose();
  };
  const move = (step: number): void => {
    const entries = [...(list.current?.querySelectorAll<HTMLElement>('[data-model]') ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    entries[Math.max(0, Math.min(entries.length - 1, at + step))]?.focus();
  };
  const onKeyDown = (event: React.KeyboardEvent): void => {
    if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
    event.preventDefault();
    move(event.key === 'ArrowDown' ? 1 : -1);
  };
  return (
    <PanelDialog
      title="Models"
      isTall
      onClose={onClose}
      top={
        <div className="shrink-0 border-b border-line px-4 py-2">
          <input
            type="search"
            className="field"
            aria-label="Search models"
            placeholder="Search models"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            onKeyDown={(event) => {
              // Whoever named one means the first that is left.
              if (event.key === 'Enter' && search.trim() !== '' && !event.nativeEvent.isComposing)
                list.current?.querySelector<HTMLElement>('[data-model]')?.click();
              else onKeyDown(event);
            }}
            ref={(element) => {
              // With a finger the keys of the screen would cover the list.
              if (
                element &&
                window.matchMedia('(pointer: fine)').matches &&
                document.activeElement?.tagName !== 'INPUT'
              )
                element.focus();
            }}
          />
        </div>
      }
      bottom={<PullForm act={panel.act} gets={panel.gets} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys move between the buttons inside. */}
      <div ref={list} className="px-2 pb-2" onKeyDown={onKeyDown}>
        {panel.problem !== undefined && (
          <p role="alert" className="px-2 py-2 text-sm text-bad [overflow-wrap:anywhere]">
            {visible(panel.problem)}
          </p>
        )}
        <Jobs jobs={panel.jobs} act={panel.act} />
        {panel.models === undefined && panel.problem === undefined && (
          <p role="status" className="flex items-center gap-2 px-2 py-3 text-sm text-soft">
            <span className="spinner" aria-hidden="true" /> Asking the servers
          </p>
        )}
        {panel.models !== undefined && groups.length === 0 && (
          <p className="px-2 py-3 text-sm text-soft">
            {search.trim() === '' ? 'No model server is there, and no model file.' : 'No model here is called so.'}
          </p>
        )}
        {groups.map(({ title, place, models }) => (
          <section key={`${title} ${place}`} aria-label={`${title} ${place}`}>
            <h3 className="label flex flex-wrap gap-x-2 px-2 pt-3 pb-1">
              {title} <span className="mono text-xs [overflow-wrap:anywhere]">{visible(place)}</span>
            </h3>
            <ul>
              {models.map((model) => (
                <ModelEntry
                  key={model.id}
                  model={model}
                  isCurrent={model.id === chosen}
                  onChoose={() => choose(model.id)}
                  act={panel.act}
                />
              ))}
            </ul>
          </section>
        ))}
        {search.trim() === '' && panel.models !== undefined && <Suggestions act={panel.act} />}
        {panel.memoryBytes !== undefined && groups.length > 0 && (
          <p className="px-2 pt-3 text-xs text-soft">
            This machine has {bytes(panel.memoryBytes)} of main memory. Whether a model fits is told by its size; memory
            of a graphics card is not counted.
          </p>
        )}
      </div>
    </PanelDialog>
  );
};
