/** Models that fit this machine, to be got with a click. */
import { useState } from 'react';
import { useApp } from '../app-context.tsx';
import { CopyButton } from '../parts/copy-button.tsx';
import { bytes } from '../parts/format.ts';
import type { SuggestedModel } from '../state/api.ts';
import type { ModelsPanel } from './use-models-panel.ts';

const SHOWN = 8;

export const Suggestions = ({ act }: { act: ModelsPanel['act'] }) => {
  const { api } = useApp();
  const [models, setModels] = useState<readonly SuggestedModel[]>();
  const [problem, setProblem] = useState<string>();
  const look = async (): Promise<void> => {
    const answer = await api.suggestedModels();
    setProblem(answer.ok ? undefined : answer.message);
    if (answer.ok) setModels(answer.value.models.slice(0, SHOWN));
  };
  return (
    <details
      className="px-2 pt-3 text-sm"
      onToggle={(event) => {
        if (event.currentTarget.open && models === undefined) void look();
      }}
    >
      <summary className="cursor-pointer font-medium">Models that fit this machine</summary>
      {models === undefined && problem === undefined && (
        <p role="status" className="flex items-center gap-2 py-2 text-soft">
          <span className="spinner" aria-hidden="true" /> Looking at this machine
        </p>
      )}
      {problem !== undefined && (
        <p role="alert" className="py-2 text-bad">
          {problem}
        </p>
      )}
      <ul aria-label="Models that fit this machine" className="divide-y divide-line">
        {models?.map((model) => (
          <Suggestion key={model.id} model={model} act={act} />
        ))}
      </ul>
      {models !== undefined && (
        <p className="py-2 text-xs text-soft">
          By the catalogue of halter, with a window of 8,192 tokens.{' '}
          <code className="mono text-xs">halter models advise</code> says more: speed on this machine, licences, scores,
          sources.
        </p>
      )}
    </details>
  );
};

const Suggestion = ({ model, act }: { model: SuggestedModel; act: ModelsPanel['act'] }) => {
  const { api } = useApp();
  const { title, quantisation, size_bytes: size, memory_bytes: memory, fits, tools, pull, command } = model;
  return (
    <li className="flex flex-wrap items-center gap-2 py-1.5" data-suggestion={model.id}>
      <span className="min-w-0 flex-1 basis-44">
        <span className="block [overflow-wrap:anywhere]">{title}</span>
        <span className="block text-xs text-soft">
          {bytes(size)} to download · {bytes(memory)} of memory
          {quantisation ? ` · ${quantisation}` : ''}
          {tools ? '' : ' · no tools of its own'}
          {fits === 'tight' && <span className="text-warn"> · fits when other programs are closed</span>}
        </span>
      </span>
      {pull === undefined ? (
        <span className="flex min-w-0 items-center gap-1">
          <code className="mono mono-wrap text-xs">{command}</code>
          <CopyButton text={() => command} label={`Copy the command for ${title}`} />
        </span>
      ) : (
        <button
          type="button"
          className="button"
          aria-label={`Get ${title}`}
          onClick={() => void act(api.beginModelJob('pull', pull))}
        >
          Get
        </button>
      )}
    </li>
  );
};
