/** Input for a background job. What is typed may do whatever the program does with it, so it is asked about like a command. */

import { fail, ok } from '../core/tool-result.ts';
import { TOOL_LIMITS } from './limits.ts';
import { builtIn } from './support/built-in.ts';
import { jobState, jobsOf } from './support/job-text.ts';
import { refuse } from './support/refuse.ts';
import { sayOffered } from './support/say-offered.ts';

export const writeJob = builtIn({
  name: 'write_job',
  description: 'Type text into a background job. End it with a newline to send the line.',
  risk: 'high',
  effects: 'process',
  in_sandbox: true,
  sinks: ['text'],
  dispensable: true,
  main_argument: 'text',
  typed_into: 'job_id',
  parameters: {
    type: 'object',
    properties: { job_id: { type: 'string' }, text: { type: 'string' } },
    required: ['job_id', 'text'],
  },
  async run({ job_id: id, text }, context) {
    const jobs = jobsOf(context);
    if (!jobs.ok) return refuse(jobs.error);
    if (String(text).length > TOOL_LIMITS.jobInputCharacters) {
      return fail('validation_failed', `text is longer than ${TOOL_LIMITS.jobInputCharacters} characters`);
    }
    const written = jobs.value.write(String(id), String(text));
    if (!written.ok) return refuse(written.error);
    const how = sayOffered(context, ['; read_job shows what it says', 'read_job']);
    return ok(`Written. ${jobState(written.value)}${how}.`);
  },
});
