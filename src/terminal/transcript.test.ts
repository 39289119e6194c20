import { describe, expect, it } from 'vitest';
import type { EventBody, SessionUpdate } from '../core/events.ts';
import type { JsonObject } from '../core/json.ts';
import type { Tool } from '../core/tool.ts';
import { bashTool } from '../tools/bash.ts';
import { editFile } from '../tools/edit-file.ts';
import { readJob } from '../tools/read-job.ts';
import { createTheme } from './theme.ts';
import { Transcript } from './transcript.ts';

const theme = createTheme({ NO_COLOR: '1' }, 'dark', 'plain');

/** What is printed for good after these updates, without styles. */
const printed = (
  updates: readonly (EventBody | Exclude<SessionUpdate, { seq: number }>)[],
  { tools = [], width = 60, isPast = false }: { tools?: readonly Tool[]; width?: number; isPast?: boolean } = {},
): string[] => {
  const transcript = new Transcript(theme, tools);
  if (!isPast) transcript.endPast();
  for (const [index, update] of updates.entries()) {
    const isProgress = update.type === 'model_started' || update.type === 'text_delta' || update.type === 'warning';
    transcript.apply((isProgress ? update : { seq: index + 1, at: index, ...update }) as SessionUpdate, index);
  }
  const view = { width, theme, now: updates.length, frame: 0 };
  const lines: string[] = transcript.take(view);
  lines.push(...transcript.live(view, 40, lines));
  return lines.map((line) => line.replaceAll(/\x1b\[[\d;]*m/g, '')).filter((line) => line !== '');
};

const asked: EventBody = { type: 'user_message_added', content: 'tell me' };
const started = { type: 'model_started', model: 'm', iteration: 1 } as const;
const stopped: EventBody = { type: 'run_cancelled' };
const said = (content: string): EventBody => ({
  type: 'assistant_message_added',
  message: { role: 'assistant', content, tool_calls: [], finish: 'cancelled' },
});

describe('transcript', () => {
  it.each([
    {
      name: 'whose words had been seen',
      between: [{ type: 'text_delta', delta: 'Partial' } as const],
    },
    // Words that may yet become a call are not shown while they come.
    { name: 'whose words had not been seen', between: [] },
  ])('puts the end of an answer $name before the word that it was stopped', ({ between }) => {
    expect(printed([asked, started, ...between, stopped, said('Partial answer')])).toEqual([
      '❯ tell me',
      'Partial answer',
      '· Stopped.',
    ]);
  });

  it.each([
    ['was ended', { type: 'run_stopped', reason: 'error', name: 'Interrupted', message: 'halter was ended.' }],
    ['was stopped', stopped],
  ] as const)('puts the end of an earlier answer before the word that it %s', (_name, end) => {
    const lines = printed([asked, end, said('Partial answer')], { isPast: true });
    expect(lines[1]).toBe('Partial answer');
    expect(lines[2]).toMatch(/^(✗ halter was ended\.|· Stopped\.)$/);
  });

  it('says behind a limit of iterations how to allow more', () => {
    const message = 'Stopped after 10 iterations, the limit for one message. Send a message to go on.';
    const limit = { type: 'run_stopped', reason: 'limit', code: 504, name: 'ToolLoopLimitReached', message } as const;
    expect(printed([asked, started, limit]).join(' ').replaceAll(/\s+/g, ' ')).toContain(
      `${message} halter with --max-iterations N allows more.`,
    );
  });

  it('tells of a server that is tried again in one line', () => {
    const again = (message: string) => ({ type: 'warning', code: 'retrying', message }) as const;
    const failed: EventBody = { type: 'model_failed', code: 'server_error', message: 'It answered 500.' };
    const tries = [again('again (1 of 3)'), again('again (2 of 3)')];
    expect(printed([asked, started, ...tries])).toEqual(['❯ tell me', '⚠ again (2 of 3)']);
    expect(printed([asked, started, ...tries, failed])).toEqual([
      '❯ tell me',
      '⚠ again (2 of 3)',
      '✗ It answered 500.',
      '  /regenerate asks again.',
    ]);
  });

  it('says nothing of a request that the server has to read again', () => {
    const broken = { type: 'warning', code: 'prefix_broken', message: 'It differs from message 3 on.' } as const;
    expect(printed([asked, started, broken])).toEqual(['❯ tell me']);
  });

  it('says at once that a run was stopped where the model has nothing more to say', () => {
    const failed: EventBody = { type: 'model_failed', code: 'cancelled', message: 'The request was cancelled.' };
    expect(printed([asked, started, stopped, failed])).toEqual(['❯ tell me', '· Stopped.']);
    expect(printed([asked, started, said('first'), stopped])).toEqual(['❯ tell me', 'first', '· Stopped.']);
  });
});

describe('a call in the transcript', () => {
  const called = (name: string, args: JsonObject): EventBody => ({
    type: 'assistant_message_added',
    message: {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'a', name, arguments: args, source: 'native', repairs: [] }],
      finish: 'tool_calls',
    },
  });
  const metadata = { execution_time_ms: 1_200, data_size_bytes: 2_000, timestamp: 1 };
  const failed = (error_message: string, data: string | null = null): EventBody => ({
    type: 'tool_finished',
    tool_call_id: 'a',
    result: { success: false, data, error_message, error_type: 'io_error', metadata },
  });

  it.each([
    {
      name: 'failed where it ran',
      events: [{ type: 'tool_started', tool_call_id: 'a' }],
      line: '✗ ls .  io error · 0 ms',
    },
    {
      name: 'was not run where it was never begun',
      error_type: 'validation_failed',
      events: [],
      line: '✗ ls .  not run · validation failed',
    },
    {
      name: 'was not run, and did not fail, where the run ended before',
      reason: 'cancelled',
      events: [],
      line: '○ ls .  not run',
    },
  ] as const)('says of a call that it $name', ({ events, line, ...of }) => {
    const metadata = {
      execution_time_ms: 0,
      data_size_bytes: 0,
      timestamp: 0,
      ...('reason' in of ? { reason: of.reason } : {}),
    };
    const error_type = ('error_type' in of && of.error_type) || 'io_error';
    const result = { success: false, data: null, error_type, error_message: 'why', metadata } as const;
    const ended: EventBody = { type: 'tool_finished', tool_call_id: 'a', result };
    expect(printed([asked, called('ls', { path: '.' }), ...events, ended])[1]).toBe(line);
  });

  it('shows the end of what a failed command printed', () => {
    const output = Array.from({ length: 30 }, (_, index) => `line ${index}`).join('\n');
    const lines = printed([asked, called('bash', { command: 'npm test' }), failed('It failed.', output)], {
      tools: [bashTool],
    });
    expect(lines).toContain('  … 22 more lines, Ctrl+O opens them');
    expect(lines.at(-1)).toContain('line 29');
    expect(lines.some((line) => line.includes('line 3'))).toBe(false);
  });

  it('shows few long lines of a command whole, and of one very long line the beginning', () => {
    const result = (data: string): EventBody => ({
      type: 'tool_finished',
      tool_call_id: 'a',
      result: { success: true, data, error_message: null, error_type: 'none', metadata },
    });
    const shown = (data: string) =>
      printed([asked, called('bash', { command: 'serve' }), result(data)], { tools: [bashTool] }).join('\n');
    const reason = `${'It runs in a sandbox of its own. '.repeat(5)}--allow-network`;
    expect(shown(reason)).toContain('--allow-network');
    expect(shown('word '.repeat(500))).toMatch(/more lines, Ctrl\+O opens them$/);
  });

  it('says once what several changes of a file were taken back', () => {
    const undone = (change_seq: number, path: string): EventBody => ({
      type: 'change_undone',
      change_seq,
      path,
      how: 'restored',
    });
    const lines = printed([undone(3, 'a.ts'), undone(2, 'a.ts'), undone(1, 'b.ts')], {});
    expect(lines.filter((line) => line.includes('was taken back'))).toHaveLength(2);
  });

  it('names the file of a change that failed, however narrow the screen', () => {
    const path = 'src/a-long-name.ts';
    const update = [asked, called('edit_file', { path, old_text: 'a', new_text: 'b' }), failed('No.')];
    expect(printed(update, { tools: [editFile], width: 40 })[1]).toContain(path);
  });

  it('is known by its main argument alone', () => {
    const lines = printed([asked, called('read_job', { wait_ms: 1000 }), failed('No.')], { tools: [readJob] });
    expect(lines[1]).not.toContain('1000');
  });

  it('says nothing of the time of one that halter was ended in', () => {
    const cut: EventBody = {
      type: 'tool_finished',
      tool_call_id: 'a',
      result: {
        success: false,
        data: null,
        error_message: 'halter was ended.',
        error_type: 'io_error',
        metadata: { execution_time_ms: 0, data_size_bytes: 0, timestamp: 1, reason: 'interrupted' },
      },
    };
    expect(printed([asked, called('bash', { command: 'a' }), cut], { tools: [bashTool] })[1]).not.toContain('0 ms');
  });
});
