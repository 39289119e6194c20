/** One model: a line to choose it by, and behind a button what is known of it and what can be done with it. */
import { useId, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { Icon } from '../parts/icons.tsx';
import { visible } from '../parts/visible.ts';
import type { Answer, Api, ModelRow } from '../state/api.ts';
import { FIT_WORDS, factsOf, isRemovable, nameOf, probeFacts } from './model-words.ts';
import type { ModelsPanel } from './use-models-panel.ts';

type Props = { model: ModelRow; isCurrent: boolean; onChoose(): void; act: ModelsPanel['act'] };

const FIT_COLOURS = { fits: 'text-good', tight: 'text-warn', too_large: 'text-bad' } as const;

export const ModelEntry = ({ model, isCurrent, onChoose, act }: Props) => {
  const [open, setOpen] = useState(false);
  const id = useId();
  const name = visible(nameOf(model));
  return (
    <li className="rounded hover:bg-hover" data-model-row={model.id}>
      <div className="flex items-center">
        <button
          type="button"
          data-model={model.id}
          aria-current={isCurrent}
          className="flex min-h-10 min-w-0 flex-1 items-start gap-2 rounded px-2 py-1.5 text-left"
          onClick={onChoose}
        >
          <span className="w-3 shrink-0 text-blue" aria-hidden="true">
            {isCurrent ? '✓' : ''}
          </span>
          <span className="min-w-0 flex-1">
            <span className="flex flex-wrap items-baseline gap-x-2 text-sm">
              <span className={`[overflow-wrap:anywhere] ${isCurrent ? 'font-semibold' : ''}`}>{name}</span>
              {model.loaded && <span className="text-xs text-good">● loaded</span>}
              {model.unreachable && <span className="text-xs text-bad">does not answer</span>}
            </span>
            <Facts model={model} />
            {model.problem !== undefined && (
              <span className="block text-xs text-bad [overflow-wrap:anywhere]">{visible(model.problem)}</span>
            )}
          </span>
        </button>
        <button
          type="button"
          className="icon-button"
          aria-label={`About ${name}`}
          aria-expanded={open}
          aria-controls={open ? id : undefined}
          onClick={() => setOpen(!open)}
        >
          <span className={open ? 'rotate-180' : ''}>
            <Icon name="down" />
          </span>
        </button>
      </div>
      {open && (
        <div id={id} className="pb-2 pl-7 pr-2">
          <Details model={model} />
          <Actions model={model} name={name} act={act} />
        </div>
      )}
    </li>
  );
};

type Fact = { text: string; colour?: string };

const Facts = ({ model }: { model: ModelRow }) => {
  const { fit, probe } = model;
  const facts: Fact[] = [
    ...factsOf(model).map((text) => ({ text })),
    ...(fit ? [{ text: FIT_WORDS[fit], colour: FIT_COLOURS[fit] }] : []),
    ...(probe ? [{ text: `probed, ${probe.passed} of ${probe.passed + probe.failed} passed` }] : []),
  ];
  return (
    <span className="flex flex-wrap gap-x-1 text-xs text-soft">
      {facts.map(({ text, colour = '' }, index) => (
        <span key={text}>
          <span className={colour}>{text}</span>
          {index < facts.length - 1 ? ' ·' : ''}
        </span>
      ))}
    </span>
  );
};

const Details = ({ model }: { model: ModelRow }) => {
  const facts = probeFacts(model);
  if (model.probe === undefined)
    return <p className="text-sm text-soft">Not probed yet: halter has not tried what this model can do.</p>;
  const { failures, probed_at: at } = model.probe;
  return (
    <div className="text-sm">
      <p className="text-soft">Probed {new Date(at).toLocaleDateString()}:</p>
      <ul className="list-disc pl-5">
        {facts.map((fact) => (
          <li key={fact}>{fact}</li>
        ))}
      </ul>
      {failures.length > 0 && (
        <details className="mt-1">
          <summary className="cursor-pointer text-soft">What it could not do</summary>
          <ul className="list-disc pl-5">
            {failures.map((failure) => (
              <li key={failure}>{failure}</li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
};

/** Beside what else new sessions begin with. */
const makeDefault = async (api: Api, model: string): Promise<Answer<unknown>> => {
  const told = await api.defaults();
  if (!told.ok) return told;
  const changed = await api.changeDefaults({ ...told.value.settings, model });
  if (!changed.ok || !changed.value.held.includes('model')) return changed;
  const message = `${model} is kept, but halter was started with a flag that names its model or server, and that goes before it.`;
  return { ok: false, status: 409, message };
};

const Actions = ({ model, name, act }: { model: ModelRow; name: string; act: ModelsPanel['act'] }) => {
  const { api } = useApp();
  const [isSure, setSure] = useState(false);
  if (isSure) {
    return (
      <div className="mt-2 rounded border border-bad p-2 text-sm">
        <p className="mb-2 [overflow-wrap:anywhere]">Remove {name}? To have it again it must be downloaded again.</p>
        <div className="flex gap-2">
          <button type="button" className="button text-bad" onClick={() => void act(api.removeModel(model.id))}>
            Remove
          </button>
          <button type="button" className="button" ref={(element) => element?.focus()} onClick={() => setSure(false)}>
            Keep
          </button>
        </div>
      </div>
    );
  }
  return (
    <div className="mt-2 flex flex-wrap gap-2">
      <button type="button" className="button" onClick={() => void act(api.beginModelJob('probe', model.id))}>
        {model.probe ? 'Probe again' : 'Probe'}
      </button>
      <button type="button" className="button" onClick={() => void act(makeDefault(api, model.id))}>
        Use for new sessions
      </button>
      {isRemovable(model) && (
        <button type="button" className="button" onClick={() => setSure(true)}>
          Remove
        </button>
      )}
    </div>
  );
};
