import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { verifies } from '../../tests/requirements.ts';
import type { Effect } from './effects.ts';
import type { Event, EventBody } from './events.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { AssistantMessage, ToolCall } from './message.ts';
import { openWork } from './open-work.ts';
import { activePath } from './session-tree.ts';
import { accepts, initialState, type State } from './state.ts';
import { fold, step, stepBranch } from './step.ts';
import type { ToolResult } from './tool-result.ts';

const call = (id: string): ToolCall => ({ id, name: 'read_file', arguments: {}, source: 'native', repairs: [] });
const says = (calls: ToolCall[]): AssistantMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: calls,
  finish: calls.length > 0 ? 'tool_calls' : 'stop',
});
const result: ToolResult = {
  success: true,
  data: 'data',
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 1, data_size_bytes: 4, timestamp: 1 },
};

/** Keeps a log and what the core wanted and did not get yet, by hand. */
const world = () => {
  let state: State = initialState(DEFAULT_LIMITS);
  const log: Event[] = [];
  let open: Effect[] = [];
  return {
    log,
    open: () => open,
    state: () => state,
    take: (at: number) => open.splice(at, 1)[0],
    add(body: EventBody): void {
      if (!accepts(state, body)) return;
      const event: Event = { seq: log.length + 1, at: 0, ...body };
      log.push(event);
      const next = event.type === 'branch_selected' ? stepBranch(DEFAULT_LIMITS, activePath(log)) : step(state, event);
      state = next.state;
      const isEnd = ['run_stopped', 'run_cancelled'].includes(event.type);
      const left = isEnd ? open.filter(({ type }) => type === 'finish_call' || type === 'call_model') : open;
      open = event.type === 'branch_selected' ? [...next.effects] : [...left, ...next.effects];
      open = open.filter(({ type }) => !['abort_work', 'iteration_limit_reached', 'remember_grant'].includes(type));
    },
  };
};

const evaluated = (id: string, verdict: 'allow' | 'ask' | 'deny', exclusive: boolean): EventBody => ({
  type: 'policy_evaluated',
  tool_call_id: id,
  verdict,
  risk: 'medium',
  exclusive,
  arguments: {},
  because: 'a test',
});

type Choice = { at: number; kind: number };

/** What comes next of the open things, the way the runtime would; a question stays open until it is answered. */
const comesNext = (w: ReturnType<typeof world>, { at, kind }: Choice, nextId: () => string): EventBody | undefined => {
  const running = w.state().entries.filter(({ status }) => status === 'running');
  const asked = w.state().entries.find(({ awaited }) => awaited === 'permission');
  if (kind === 7) return { type: 'run_cancelled' };
  if (kind === 6 && asked && w.log.at(-1)?.type === 'permission_requested') {
    return {
      type: 'permission_resolved',
      tool_call_id: asked.call.id,
      decision: (['allow_once', 'session', 'deny'] as const)[at % 3] ?? 'deny',
      rule: { tool: 'read_file' },
    };
  }
  const ended = running[at % running.length];
  if (ended && kind % 2 === 1) {
    return {
      type: 'tool_finished',
      tool_call_id: ended.call.id,
      result,
    };
  }
  if (w.open().length === 0) {
    return w.state().phase === 'idle' ? { type: 'user_message_added', content: 'more' } : undefined;
  }
  const effect = w.take(at % w.open().length) as Effect;
  switch (effect.type) {
    case 'call_model': {
      const calls = Array.from({ length: kind % 3 }, () => call(nextId()));
      return { type: 'assistant_message_added', message: says(calls) };
    }
    case 'evaluate_policy':
      return evaluated(effect.call.id, (['allow', 'ask', 'deny'] as const)[kind % 3] ?? 'ask', at % 2 === 0);
    case 'show_permission_prompt':
      return {
        type: 'permission_requested',
        tool_call_id: effect.call.id,
        risk: 'medium',
        rule: { tool: 'read_file' },
      };
    case 'execute_tool':
      return { type: 'tool_started', tool_call_id: effect.call.id };
    case 'finish_call':
      return { type: 'tool_finished', tool_call_id: effect.call.id, result };
    case 'iteration_complete':
      return { type: 'iteration_completed', iteration: effect.iteration };
    case 'run_completed':
      return { type: 'run_completed', sources: [] };
    case 'stop_run':
      return { type: 'run_stopped', reason: effect.reason, name: effect.name, message: effect.message };
    default:
      return undefined;
  }
};

const text = (effects: readonly Effect[]): string[] =>
  effects.map((effect) => ('call' in effect ? `${effect.type} ${effect.call.id}` : effect.type)).sort();

describe('what a log that broke off still wants done', () => {
  test('is what was wanted and not answered, wherever it broke off', () => {
    verifies('B12');
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.nat(9), kind: fc.nat(8) }), { maxLength: 80 }), (choices) => {
        const w = world();
        let id = 0;
        const nextId = (): string => {
          id += 1;
          return `c${id}`;
        };
        for (const choice of choices) {
          const body = comesNext(w, choice, nextId);
          if (body) w.add(body);
          const found = openWork(DEFAULT_LIMITS, w.log);
          expect(text(found.effects)).toEqual(text(w.open()));
          const { entries } = fold(DEFAULT_LIMITS, w.log);
          expect(found.running).toEqual(entries.filter(({ status }) => status === 'running'));
        }
      }),
    );
  });

  test('is the question to the model where the person wanted another answer', () => {
    const w = world();
    w.add({ type: 'user_message_added', content: 'hello' });
    w.take(0);
    w.add({ type: 'assistant_message_added', message: says([]) });
    w.add({ type: 'run_completed', sources: [] });
    expect(openWork(DEFAULT_LIMITS, w.log).effects).toEqual([]);
    w.add({ type: 'branch_selected', at_seq: 1, model: 'm', run: true });
    expect(text(openWork(DEFAULT_LIMITS, w.log).effects)).toEqual(['call_model']);
  });
});
