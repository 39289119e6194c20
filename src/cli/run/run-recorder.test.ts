import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { StreamLine } from '../../agent/loop/call-model/stream-event.ts';
import type { EventBody, Progress, SessionUpdate } from '../../core/events.ts';
import type { ToolCall } from '../../core/message.ts';
import type { ToolResult } from '../../core/tool-result.ts';
import { createRunRecorder } from './run-recorder.ts';

const result: ToolResult = {
  success: true,
  data: 'a.txt',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: 5, timestamp: 7 },
};
const call = (id: string, over: Partial<ToolCall> = {}): ToolCall => ({
  id,
  name: 'ls',
  arguments: { path: '.' },
  source: 'native',
  repairs: [],
  ...over,
});
const says = (content: string, ...tool_calls: ToolCall[]): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls, finish: tool_calls.length > 0 ? 'tool_calls' : 'stop' },
});
const evaluated = (tool_call_id: string): EventBody => ({
  type: 'policy_evaluated',
  tool_call_id,
  verdict: 'allow',
  risk: 'safe',
  exclusive: false,
  arguments: { path: '.', reverse: false },
  because: 'ls is safe',
});

/** Plays updates, numbering the facts as a session does. */
const play = (...updates: (EventBody | Progress)[]) => {
  const recorder = createRunRecorder('s1');
  const facts = new Set(['loading', 'model_started', 'text_delta', 'usage', 'warning', 'tool_output_delta', 'prefill']);
  let seq = 0;
  const lines: StreamLine[] = updates.flatMap((update) => {
    const sent = facts.has(update.type) ? update : { ...update, seq: ++seq, at: 5 };
    return recorder.add(sent as SessionUpdate, 5);
  });
  return { recorder, lines, report: recorder.report() };
};

describe('the record of a run', () => {
  it('names what gave something in the order of the calls, in whatever order they end', () => {
    verifies('E9');
    const failed: ToolResult = { ...result, success: false, error_type: 'io_error', error_message: 'no' };
    const names = ['ls', 'read_file', 'bash', 'mcp__a__b'];
    const calls = names.map((name) => call(name, { name }));
    const ended = (id: string, of: ToolResult): EventBody => ({ type: 'tool_finished', tool_call_id: id, result: of });
    const silent = { ...failed, metadata: { ...failed.metadata, exit_code: 4, no_output: true as const } };
    for (const last of [
      { type: 'run_completed', sources: ['read_file', 'ls'] },
      { type: 'run_cancelled' },
    ] satisfies EventBody[]) {
      const { report } = play(
        says('', ...calls),
        ...names.map((id): EventBody => ({ type: 'tool_started', tool_call_id: id })).reverse(),
        ended('bash', silent),
        ended('mcp__a__b', { ...failed, data: null }),
        ended('read_file', result),
        ended('ls', result),
        last,
      );
      expect(report).toMatchObject({ tools_used: ['ls', 'read_file'], sources: ['ls', 'read_file'] });
    }
  });

  it('is the lines of stream-json and the object of json for a run with a tool call', () => {
    verifies('B11', 'K6');
    const usage = { prompt_tokens: 10, cached_tokens: 4, completion_tokens: 3, seconds: 0.5 };
    const { lines, report, recorder } = play(
      { type: 'model_started', model: 'm', iteration: 1 },
      { type: 'text_delta', delta: 'Let me look.' },
      { type: 'usage', usage },
      says('Let me look.', call('call_1')),
      evaluated('call_1'),
      { type: 'tool_started', tool_call_id: 'call_1' },
      { type: 'tool_output_delta', tool_call_id: 'call_1', delta: 'a' },
      { type: 'tool_finished', tool_call_id: 'call_1', result },
      { type: 'iteration_completed', iteration: 1 },
      { type: 'usage', usage },
      says('One file: a.txt'),
      { type: 'run_completed', sources: ['ls'] },
    );
    expect(lines).toEqual([
      { type: 'model_start', at: 5, model: 'm', iteration: 1 },
      { type: 'text_delta', at: 5, delta: 'Let me look.' },
      { type: 'usage', at: 5, ...usage },
      { type: 'tool_call', at: 5, id: 'call_1', name: 'ls', arguments: { path: '.' }, repairs: [] },
      { type: 'tool_output_delta', at: 5, id: 'call_1', delta: 'a' },
      { type: 'tool_result', at: 5, id: 'call_1', name: 'ls', result },
      { type: 'usage', at: 5, ...usage },
    ]);
    expect(report).toEqual({
      answer: 'One file: a.txt',
      tool_calls: [{ id: 'call_1', name: 'ls', arguments: { path: '.' }, repairs: [], result }],
      tools_used: ['ls'],
      usage: { prompt_tokens: 20, cached_tokens: 8, completion_tokens: 6, seconds: 1 },
      exit_reason: 'answered',
      finish_reason: 'stop',
      session_id: 's1',
      sources: ['ls'],
    });
    expect(recorder.lastLine(9)).toEqual({
      type: 'turn_end',
      at: 9,
      exit_reason: 'answered',
      session_id: 's1',
      answer: 'One file: a.txt',
      sources: ['ls'],
    });
  });

  it('puts the repairs of parsing and of checking on the line of the call, with the repaired arguments', () => {
    const parsed = { kind: 'text_call', detail: 'the call stood in the text' };
    const coerced = { kind: 'type_coercion', detail: '"3" was taken as 3' };
    const { lines } = play(says('', call('c', { arguments: { path: '3' }, repairs: [parsed] })), {
      ...evaluated('c'),
      arguments: { path: 3 },
      repairs: [coerced],
    } as EventBody);
    expect(lines).toEqual([
      { type: 'tool_call', at: 5, id: 'c', name: 'ls', arguments: { path: 3 }, repairs: [parsed, coerced] },
    ]);
  });

  it('tells a call that never got as far as the policy before its result', () => {
    const malformed = { text: '{"path":', problem: 'the object is not closed' };
    const { lines } = play(says('', call('c', { arguments: {}, malformed })), {
      type: 'arguments_rejected',
      tool_call_id: 'c',
      result,
    });
    expect(lines.map(({ type }) => type)).toEqual(['tool_call', 'tool_result']);
    expect(lines[0]).toMatchObject({ malformed });
  });

  it('hands on a permission question with what would allow it', () => {
    verifies('H12');
    const { lines, report } = play(
      says('', call('c', { name: 'bash', arguments: { command: 'git log -3' } })),
      evaluated('c'),
      {
        type: 'permission_requested',
        tool_call_id: 'c',
        risk: 'high',
        rule: { tool: 'bash', pattern: 'git log *' },
        preview: { summary: 'run git log -3' },
      },
      {
        type: 'run_stopped',
        reason: 'permission_required',
        name: 'PermissionRequired',
        message: 'bash needs permission',
      },
    );
    const request = {
      id: 'permission_3',
      tool_call_id: 'c',
      name: 'bash',
      arguments: { command: 'git log -3' },
      risk: 'high',
      preview: 'run git log -3',
      rule: 'bash(git log *)',
    };
    expect(lines.find(({ type }) => type === 'permission_request')).toEqual({
      type: 'permission_request',
      at: 5,
      ...request,
    });
    expect(report.exit_reason).toBe('permission_required');
    expect(report.permission_request).toEqual(request);
  });

  it.each([
    ['limit', 504, 'limit', 'limit'],
    ['loop', undefined, 'limit', 'loop'],
    ['retries_exhausted', 503, 'error', 'error'],
    ['model_unusable', undefined, 'error', 'model_unusable'],
    ['error', undefined, 'error', 'error'],
  ] as const)('tells the stop for %s with its code', (reason, code, type, exitReason) => {
    verifies('K7', 'Z14');
    const { lines, report } = play({
      type: 'run_stopped',
      reason,
      name: 'Name',
      message: 'why',
      ...(code === undefined ? {} : { code }),
    });
    expect(lines).toEqual([{ type, at: 5, code: code ?? null, name: 'Name', message: 'why' }]);
    expect(report.exit_reason).toBe(exitReason);
    expect(report.error).toEqual({ code: code ?? null, name: 'Name', message: 'why' });
  });

  it('adds what a model server said to do about its failure', () => {
    const { report } = play(
      { type: 'model_failed', code: 'model_not_found', message: 'no such model', hint: 'ollama pull m' },
      { type: 'run_stopped', reason: 'model_unusable', name: 'model_not_found', message: 'no such model' },
    );
    expect(report.error?.hint).toBe('ollama pull m');
  });

  it('lets the first reason from outside stand against the cancel that follows it', () => {
    const { recorder } = play();
    recorder.endAs('limit', { code: null, name: 'MaxTime', message: 'the time is up' });
    recorder.endAs('interrupted');
    recorder.add({ type: 'run_cancelled', seq: 1, at: 1 }, 1);
    expect(recorder.report()).toMatchObject({ exit_reason: 'limit', error: { name: 'MaxTime' } });
  });

  it('answers with the present turn only, in a session that goes on', () => {
    const { report } = play(says('old'), { type: 'user_message_added', content: 'again' });
    expect(report.answer).toBe('');
  });
});
