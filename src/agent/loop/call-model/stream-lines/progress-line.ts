/** Updates whose line follows from themselves alone. */
import type { EventOf, ProgressOf, SessionUpdate } from '../../../../core/events.ts';
import { ruleText } from '../../../../core/policy.ts';
import type { StreamEventBody } from '../stream-event.ts';

/** The line of what goes on; undefined for what has none, or what more has to be known of. */
export const progressLine = (update: SessionUpdate): StreamEventBody | undefined => {
  switch (update.type) {
    case 'model_started':
      return { type: 'model_start', model: update.model, iteration: update.iteration };
    case 'loading':
      return loadingLine(update);
    case 'prefill':
      return prefillLine(update);
    case 'text_delta':
    case 'reasoning_delta':
      return { type: update.type, delta: update.delta };
    case 'tool_output_delta':
      return { type: 'tool_output_delta', id: update.tool_call_id, delta: update.delta };
    case 'usage':
      return { type: 'usage', ...update.usage };
    case 'compaction':
      return { type: 'compaction', state: update.state };
    case 'curation':
      return { type: 'curation', state: update.state, path: update.path, usage: update.usage };
    case 'warning':
      return { type: 'warning', code: update.code, message: update.message };
    case 'permission_resolved':
      return resolvedLine(update);
    case 'task_changed':
      return { type: 'task_changed', task: update.task };
    default:
      return undefined;
  }
};

const loadingLine = ({ message, fraction, queue_position }: ProgressOf<'loading'>): StreamEventBody => ({
  type: 'loading',
  message,
  fraction: fraction ?? null,
  ...(queue_position === undefined ? {} : { queue_position }),
});

const prefillLine = ({
  processed,
  total,
  cached,
  seconds_left,
  estimated,
}: ProgressOf<'prefill'>): StreamEventBody => ({
  type: 'prefill',
  processed,
  total,
  cached,
  seconds_left,
  ...(estimated ? { estimated } : {}),
});

const resolvedLine = ({ tool_call_id, decision, rule }: EventOf<'permission_resolved'>): StreamEventBody => ({
  type: 'permission_resolved',
  tool_call_id,
  decision,
  ...(rule ? { rule: ruleText(rule) } : {}),
});
