import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import { rounds, timeLimit } from '../../tests/support/long.ts';
import type { Effect } from './effects.ts';
import type { Event, EventBody } from './events.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { AssistantMessage, ToolCall } from './message.ts';
import { createProjection } from './model-projection.ts';
import { callHistory } from './project.ts';
import { activePath, pathAt } from './session-tree.ts';
import { accepts, initialState, type State } from './state.ts';
import { asksModel, fold, step, stepBranch } from './step.ts';
import type { ToolResult } from './tool-result.ts';

const call = (id: string, name = 'read_file'): ToolCall => ({ id, name, arguments: {}, source: 'native', repairs: [] });
const assistant = (calls: ToolCall[], content = ''): AssistantMessage => ({
  role: 'assistant',
  content,
  tool_calls: calls,
  finish: calls.length > 0 ? 'tool_calls' : 'stop',
});
const result = (success = true, data = 'data'): ToolResult => ({
  success,
  data: success ? data : null,
  error_message: success ? null : 'no',
  error_type: success ? 'none' : 'io_error',
  metadata: { execution_time_ms: 1, data_size_bytes: 4, timestamp: 1 },
});

const counter = (): (() => string) => {
  let n = 0;
  return () => {
    n += 1;
    return `c${n}`;
  };
};

/** Plays a world around the core: keeps the log, the effects that are open, and what was executed. */
const world = (limits: Limits = DEFAULT_LIMITS) => {
  let state: State = initialState(limits);
  const log: Event[] = [];
  let open: Effect[] = [];
  const executed: string[] = [];
  const requests: number[] = [];
  const add = (body: EventBody): boolean => {
    if (!accepts(state, body)) return false;
    const event: Event = { seq: log.length + 1, at: 0, ...body };
    log.push(event);
    const next = event.type === 'branch_selected' ? stepBranch(limits, activePath(log)) : step(state, event);
    state = next.state;
    // As the session does: what was wanted on another branch is nobody's business any more.
    open = event.type === 'branch_selected' ? [...next.effects] : [...open, ...next.effects];
    for (const effect of next.effects) if (effect.type === 'call_model') requests.push(effect.iteration);
    if (event.type === 'tool_started') executed.push(event.tool_call_id);
    return true;
  };
  const take = (index: number): Effect | undefined => open.splice(index, 1)[0];
  return { add, take, executed, requests, log, open: () => open, state: () => state };
};
type World = ReturnType<typeof world>;

const evaluated = (id: string, verdict: 'allow' | 'ask' | 'deny', exclusive = false): EventBody => ({
  type: 'policy_evaluated',
  tool_call_id: id,
  verdict,
  risk: 'medium',
  exclusive,
  arguments: {},
  because: 'a test',
});

/** Carries out whatever the core wants, in order, with these answers, until nothing is wanted. */
const settle = (
  w: World,
  answers: { verdict?: 'allow' | 'ask' | 'deny'; exclusive?: boolean; model(): AssistantMessage },
): void => {
  for (let effect = w.take(0); effect !== undefined; effect = w.take(0)) {
    if (effect.type === 'call_model') w.add({ type: 'assistant_message_added', message: answers.model() });
    else if (effect.type === 'evaluate_policy') {
      w.add(evaluated(effect.call.id, answers.verdict ?? 'allow', answers.exclusive));
    } else if (effect.type === 'show_permission_prompt') {
      w.add({ type: 'permission_resolved', tool_call_id: effect.call.id, decision: 'allow_once' });
    } else if (effect.type === 'execute_tool') {
      w.add({ type: 'tool_started', tool_call_id: effect.call.id });
      w.add({ type: 'tool_finished', tool_call_id: effect.call.id, result: result(true, effect.call.id) });
    } else if (effect.type === 'finish_call')
      w.add({ type: 'tool_finished', tool_call_id: effect.call.id, result: result(false) });
    else if (effect.type === 'iteration_complete') w.add({ type: 'iteration_completed', iteration: effect.iteration });
    else if (effect.type === 'run_completed') w.add({ type: 'run_completed', sources: [] });
    else if (effect.type === 'stop_run') w.add({ ...effect, type: 'run_stopped' });
  }
};

describe('the loop', () => {
  test('streams the next answer by itself once the results are in', () => {
    verifies('Z11', 'Z12');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    const answers = [assistant([call('a'), call('b')]), assistant([], 'done')];
    settle(w, { model: () => answers.shift() ?? assistant([]) });
    expect(w.requests).toEqual([1, 2]);
    expect(w.state().phase).toBe('idle');
    expect(w.log.at(-1)?.type).toBe('run_completed');
  });

  test('counts what gave something in the order of the calls, in whatever order they end', () => {
    verifies('E9');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.add({ type: 'assistant_message_added', message: assistant([call('a', 'ls'), call('b'), call('c', 'bash')]) });
    for (const id of ['a', 'b', 'c']) w.add(evaluated(id, 'allow'));
    for (const id of ['a', 'b', 'c']) w.add({ type: 'tool_started', tool_call_id: id });
    const ended = (id: string, of: ToolResult): boolean =>
      w.add({ type: 'tool_finished', tool_call_id: id, result: of });
    ended('c', { ...result(false), data: '(no output)', metadata: { ...result().metadata, no_output: true } });
    ended('b', result());
    ended('a', result());
    expect(w.state().toolsUsed).toEqual(['ls', 'read_file']);
    expect(callHistory(w.log).map((one) => one.call.id)).toEqual(['a', 'b', 'c']);
  });

  test('says of the call that nobody could answer why it was not run, and of the others that the run ended', () => {
    verifies('H12');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.add({ type: 'assistant_message_added', message: assistant([call('a'), call('b')]) });
    for (const id of ['a', 'b']) w.add(evaluated(id, 'ask', true));
    w.open().splice(0);
    w.add({ type: 'permission_requested', tool_call_id: 'a', risk: 'high', rule: { tool: 'read_file' } });
    w.add({
      type: 'run_stopped',
      reason: 'permission_required',
      name: 'PermissionRequired',
      message: 'It needs a yes.',
    });
    expect(w.open().filter(({ type }) => type === 'finish_call')).toMatchObject([
      { call: { id: 'a' }, error_type: 'permission_denied', reason: 'permission_required', message: 'It needs a yes.' },
      { call: { id: 'b' }, error_type: 'io_error', reason: 'cancelled' },
    ]);
  });

  test('runs the calls of the 10th iteration and sends no 11th request', () => {
    verifies('Z14', 'K7', 'E8');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    const nextId = counter();
    settle(w, { model: () => assistant([call(nextId())]) });
    expect(w.requests).toHaveLength(10);
    expect(w.executed).toHaveLength(10);
    expect(w.log.at(-1)).toMatchObject({
      type: 'run_stopped',
      reason: 'limit',
      code: 504,
      name: 'ToolLoopLimitReached',
    });
    w.add({ type: 'user_message_added', content: 'go on' });
    settle(w, { model: () => assistant([], 'ok') });
    expect(w.log.at(-1)?.type).toBe('run_completed');
  });

  test('asks once more at a limit where nobody is there, and runs nothing then', () => {
    verifies('Z14', 'K7');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi', unattended: true });
    const nextId = counter();
    settle(w, { model: () => assistant([call(nextId())]) });
    expect(w.requests).toHaveLength(11);
    expect(w.executed).toHaveLength(10);
    expect(w.log.at(-1)).toMatchObject({ type: 'run_stopped', reason: 'limit', code: 504 });
    // It holds for that message alone.
    w.add({ type: 'user_message_added', content: 'go on' });
    settle(w, { model: () => assistant([call(nextId())]) });
    expect(w.requests).toHaveLength(21);
  });

  test('stops with the limit when the last answer fails as well', () => {
    const w = world({ ...DEFAULT_LIMITS, iterations: 1 });
    w.add({ type: 'user_message_added', content: 'hi', unattended: true });
    w.take(0);
    w.add({ type: 'assistant_message_added', message: assistant([call('a')]) });
    w.add(evaluated('a', 'deny'));
    w.add({ type: 'tool_finished', tool_call_id: 'a', result: result(false) });
    w.add({ type: 'iteration_completed', iteration: 1 });
    w.add({ type: 'model_failed', code: 'unreachable', message: 'gone' });
    expect(w.open().at(-1)).toMatchObject({ type: 'stop_run', reason: 'limit', code: 504 });
  });

  test('refuses calls past 15 in one message and runs the first 15', () => {
    verifies('Z14');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    const answers = [assistant(Array.from({ length: 17 }, (_, i) => call(`c${i}`))), assistant([], 'done')];
    settle(w, { model: () => answers.shift() as AssistantMessage });
    expect(w.executed).toHaveLength(15);
    const results = w.log.filter((event) => event.type === 'tool_finished');
    expect(results).toHaveLength(17);
  });

  test('gives up after two corrections with 503', () => {
    verifies('K4', 'K7', 'E8');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    const nextId = counter();
    for (let effect = w.take(0); effect !== undefined; effect = w.take(0)) {
      if (effect.type === 'call_model')
        w.add({ type: 'assistant_message_added', message: assistant([call(nextId())]) });
      else if (effect.type === 'evaluate_policy') {
        w.add({ type: 'arguments_rejected', tool_call_id: effect.call.id, result: result(false) });
      } else if (effect.type === 'iteration_complete')
        w.add({ type: 'iteration_completed', iteration: effect.iteration });
      else if (effect.type === 'stop_run') w.add({ ...effect, type: 'run_stopped' });
    }
    expect(w.requests).toEqual([1, 2, 3]);
    expect(w.log.at(-1)).toMatchObject({ type: 'run_stopped', code: 503, name: 'ToolRetriesExhausted' });
  });

  test('a call that writes waits for everything before it and holds up everything after it', () => {
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.take(0);
    w.add({ type: 'assistant_message_added', message: assistant([call('r1'), call('r2'), call('w'), call('r3')]) });
    for (const [id, exclusive] of [
      ['r1', false],
      ['r2', false],
      ['w', true],
      ['r3', false],
    ] as const) {
      w.take(0);
      w.add(evaluated(id, 'allow', exclusive));
    }
    const running = (): string[] =>
      w.open().flatMap((effect) => (effect.type === 'execute_tool' ? [effect.call.id] : []));
    expect(running()).toEqual(['r1', 'r2']);
    for (const id of ['r2', 'r1']) {
      w.add({ type: 'tool_started', tool_call_id: id });
      w.add({ type: 'tool_finished', tool_call_id: id, result: result() });
    }
    expect(running()).toEqual(['r1', 'r2', 'w']);
    w.add({ type: 'tool_started', tool_call_id: 'w' });
    w.add({ type: 'tool_finished', tool_call_id: 'w', result: result() });
    expect(running()).toEqual(['r1', 'r2', 'w', 'r3']);
  });

  test('a yes for the session has the waiting calls checked again', () => {
    verifies('Z8');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.take(0);
    w.add({ type: 'assistant_message_added', message: assistant([call('a'), call('b')]) });
    w.add(evaluated('a', 'ask'));
    w.add(evaluated('b', 'ask'));
    expect(w.open().at(-1)).toMatchObject({ type: 'show_permission_prompt', call: { id: 'a' } });
    w.add({ type: 'permission_resolved', tool_call_id: 'a', decision: 'session', rule: { tool: 'read_file' } });
    expect(w.open().at(-1)).toMatchObject({ type: 'evaluate_policy', call: { id: 'b' } });
    expect(w.state().grants).toEqual([{ tool: 'read_file' }]);
  });

  test('another mode has the waiting calls checked again, and leaves the one that is asked about', () => {
    verifies('Z8');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.take(0);
    w.add({ type: 'assistant_message_added', message: assistant([call('a'), call('b'), call('c')]) });
    for (const id of ['a', 'b', 'c']) w.add(evaluated(id, 'ask', true));
    expect(w.open().at(-1)).toMatchObject({ type: 'show_permission_prompt', call: { id: 'a' } });
    w.add({ type: 'mode_changed', mode: 'edit' });
    expect(w.open().at(-1)).toMatchObject({ type: 'evaluate_policy', call: { id: 'b' } });
    w.add({ type: 'permission_resolved', tool_call_id: 'a', decision: 'allow_once' });
    for (const id of ['b', 'c']) w.add(evaluated(id, 'allow', true));
    expect(w.open().at(-1)).toMatchObject({ type: 'execute_tool', call: { id: 'a' } });
    expect(w.open().filter(({ type }) => type === 'show_permission_prompt')).toHaveLength(1);
  });

  test('a denial goes back to the model and the run goes on', () => {
    verifies('Z8');
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    const answers = [assistant([call('a')]), assistant([], 'then not')];
    settle(w, { verdict: 'deny', model: () => answers.shift() as AssistantMessage });
    expect(w.executed).toEqual([]);
    expect(w.log.at(-1)?.type).toBe('run_completed');
  });
});

/** Random worlds: effects answered in any order, late and doubled answers, cancels and stops anywhere. */
const randomRun = (choices: readonly number[], limits: Limits): World => {
  const w = world(limits);
  const nextId = counter();
  const some = <T>(list: readonly T[], n: number): T => list[n % list.length] as T;
  const [first = 0] = choices;
  w.add({ type: 'user_message_added', content: 'go', ...(first % 2 ? { unattended: true } : {}) });
  for (const choice of choices) {
    const open = w.open();
    const kind = choice % 16;
    const known = w.state().entries;
    if (kind === 0) w.add({ type: 'run_cancelled' });
    else if (kind === 1)
      w.add({ type: 'user_message_added', content: 'more', ...(choice & 32 ? { unattended: true } : {}) });
    else if (kind === 5 && w.state().phase === 'idle') branchAnywhere(w, 1 + ((choice >> 4) % w.log.length), limits);
    else if (kind === 2 && known.length > 0) {
      // An answer that nobody waits for any more, or not yet.
      const id = some(known, choice >> 4).call.id;
      w.add(
        some<EventBody>(
          [
            { type: 'tool_finished', tool_call_id: id, result: result() },
            { type: 'tool_started', tool_call_id: id },
            {
              type: 'permission_resolved',
              tool_call_id: id,
              decision: some(['allow_once', 'session', 'remember', 'deny'], choice >> 6),
              rule: { tool: 'read_file' },
            },
            evaluated(id, 'allow'),
          ],
          choice >> 5,
        ),
      );
    } else if (open.length > 0) {
      const effect = w.take((choice >> 4) % open.length) as Effect;
      if (effect.type === 'call_model') {
        const count = (choice >> 8) % 5;
        const message = assistant(Array.from({ length: count }, () => call(nextId())));
        w.add(
          kind === 3
            ? { type: 'model_failed', code: 'unreachable', message: 'x' }
            : { type: 'assistant_message_added', message },
        );
      } else if (effect.type === 'evaluate_policy') {
        const id = effect.call.id;
        if (kind === 4) w.add({ type: 'arguments_rejected', tool_call_id: id, result: result(false) });
        else w.add(evaluated(id, some(['allow', 'ask', 'deny', 'allow'] as const, choice >> 8), (choice & 1024) > 0));
      } else if (effect.type === 'show_permission_prompt') {
        w.add({
          type: 'permission_resolved',
          tool_call_id: effect.call.id,
          decision: some(['allow_once', 'session', 'remember', 'deny'], choice >> 8),
          rule: { tool: 'read_file' },
        });
      } else if (effect.type === 'execute_tool') {
        w.add({ type: 'tool_started', tool_call_id: effect.call.id });
        w.add({ type: 'tool_finished', tool_call_id: effect.call.id, result: result() });
      } else if (effect.type === 'finish_call')
        w.add({ type: 'tool_finished', tool_call_id: effect.call.id, result: result(false) });
      else if (effect.type === 'iteration_complete')
        w.add({ type: 'iteration_completed', iteration: effect.iteration });
      else if (effect.type === 'run_completed') w.add({ type: 'run_completed', sources: [] });
      else if (effect.type === 'stop_run') w.add({ ...effect, type: 'run_stopped' });
    }
  }
  return w;
};

/** As the command does: the model answers anew where it was asked, and a run in its middle is ended. */
const branchAnywhere = (w: World, seq: number, limits: Limits): void => {
  const anew = asksModel(limits, pathAt(w.log, seq));
  w.add({ type: 'branch_selected', at_seq: seq, model: w.state().model, ...(anew ? { run: true } : {}) });
  if (anew) return;
  if (w.open().length > 0) throw new Error('a branch starts work by itself');
  if (w.state().phase === 'idle') return;
  w.add({ type: 'run_cancelled' });
  for (const { call: left, status } of w.state().entries) {
    if (status !== 'finished') w.add({ type: 'tool_finished', tool_call_id: left.id, result: result(false) });
  }
  if (w.state().modelRunning) w.add({ type: 'model_failed', code: 'cancelled', message: 'x' });
  while (w.take(0) !== undefined);
};

const allowedBefore = (log: readonly Event[], id: string, position: number): boolean =>
  log
    .slice(0, position)
    .some(
      (event) =>
        (event.type === 'policy_evaluated' && event.tool_call_id === id && event.verdict === 'allow') ||
        (event.type === 'permission_resolved' && event.tool_call_id === id && event.decision !== 'deny'),
    );

const RUNS = rounds(3_000, 500_000);

describe('invariants over random runs', () => {
  test(
    `hold in ${RUNS.toLocaleString('en')} runs`,
    () => {
      verifies('H11', 'Z11', 'Z14');
      const limits: Limits = { ...DEFAULT_LIMITS, toolCallsPerIteration: 3, iterations: 3 };
      fc.assert(
        fc.property(fc.array(fc.nat(1 << 20), { maxLength: 60 }), (choices) => {
          const w = randomRun(choices, limits);
          expect(new Set(w.executed).size, 'executed twice').toBe(w.executed.length);
          const path = activePath(w.log);
          const position = new Map(path.map((event, index) => [event, index]));
          const finished = new Map<string, number>();
          for (const event of path) {
            if (event.type === 'tool_started' && !allowedBefore(path, event.tool_call_id, position.get(event) ?? 0)) {
              throw new Error(`${event.tool_call_id} ran without a yes`);
            }
            if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
              finished.set(event.tool_call_id, (finished.get(event.tool_call_id) ?? 0) + 1);
            }
          }
          for (const [id, count] of finished) if (count !== 1) throw new Error(`${id} has ${count} results`);
          let iterations = 0;
          let most = limits.iterations;
          for (const event of path) {
            if (event.type === 'user_message_added') {
              iterations = 0;
              most = limits.iterations + (event.unattended ? 1 : 0);
            }
            if (event.type === 'assistant_message_added') iterations += 1;
            if (iterations > most) throw new Error('past the iteration limit');
          }
          if (w.state().phase === 'idle') pairs(path);
          expect(fold(limits, w.log)).toEqual(w.state());
          expect(activePath(path), 'the path of a path').toEqual(path);
        }),
        { numRuns: RUNS },
      );
    },
    timeLimit(300_000),
  );
});

/** Every call has exactly one tool message, in the order of the calls. */
const pairs = (log: readonly Event[]): void => {
  const projection = createProjection({ system: '', results: 'full', summaryCharacters: 900 });
  for (const event of log) projection.add(event);
  const messages = projection.messages();
  messages.forEach((message, index) => {
    if (message.role !== 'assistant') return;
    const ids = messages
      .slice(index + 1, index + 1 + message.tool_calls.length)
      .map((m) => (m.role === 'tool' ? m.tool_call_id : m.role));
    const expected = message.tool_calls.map((entry) => entry.id);
    if (ids.join() !== expected.join()) throw new Error(`calls ${expected.join()} are answered by ${ids.join()}`);
  });
};

describe('a call that asks while it runs', () => {
  const running = (): World => {
    const w = world();
    w.add({ type: 'user_message_added', content: 'hi' });
    w.add({ type: 'assistant_message_added', message: assistant([call('a'), call('b')]) });
    for (const id of ['a', 'b']) w.add(evaluated(id, 'allow', true));
    w.add({ type: 'tool_started', tool_call_id: 'a' });
    w.open().splice(0);
    return w;
  };
  const asks: EventBody = { type: 'permission_requested', tool_call_id: 'a', risk: 'high', rule: { tool: 't' } };

  test.each(['allow_once', 'session', 'remember', 'deny'] as const)(
    'gets the answer %s once, goes on with it, and nothing is kept of it',
    (decision) => {
      verifies('S44', 'H11');
      const w = running();
      expect(w.add({ type: 'permission_resolved', tool_call_id: 'a', decision })).toBe(false);
      expect(w.add(asks)).toBe(true);
      expect(w.add({ type: 'permission_resolved', tool_call_id: 'a', decision, rule: { tool: 't' } })).toBe(true);
      expect(w.open()).toMatchObject([{ type: 'answer_call', call: { id: 'a' }, allowed: decision !== 'deny' }]);
      expect(w.add({ type: 'permission_resolved', tool_call_id: 'a', decision })).toBe(false);
      expect(w.state().grants).toEqual([]);
      expect(w.executed).toEqual(['a']);
      w.add({ type: 'tool_finished', tool_call_id: 'a', result: result(true) });
      expect(w.open().at(-1)).toMatchObject({ type: 'execute_tool', call: { id: 'b' } });
    },
  );

  test('ends with the run, and its question is answered by nothing any more', () => {
    verifies('S44');
    const w = running();
    w.add(asks);
    w.add({ type: 'run_cancelled' });
    expect(w.add({ type: 'permission_resolved', tool_call_id: 'a', decision: 'allow_once' })).toBe(false);
    w.add({ type: 'tool_finished', tool_call_id: 'a', result: result(false) });
    w.add({ type: 'tool_finished', tool_call_id: 'b', result: result(false) });
    expect(w.state().phase).toBe('idle');
  });
});
