/** What a model reads of a background job: how it stands, and what is new. */

import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import type { Job, JobOutput, Jobs } from '../../core/ports.ts';
import type { ToolContext } from '../../core/tool.ts';
import { TOOL_LIMITS } from '../limits.ts';
import { cutMiddle, readableOutput } from '../output-text.ts';
import { counted } from './format.ts';

/** A call outside of a session has nothing for a job to go on in. */
export const jobsOf = (context: ToolContext): Outcome<Jobs> =>
  context.jobs === undefined
    ? failure('validation_failed', 'Background jobs live in a session, and this call is in none')
    : succeed(context.jobs);

export const jobState = (job: Job): string => {
  if (job.state === 'running') return `${job.id} is running`;
  return `${job.id} has ended with ${job.signal ?? `exit code ${job.exit_code ?? 'unknown'}`}`;
};

export const jobText = ({ job, text, omitted }: JobOutput): string => {
  const readable = cutMiddle(readableOutput(text), TOOL_LIMITS.bashOutputBytes).trimEnd();
  const lost =
    omitted > 0
      ? [`[${counted(omitted, 'character')} before this ${omitted === 1 ? 'was' : 'were'} not read in time]`]
      : [];
  return [jobState(job), ...lost, readable === '' ? '(no new output)' : readable].join('\n');
};
