/** Ends a background job with everything it started. */
import { ok } from '../core/tool-result.ts';
import { builtIn } from './support/built-in.ts';
import { jobsOf, jobText } from './support/job-text.ts';
import { refuse } from './support/refuse.ts';

export const stopJob = builtIn({
  name: 'stop_job',
  description: 'Stop a background job, and read what it printed last.',
  risk: 'safe',
  effects: 'none',
  dispensable: true,
  // A person may be asked what of its changes is kept.
  timeout_ms: 0,
  main_argument: 'job_id',
  parameters: { type: 'object', properties: { job_id: { type: 'string' } }, required: ['job_id'] },
  async run({ job_id: id }, context) {
    const jobs = jobsOf(context);
    if (!jobs.ok) return refuse(jobs.error);
    const stopped = await jobs.value.stop(String(id), context.mayKeep);
    return stopped.ok ? ok(jobText(stopped.value)) : refuse(stopped.error);
  },
});
