import { describe, expect, it } from 'vitest';
import { type FakeIo, fakeIo } from '../../../tests/support/fake-io.ts';
import type { EventBody, Progress, SessionUpdate } from '../../core/events.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { createRunView, type LogLevel } from './run-view.ts';

const result = (over: Partial<ToolResult> = {}): ToolResult => ({
  success: true,
  data: 'x',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1234, data_size_bytes: 1, timestamp: 0 },
  ...over,
});
const show = (io: FakeIo, logLevel: LogLevel, ...updates: (EventBody | Progress)[]) => {
  const view = createRunView(io, { logLevel, mainArgument: () => 'path' });
  for (const update of updates) view.add({ ...update, seq: 1, at: 1 } as SessionUpdate);
  return view;
};
const call: EventBody = {
  type: 'assistant_message_added',
  message: {
    role: 'assistant',
    content: '',
    finish: 'tool_calls',
    tool_calls: [{ id: 'c', name: 'ls', arguments: { more: 1, path: 'src\u001b[2J' }, source: 'native', repairs: [] }],
  },
};
const finished: EventBody = { type: 'tool_finished', tool_call_id: 'c', result: result() };
const text: Progress = { type: 'text_delta', delta: 'hello' };

describe('what a person sees of a run', () => {
  it('is in a pipe which tool ran and how it ended, and warnings', () => {
    const io = fakeIo();
    const view = show(io, 'warn', text, call, finished, { type: 'warning', code: 'x', message: 'look out' });
    expect(view.end()).toBe(false);
    expect([io.out(), io.err()]).toEqual(['', '✓ ls src\\u{1B}[2J  1.2 s\nhalter: look out\n']);
  });

  it('is warnings alone with --quiet', () => {
    const io = fakeIo();
    const view = createRunView(io, { logLevel: 'warn', quiet: true, mainArgument: () => 'path' });
    const updates = [call, finished, { type: 'warning', code: 'x', message: 'look out' }] as const;
    for (const update of updates) view.add({ ...update, seq: 1, at: 1 } as SessionUpdate);
    expect(io.err()).toBe('halter: look out\n');
  });

  it('is nothing with --log-level error', () => {
    const io = fakeIo();
    show(io, 'error', call, finished, { type: 'warning', code: 'x', message: 'look out' });
    expect(io.err()).toBe('');
  });

  it('is a line for each call, with nothing in it that steers a terminal', () => {
    const io = fakeIo();
    const failed = result({ success: false, error_type: 'not_found', error_message: 'no such folder' });
    show(io, 'info', call, finished, call, { type: 'tool_finished', tool_call_id: 'c', result: failed });
    expect(io.err()).toBe('✓ ls src\\u{1B}[2J  1.2 s\n✗ ls src\\u{1B}[2J  no such folder\n');
  });

  it('says what a run was stopped for once, and not of the call as well', () => {
    const io = fakeIo();
    const message = 'ls needs permission.';
    const failed = result({ success: false, error_type: 'permission_denied', error_message: message });
    const stopped: EventBody = {
      type: 'run_stopped',
      reason: 'permission_required',
      name: 'PermissionRequired',
      message,
    };
    show(io, 'info', call, stopped, { type: 'tool_finished', tool_call_id: 'c', result: failed });
    expect(io.err()).toBe('✗ ls src\\u{1B}[2J  not run\n');
  });

  it('is the text as it comes on a terminal, ended with a line feed', () => {
    const io = fakeIo({ isTTY: true, env: { NO_COLOR: '1' } });
    const view = show(io, 'warn', text);
    expect(view.end()).toBe(true);
    expect(io.out()).toBe('hello\n');
  });

  it('keeps what is said beside the text on lines of its own', () => {
    const io = fakeIo({ isTTY: true, env: { NO_COLOR: '1' } });
    show(io, 'warn', text, call, finished);
    expect(io.out()).toBe('hello\n');
    expect(io.err()).toContain('✓ ls');
    expect(io.err()).not.toContain('\u001b[2m');
  });
});
