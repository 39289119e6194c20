/** Pulls and probes: how far they are, and a button that stops each. */
import { useApp } from '../app-context.tsx';
import { percent } from '../parts/format.ts';
import { Icon } from '../parts/icons.tsx';
import { visible } from '../parts/visible.ts';
import type { ModelJob } from '../state/api.ts';
import type { ModelsPanel } from './use-models-panel.ts';

const WORDS: Readonly<Record<ModelJob['kind'], Readonly<Record<ModelJob['state'], string>>>> = {
  pull: { running: 'Getting', done: 'Got', failed: 'Could not get', stopped: 'Stopped getting' },
  probe: { running: 'Probing', done: 'Probed', failed: 'Could not probe', stopped: 'Stopped probing' },
};

export const Jobs = ({ jobs, act }: { jobs: readonly ModelJob[]; act: ModelsPanel['act'] }) =>
  jobs.length === 0 ? null : (
    <ul aria-label="Pulls and probes" className="flex flex-col gap-1 px-2 pt-2">
      {jobs.map((job) => (
        <Job key={job.id} job={job} act={act} />
      ))}
    </ul>
  );

const Job = ({ job, act }: { job: ModelJob; act: ModelsPanel['act'] }) => {
  const { api } = useApp();
  const { id, kind, model, state, message, fraction } = job;
  const isRunning = state === 'running';
  return (
    <li className="rounded border border-line bg-sunken px-2 py-1 text-sm" data-job={state}>
      <div className="flex items-center gap-2">
        <span className="min-w-0 flex-1 [overflow-wrap:anywhere]" role="status">
          <span className={state === 'failed' ? 'text-bad' : ''}>{WORDS[kind][state]}</span> {visible(model)}
          {fraction !== undefined && <span className="tabular-nums text-soft"> {percent(fraction)}</span>}
        </span>
        <button
          type="button"
          className={isRunning ? 'button' : 'quiet-button'}
          aria-label={isRunning ? `Stop: ${model}` : `Take ${model} off this list`}
          onClick={() => void act(api.stopModelJob(id))}
        >
          {isRunning ? 'Stop' : <Icon name="close" size={12} />}
        </button>
      </div>
      {isRunning && (
        <progress className="progress" aria-label={`${WORDS[kind].running} ${model}`} max={1} value={fraction} />
      )}
      {message !== '' && <p className="text-xs text-soft [overflow-wrap:anywhere]">{visible(message)}</p>}
    </li>
  );
};
