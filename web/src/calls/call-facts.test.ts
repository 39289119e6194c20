import { describe, expect, it } from 'vitest';
import type { EventBody, SessionUpdate } from '../../../src/core/events.ts';
import type { ToolCall } from '../../../src/core/message.ts';
import type { ToolResult } from '../../../src/core/tool-result.ts';
import { reduce } from '../state/reduce.ts';
import { EMPTY_VIEW } from '../state/view.ts';
import { callFacts } from './call-facts.ts';

const failure = (error_type: Exclude<ToolResult['error_type'], 'none'>, reason?: string): ToolResult => ({
  success: false,
  data: null,
  error_type,
  error_message: 'why',
  metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 0, ...(reason === undefined ? {} : { reason }) },
});

/** The state of a call and what its line says, after these events of it. */
const shown = (...bodies: EventBody[]): [string, string] => {
  const call: ToolCall = { id: 'c', name: 'bash', arguments: {}, source: 'native', repairs: [] };
  const all: EventBody[] = [
    { type: 'user_message_added', content: 'do it' },
    {
      type: 'assistant_message_added',
      message: { role: 'assistant', content: '', tool_calls: [call], finish: 'tool_calls' },
    },
    ...bodies,
  ];
  const view = reduce(
    EMPTY_VIEW,
    all.map((body, at): SessionUpdate => ({ ...body, seq: at + 1, at })),
    0,
  );
  const item = view.items.findLast(({ kind }) => kind === 'call');
  if (item?.kind !== 'call') throw new Error('there is no call');
  return [item.call.state, callFacts(item.call).join(' · ')];
};
const starts: EventBody = { type: 'tool_started', tool_call_id: 'c' };
const ends = (result: ToolResult): EventBody => ({ type: 'tool_finished', tool_call_id: 'c', result });

describe('the line of a call', () => {
  it('says that it failed only where it ran', () => {
    expect(shown(starts, ends(failure('io_error')))).toEqual(['failed', 'failed · io error · 0 ms']);
    expect(shown(starts, ends(failure('io_error', 'cancelled')))).toEqual(['failed', 'failed · cancelled · 0 ms']);
    expect(shown(starts, ends(failure('io_error', 'interrupted')))).toEqual(['failed', 'failed · broken off']);
    for (const reason of ['cancelled', 'interrupted', 'branched'])
      expect(shown(ends(failure('io_error', reason)))).toEqual(['not_run', 'not run']);
    expect(shown(ends(failure('not_found')))).toEqual(['failed', 'failed · not found']);
    expect(shown(ends(failure('validation_failed')))).toEqual(['failed', 'not run · validation failed']);
    expect(shown({ type: 'arguments_rejected', tool_call_id: 'c', result: failure('parse_error') })).toEqual([
      'failed',
      'not run · parse error',
    ]);
    expect(shown(ends(failure('permission_denied', 'rule')))).toEqual(['denied', 'denied']);
  });
});
