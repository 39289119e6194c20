/** Before the first message: what is ready, what one could try here, and how to get a better model. */
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { Markdown } from '../markdown/late-markdown.tsx';
import { percent, tokens } from '../parts/format.ts';
import { modelState, NAMELESS, rowOf } from '../state/model-name.ts';
import { suggestionsFor } from './suggestions.ts';

const TokenForm = lazy(() => import('./token-form.tsx').then((all) => ({ default: all.TokenForm })));

type Props = {
  /** Scrolls with the rest. */
  above: ReactNode;
  onPick(text: string): void;
  /** Opens the list of models. */
  onModels(): void;
  /** The model that the next session begins with; empty while there is none. */
  current: string;
};

export const EmptyState = ({ above, onPick, onModels, current }: Props) => {
  const { api, status, problem: told, link } = useApp();
  // That nobody answers is said once, above the field.
  const problem = link === 'here' || told?.needsToken === true ? told : undefined;
  const [paths, setPaths] = useState<readonly string[]>();
  const model = current === '' ? undefined : current;
  // Before anything is known they would only be replaced a moment later.
  const isKnown = status !== undefined;
  const tries = useMemo(
    () => (paths === undefined || !isKnown ? [] : suggestionsFor(paths, model)),
    [paths, isKnown, model],
  );
  useEffect(() => {
    if (problem === undefined) void api.files().then(setPaths);
  }, [api, problem]);
  // Nothing else can be done before that is solved.
  if (problem !== undefined) {
    return (
      <div className="flex min-h-0 flex-1 flex-col justify-center overflow-y-auto px-4">
        <section role="alert" className="mx-auto w-full max-w-[46rem] rounded border border-bad bg-bad-soft px-4 py-3">
          <h1 className="font-semibold">{problem.title}</h1>
          <p className="text-sm">{problem.text}</p>
          <Suspense>{problem.needsToken && <TokenForm />}</Suspense>
        </section>
      </div>
    );
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col overflow-y-auto px-4 max-sm:px-2">
      {above}
      <div className="mx-auto flex w-full max-w-[46rem] grow flex-col justify-center gap-8 px-0 py-8 short:gap-4 short:py-3 max-sm:px-2">
        <ModelStands onModels={onModels} current={current} />
        <section aria-labelledby="tries">
          <h2 id="tries" className="label mb-2">
            Three things to try in this folder
          </h2>
          <ul className="flex min-h-30 flex-col gap-1">
            {tries.map((text) => (
              <li key={text}>
                <button
                  type="button"
                  className="min-h-10 w-full rounded border border-line bg-raised px-3 py-2 text-left text-sm hover:bg-hover"
                  onClick={() => onPick(text)}
                >
                  {text}
                </button>
              </li>
            ))}
          </ul>
        </section>
        <details className="text-sm">
          <summary className="cursor-pointer text-soft">How to get a better model</summary>
          <ul className="mt-2 flex list-disc flex-col gap-1 pl-5 text-soft">
            <li>
              <button type="button" className="button text-ink" onClick={onModels}>
                Get one that fits this machine
              </button>{' '}
              by Ollama, from the list of models.
            </li>
            <li>
              With llama.cpp, LM Studio or vLLM: start the server; halter looks at its usual port. Elsewhere:{' '}
              <code className="mono text-ink">halter serve --provider openai --base-url URL -m NAME</code>.
            </li>
            <li>
              With a GGUF file alone:{' '}
              <code className="mono text-ink">{'halter serve -m embedded//path/to/model.gguf'}</code>.
            </li>
            <li>
              <code className="mono text-ink">halter models list</code> shows what is there,{' '}
              <code className="mono text-ink">halter models probe NAME</code> what a model can do.
            </li>
          </ul>
          {status && <p className="mt-2 text-xs text-soft">Commands run in: {status.sandbox}.</p>}
        </details>
      </div>
    </div>
  );
};

const ModelStands = ({ onModels, current }: Pick<Props, 'onModels' | 'current'>) => {
  const app = useApp();
  const { status, models, loadAgain } = app;
  const model = status?.model;
  const { state, problem } = modelState(current, app);
  if (!status || !model || state === 'none' || state === 'not loaded') return <Headline state={NAMELESS.none} />;
  if (state === 'not there' && (current === '' || problem !== undefined || model.state === 'failed')) {
    return (
      <section role="alert" className="rounded border border-bad bg-bad-soft px-3 py-2">
        <h1 className="font-semibold">No model is ready</h1>
        <div className="mt-1 text-sm [overflow-wrap:anywhere]">
          <Markdown text={problem ?? model.message ?? 'halter found no model server and no model file.'} live={false} />
        </div>
        <div className="mt-2 flex flex-wrap gap-2">
          <button type="button" className="button-main" onClick={onModels}>
            Choose or get a model
          </button>
          <button type="button" className="button" onClick={loadAgain}>
            Look again
          </button>
        </div>
      </section>
    );
  }
  if (state === 'loading') {
    const share = model.fraction === undefined ? '' : ` ${percent(model.fraction)}`;
    return <Headline state={NAMELESS.loading} facts={`${model.message ?? ''}${share}`} />;
  }
  const endpoint = rowOf(models, current)?.endpoint ?? model.endpoint;
  if (state === 'not there') {
    return (
      <section role="alert" className="rounded border border-bad bg-bad-soft px-3 py-2">
        <h1 className="font-semibold [overflow-wrap:anywhere]">{current} does not answer any more</h1>
        <p className="mt-1 text-sm">
          Is {endpoint ?? 'its server'} still running? This page sees when it is back. Another model can be chosen
          below.
        </p>
      </section>
    );
  }
  if (state === 'not listed') return <Headline state={`${current} is not listed`} facts={problem} />;
  const length = current === model.id ? model.context_length : rowOf(models, current)?.context_length;
  const facts = [endpoint, length === undefined ? undefined : `${tokens(length)} tokens of context`];
  return <Headline isReady state={`${current} is ready`} facts={facts.filter((fact) => fact).join(' · ')} />;
};

/** The folder, and under it how the model stands: it keeps its place while that changes. */
const Headline = ({ state, facts = '', isReady = false }: { state: string; facts?: string; isReady?: boolean }) => {
  const { status } = useApp();
  return (
    <section aria-live="polite">
      <h1 className="text-xl font-semibold [overflow-wrap:anywhere]" title={status?.workspace}>
        {status?.workspace.split(/[\\/]/).at(-1) ?? 'halter'}
      </h1>
      <div className="mt-1 flex flex-wrap items-center gap-x-2 text-sm text-soft [overflow-wrap:anywhere]">
        <h2 className="rounded border border-line bg-sunken px-2 text-ink">
          <span className={isReady ? 'text-good' : 'text-soft'} aria-hidden="true">
            {isReady ? '●' : '○'}
          </span>{' '}
          {state}
        </h2>
        {facts}
      </div>
    </section>
  );
};
