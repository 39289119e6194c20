import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EventBody, Progress, SessionUpdate } from '../../../src/core/events.ts';
import type { ToolCall } from '../../../src/core/message.ts';
import type { ToolResult } from '../../../src/core/tool-result.ts';
import { verifies } from '../../../tests/requirements.ts';
import { changedFiles } from './changed-files.ts';
import { askedCalls, reduce, withoutProgress } from './reduce.ts';
import { EMPTY_VIEW, type Item, type View } from './view.ts';

const result = (success: boolean, over: Partial<ToolResult> = {}): ToolResult => ({
  success,
  data: success ? 'a.txt' : null,
  error_message: success ? null : 'There is no such file.',
  error_type: success ? 'none' : 'not_found',
  metadata: { execution_time_ms: 3, data_size_bytes: 5, timestamp: 7 },
  ...over,
});
const call = (id: string, name = 'ls'): ToolCall => ({
  id,
  name,
  arguments: { path: '.' },
  source: 'native',
  repairs: [],
});
const says = (content: string, ...tool_calls: ToolCall[]): EventBody => ({
  type: 'assistant_message_added',
  message: {
    role: 'assistant',
    content,
    reasoning: 'Hm.',
    tool_calls,
    finish: tool_calls.length > 0 ? 'tool_calls' : 'stop',
  },
  thought_seconds: 4,
});
const evaluated = (tool_call_id: string, verdict: 'allow' | 'ask' = 'allow'): EventBody => ({
  type: 'policy_evaluated',
  tool_call_id,
  verdict,
  risk: 'medium',
  exclusive: false,
  arguments: { path: '.' },
  because: 'a rule',
});

const PROGRESS = new Set<string>([
  'model_started',
  'loading',
  'prefill',
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
  'tool_output_delta',
  'usage',
  'warning',
]);
/** Numbers the facts as a session does. */
const numbered = (bodies: readonly (EventBody | Progress)[]): SessionUpdate[] => {
  let seq = 0;
  return bodies.map((body) =>
    PROGRESS.has(body.type) ? (body as SessionUpdate) : ({ ...body, seq: ++seq, at: 1_000 + seq } as SessionUpdate),
  );
};
const play = (...bodies: (EventBody | Progress)[]): View => reduce(EMPTY_VIEW, numbered(bodies), 0);
const started: EventBody = { type: 'session_started', version: 1, session_id: 's', workspace: '/w', model: 'm' };
const asks = (content: string): EventBody => ({ type: 'user_message_added', content });
const done: EventBody = { type: 'run_completed', sources: ['ls'] };
const kinds = (view: View): string[] =>
  view.items.map((item) => (item.kind === 'call' ? `call ${item.call.state}` : item.kind));
const keys = (items: readonly Item[]): string[] => items.map(({ key }) => key);

const ROUND: readonly (EventBody | Progress)[] = [
  started,
  asks('What is here?'),
  { type: 'model_started', model: 'm', iteration: 1 },
  { type: 'prefill', processed: 10, total: 40 },
  { type: 'prefill', processed: 40, total: 40 },
  { type: 'reasoning_delta', delta: 'Hm' },
  { type: 'reasoning_delta', delta: '.' },
  { type: 'text_delta', delta: 'Let me ' },
  { type: 'text_delta', delta: 'look.' },
  { type: 'tool_call_delta', index: 0, name: 'ls', arguments_delta: '{"path":' },
  { type: 'tool_call_delta', index: 0, arguments_delta: '"."}' },
  { type: 'usage', usage: { prompt_tokens: 40, completion_tokens: 9, seconds: 1 } },
  says('Let me look.', call('c1'), call('c2', 'bash')),
  evaluated('c1'),
  evaluated('c2', 'ask'),
  { type: 'tool_started', tool_call_id: 'c1' },
  {
    type: 'permission_requested',
    tool_call_id: 'c2',
    risk: 'high',
    rule: { tool: 'bash', pattern: 'ls' },
    only_reads: true,
    in_sandbox: true,
  },
  { type: 'tool_output_delta', tool_call_id: 'c1', delta: 'a.' },
  { type: 'tool_finished', tool_call_id: 'c1', result: result(true) },
  { type: 'permission_resolved', tool_call_id: 'c2', decision: 'deny', reason: 'not now' },
  { type: 'tool_finished', tool_call_id: 'c2', result: result(false, { error_type: 'permission_denied' }) },
  { type: 'iteration_completed', iteration: 1 },
  { type: 'text_delta', delta: 'One file.' },
  { type: 'task_changed', task: { id: 'task_1', content: 'look', status: 'completed' } },
  says('One file.'),
  done,
];

describe('the view of a session', () => {
  it.each([
    [{ sources: ['ls'] }, ['ls']],
    [{ sources: ['ls', 'read_file'], shown_sources: ['read_file'] }, ['read_file']],
  ])('names under an answer what its end says: %j', (end, sources) => {
    const view = play(started, asks('hi'), { type: 'run_completed', ...end });
    expect(view.items.at(-1)).toMatchObject({ kind: 'end', used: end.sources, sources });
  });

  it('keeps the order of the log and shows calls and text apart', () => {
    verifies('L7');
    const view = play(...ROUND);
    expect(kinds(view)).toEqual(['user', 'reasoning', 'text', 'call done', 'call denied', 'reasoning', 'text', 'end']);
    expect(view.running).toBe(false);
    expect(view.activity).toEqual({ type: 'idle' });
  });

  it('shows what is being written in the place where the whole will stand', () => {
    const updates = numbered(ROUND);
    const writing = reduce(EMPTY_VIEW, updates.slice(0, 11), 0);
    expect(kinds(writing)).toEqual(['user', 'reasoning', 'text', 'draft']);
    const written = reduce(writing, updates.slice(11, 13), 0);
    expect(keys(written.items).slice(0, 4)).toEqual(keys(writing.items));
  });

  it('says how long the model thought, by what the server told, whenever the page was loaded', () => {
    verifies('L8');
    const [told, thought] = [{ type: 'model_started', model: 'm', iteration: 1 }, { seconds: 7 }] as const;
    const asked = withoutProgress(reduce(EMPTY_VIEW, numbered([started, asks('What is here?')]), 0));
    const again = reduce(asked, [told, { type: 'reasoning_delta', delta: 'Hm', ...thought }], 60_000);
    expect(again.items.at(-1)).toMatchObject({ kind: 'reasoning', since: 53_000 });
    const later = reduce(again, [{ type: 'text_delta', delta: 'Let me ' }], 61_000);
    expect(later.items.at(-2)).toMatchObject({ seconds: 8 });
    // What the log says counts in the end.
    const fact = { ...says('Let me look.'), seq: 9, at: 9 } as SessionUpdate;
    expect(reduce(later, [fact], 61_000).items.at(-2)).toMatchObject({ kind: 'reasoning', seconds: 4 });
    expect(reduce(asked, [fact], 61_000).items.at(-2)).toMatchObject({ kind: 'reasoning', seconds: 4 });
  });

  it('says which call waits for the person, and what is going on', () => {
    const updates = numbered(ROUND);
    const asking = reduce(EMPTY_VIEW, updates.slice(0, 17), 0);
    expect(asking.activity).toEqual({ type: 'asking' });
    expect(askedCalls(asking).map(({ id, rule, onlyReads, inSandbox }) => [id, rule, onlyReads, inSandbox])).toEqual([
      ['c2', { tool: 'bash', pattern: 'ls' }, true, true],
    ]);
    expect(askedCalls(play(...ROUND))).toEqual([]);
  });

  it('times a prefill from its first report, for the seconds that are left', () => {
    const updates = numbered(ROUND);
    let view = reduce(EMPTY_VIEW, updates.slice(0, 4), 1_000);
    view = reduce(view, updates.slice(4, 5), 3_000);
    expect(view.activity).toEqual({ type: 'prefill', processed: 40, total: 40, since: 1_000, from: 10 });
  });

  it('shows the limit of iterations as a notice that stays', () => {
    verifies('L6');
    const message = 'Stopped after 10 iterations, the limit for one message. Send a message to go on.';
    const view = play(started, asks('go'), {
      type: 'run_stopped',
      reason: 'limit',
      code: 504,
      name: 'ToolLoopLimitReached',
      message,
    });
    expect(view.items.at(-1)).toMatchObject({ kind: 'notice', severity: 'warning', text: message, stopped: 'limit' });
  });

  it('says what one can do where the model cannot be used', () => {
    const view = play(
      started,
      asks('go'),
      { type: 'text_delta', delta: 'half an' },
      { type: 'model_failed', code: 'unreachable', message: 'No answer.', hint: 'Start the server.' },
      { type: 'run_stopped', reason: 'model_unusable', name: 'unreachable', message: 'No answer.' },
    );
    expect(kinds(view)).toEqual(['user', 'notice']);
    expect(view.items[1]).toMatchObject({ severity: 'error', text: 'No answer.', hint: 'Start the server.' });
  });

  it('keeps what was written until a cancel above the word that says so', () => {
    const view = play(
      started,
      asks('go'),
      { type: 'text_delta', delta: 'half' },
      { type: 'run_cancelled' },
      {
        type: 'assistant_message_added',
        message: { role: 'assistant', content: 'half', tool_calls: [], finish: 'cancelled' },
      },
    );
    expect(kinds(view)).toEqual(['user', 'text', 'notice']);
    expect(view.items[1]).toMatchObject({ text: 'half', cut: 'cancelled' });
    expect(view.running).toBe(false);
  });

  it('keeps tasks live', () => {
    verifies('Z18');
    const task = { id: 'task_1', content: 'look', status: 'pending' } as const;
    const first = play(started, { type: 'task_changed', task });
    expect(first.tasks).toEqual([task]);
    const second = play(
      started,
      { type: 'task_changed', task },
      { type: 'task_changed', task: { ...task, status: 'completed' } },
    );
    expect(second.tasks).toEqual([{ ...task, status: 'completed' }]);
  });

  it('shows the branch that the log goes on with, and where there are others', () => {
    const view = play(
      started,
      asks('one'),
      says('first'),
      done,
      { type: 'branch_selected', at_seq: 1, model: 'm' },
      asks('two'),
      says('second'),
      done,
    );
    expect(view.items.filter((item) => item.kind === 'user').map(({ content }) => content)).toEqual(['two']);
    expect(view.items[0]).toMatchObject({ kind: 'user', seq: 6, after: 5 });
    expect(view.branches).toMatchObject([
      { kind: 'message', at_seq: 1, alternatives: [{ seq: 2 }, { seq: 6, current: true }] },
    ]);
  });

  it('keeps what other branches changed in files in sight, and says that they did', () => {
    const wrote = (path: string): EventBody => ({
      type: 'change_recorded',
      tool_call_id: path,
      path,
      before: null,
      after: 'hash',
      kept: true,
    });
    const of = ({ changes }: View) =>
      changes.map(({ path, elsewhere, undone }) => [path, elsewhere ? 'elsewhere' : 'here', undone]);
    const first = [started, asks('one'), wrote('a'), done];
    const second: EventBody[] = [{ type: 'branch_selected', at_seq: 1, model: 'm' }, asks('two'), wrote('b'), done];
    expect(of(play(...first, ...second))).toEqual([
      ['a', 'elsewhere', false],
      ['b', 'here', false],
    ]);
    const undone: EventBody = { type: 'change_undone', change_seq: 3, path: 'a', how: 'removed' };
    expect(of(play(...first, ...second, undone, { type: 'branch_selected', at_seq: 4, model: 'm' }))).toEqual([
      ['a', 'here', true],
      ['b', 'elsewhere', false],
    ]);
  });

  it.each([
    ['restored', {}, 'undone', 'Undo: a change of a was taken back.'],
    ['removed', {}, 'undone', 'Undo: a is removed again.'],
    ['left', {}, 'new', 'Undo: a is left as it is.'],
    ['partly', { after: 'h' }, 'new', 'Undo: a part of a change of a was taken back.'],
    ['beside', { beside: 'a.before-1' }, 'new', 'Undo: a is left; what it was before stands in a.before-1.'],
  ] as const)('what came of a review as the disk has it: %s', (how, more, state, words) => {
    const made: EventBody = {
      type: 'change_recorded',
      tool_call_id: 'w',
      path: 'a',
      before: null,
      after: 'hash',
      kept: true,
    };
    const view = play(started, asks('one'), made, done, {
      type: 'change_undone',
      change_seq: 3,
      path: 'a',
      how,
      ...more,
    });
    expect(changedFiles(view.changes)).toEqual([{ path: 'a', state, elsewhere: false }]);
    expect(view.items.at(-1)).toMatchObject({ kind: 'notice', text: words });
  });

  it('ignores facts of a newer halter', () => {
    const unknown = { type: 'something_new', what: 1 } as unknown as EventBody;
    expect(kinds(play(started, asks('hello'), unknown, says('hi'), done))).toEqual([
      'user',
      'reasoning',
      'text',
      'end',
    ]);
  });
});

describe('warnings', () => {
  it('tell of several tries the last one, and leave others where they are', () => {
    verifies('L8');
    const warning = (code: string, message: string): Progress => ({ type: 'warning', code, message });
    const updates = [
      warning('retrying', 'again (1 of 3)'),
      warning('w', 'careful'),
      warning('retrying', 'again (2 of 3)'),
      warning('w', 'careful again'),
    ];
    const { warnings } = reduce(EMPTY_VIEW, updates, 0);
    expect(warnings.map(({ message }) => message)).toEqual(['careful', 'again (2 of 3)', 'careful again']);
  });
});

/** Any updates, sensible or not: calls that are not there, ends without beginnings, branches to anywhere. */
const anyUpdate = fc.oneof(
  fc.constantFrom<EventBody | Progress>(
    ...ROUND,
    { type: 'run_cancelled' },
    { type: 'run_stopped', reason: 'limit', name: 'x', message: 'limit' },
    { type: 'model_failed', code: 'timeout', message: 'late' },
    { type: 'warning', code: 'w', message: 'careful' },
    { type: 'model_changed', model: 'n' },
    { type: 'context_compacted', summary: '', kept_from_seq: 1 },
  ),
  fc.nat(20).map((at_seq): EventBody => ({ type: 'branch_selected', at_seq, model: 'm' })),
);
const anyLog = fc.array(anyUpdate, { maxLength: 40 }).map((bodies) => numbered([started, ...bodies]));

describe('how much of the window is taken', () => {
  const counted = (prompt_tokens: number): EventBody => {
    const said = says('ok');
    if (said.type !== 'assistant_message_added') throw new Error('it is an answer');
    return { ...said, message: { ...said.message, usage: { prompt_tokens, completion_tokens: 10, seconds: 1 } } };
  };
  const compacted: EventBody = {
    type: 'context_compacted',
    summary: '',
    kept_from_seq: 1,
    report: { before_tokens: 9_010, after_tokens: 2_500, turns: 3, results: 0 },
  };

  it('is the new state as soon as room was made, and counted again with the next answer', () => {
    const first = [started, asks('a'), counted(9_000), done];
    expect(play(...first).use).toEqual({ tokens: 9_010, isEstimated: false });
    expect(play(...first, compacted).use).toEqual({ tokens: 2_500, isEstimated: true });
    expect(play(...first, compacted, asks('b'), counted(2_600)).use).toEqual({ tokens: 2_610, isEstimated: false });
  });

  it('goes back with the conversation', () => {
    const view = play(started, asks('a'), counted(1_000), done, asks('b'), counted(2_000), done, {
      type: 'branch_selected',
      at_seq: 4,
      model: 'm',
    });
    expect(view.use).toEqual({ tokens: 1_010, isEstimated: false });
  });
});

describe('the view of any stream', () => {
  it('is the same however the stream is cut into pieces', () => {
    fc.assert(
      fc.property(anyLog, fc.array(fc.nat(40), { maxLength: 8 }), (updates, cuts) => {
        const places = [...new Set(cuts)].sort((a, b) => a - b);
        const pieces = [0, ...places].map((from, index) => updates.slice(from, places[index]));
        const inPieces = pieces.reduce((view, piece) => reduce(view, piece, 5), EMPTY_VIEW);
        expect(inPieces).toEqual(reduce(EMPTY_VIEW, updates, 5));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is the same when a connection brings again what is known already', () => {
    fc.assert(
      fc.property(anyLog, fc.nat(40), fc.nat(40), (updates, at, back) => {
        const seen = updates.slice(0, at);
        const again = updates.slice(Math.max(0, at - back), at).filter(({ seq }) => seq !== undefined);
        const view = [seen, again, updates.slice(at)].reduce((before, piece) => reduce(before, piece, 5), EMPTY_VIEW);
        expect(view).toEqual(reduce(EMPTY_VIEW, updates, 5));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is, once a run has ended, that of a page that is loaded later and hears the facts alone', () => {
    fc.assert(
      fc.property(anyLog, (log) => {
        const facts = log.filter(({ seq }) => seq !== undefined);
        const ends: SessionUpdate[] = (
          [{ type: 'run_cancelled' }, { type: 'model_failed', code: 'cancelled', message: '' }] as const
        ).map((body, index) => ({ ...body, seq: facts.length + index + 1, at: 1 }));
        const watched = reduce(reduce(EMPTY_VIEW, log, 5), ends, 5);
        const loaded = reduce(EMPTY_VIEW, [...facts, ...ends], 9);
        const settled = ({ warnings: _warnings, ...view }: View): unknown => ({
          ...view,
          items: view.items.map((item) =>
            item.kind === 'call' ? { ...item, call: { ...item.call, output: '' } } : item,
          ),
        });
        expect(settled(watched)).toEqual(settled(loaded));
      }),
      { numRuns: 1_000 },
    );
  });
});
