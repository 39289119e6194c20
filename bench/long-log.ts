/** The log of a long session, as `halter run` would have written it. */
import type { Event, EventBody } from '../src/core/events.ts';
import { DEFAULT_LIMITS } from '../src/core/limits.ts';

export type LongLog = {
  id: string;
  workspace: string;
  turns: number;
  /** What each tool answers. */
  data: string;
};

/** The log has one more, with which the session begins. */
export const EVENTS_A_TURN = 8;

/** A turn is a question, a call, its verdict, start and result, the end of the iteration, an answer and the end. */
export const longLog = ({ id: session, workspace, turns, data }: LongLog): Event[] => {
  const events: Event[] = [];
  const add = (body: EventBody): void => void events.push({ seq: events.length + 1, at: 1_700_000_000_000, ...body });
  add({
    type: 'session_started',
    version: 1,
    session_id: session,
    workspace,
    model: 'm',
    limits: DEFAULT_LIMITS,
  });
  for (let turn = 1; turn <= turns; turn += 1) {
    const id = `call_${turn}`;
    const call = {
      id,
      name: 'read_file',
      arguments: { path: `src/${turn}.ts` },
      source: 'native' as const,
      repairs: [],
    };
    const metadata = { execution_time_ms: 1, data_size_bytes: data.length, timestamp: 1 };
    const result = { success: true, data, error_message: null, error_type: 'none' as const, metadata };
    const message = { role: 'assistant' as const, content: '', tool_calls: [call], finish: 'tool_calls' as const };
    add({ type: 'user_message_added', content: `What does file ${turn} hold?` });
    add({ type: 'assistant_message_added', message });
    const judged = { verdict: 'allow' as const, risk: 'medium' as const, exclusive: false, because: 'a rule' };
    add({ type: 'policy_evaluated', tool_call_id: id, arguments: call.arguments, ...judged });
    add({ type: 'tool_started', tool_call_id: id });
    add({ type: 'tool_finished', tool_call_id: id, result });
    add({ type: 'iteration_completed', iteration: 1 });
    add({
      type: 'assistant_message_added',
      message: { ...message, content: 'It holds code.', tool_calls: [], finish: 'stop' },
    });
    add({ type: 'run_completed', sources: ['read_file'] });
  }
  return events;
};
