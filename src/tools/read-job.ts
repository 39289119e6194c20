/** What a background job has printed since it was last looked at. */

import { ok } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { jobState, jobsOf, jobText } from './support/job-text.ts';
import { refuse } from './support/refuse.ts';

export const readJob = builtIn({
  name: 'read_job',
  description: 'Read what a background job printed since the last look. Without job_id: list the jobs.',
  risk: 'safe',
  effects: 'none',
  polling: true,
  dispensable: true,
  // The wait has its own limit, so the runner sets none.
  timeout_ms: 0,
  main_argument: 'job_id',
  parameters: {
    type: 'object',
    properties: {
      job_id: { type: 'string' },
      wait_ms: { type: 'integer', minimum: 0, maximum: TOOL_LIMITS.jobWaitMsMax, default: 1000 },
    },
  },
  async run({ job_id: id, wait_ms: waitMs }, context) {
    const jobs = jobsOf(context);
    if (!jobs.ok) return refuse(jobs.error);
    if (id === undefined) {
      const all = jobs.value.list().map((job) => `${jobState(job)}: ${job.command}`);
      return ok(all.join('\n') || 'There are no jobs.');
    }
    const read = await jobs.value.read(String(id), {
      waitMs: Number(waitMs),
      signal: context.signal,
      mayKeep: context.mayKeep,
    });
    return read.ok ? ok(jobText(read.value)) : refuse(read.error);
  },
});
