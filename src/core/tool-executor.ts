/**
 * Local Harness's `tick()` (H11): the calls of one assistant message, run by an application at its own pace. It is the
 * loop of every session (`step`) with another face, so that order, limits, grants and denials are the same.
 */
import type { Effect } from './effects.ts';
import type { Event, EventBody, PolicyVerdict, Rule } from './events.ts';
import { type ExecutorPhase, executorPhase } from './executor.ts';
import type { JsonObject } from './json.ts';
import { DEFAULT_LIMITS, type Limits } from './limits.ts';
import type { ToolCall } from './message.ts';
import { type PermissionDecision, parseDecision } from './permission-decision.ts';
import { type PolicyTool, ruleMatches, suggestedRule } from './policy.ts';
import { initialState, type State } from './state.ts';
import { step } from './step.ts';
import { failedResult, type ToolResult } from './tool-result.ts';

export type TickResult =
  | 'no_action'
  | 'show_permission_prompt'
  | 'render_requested'
  | 'iteration_complete'
  | 'iteration_limit_reached';

export type ToolExecutorOptions = {
  /** Pure and immediate: the rules decide, nothing is asked here. An unknown value denies. */
  policy(call: ToolCall): PolicyVerdict;
  /** The usual ones where absent. */
  limits?: { iterations?: number; toolCallsPerIteration?: number };
  /** Whether a call must run by itself; by default none has to. */
  exclusive?(call: ToolCall): boolean;
  /**
   * The tools by name. A yes for the session then covers what it covers in a session: for a shell its first words, for
   * an address its host, for another tool every call. Of a tool that is not named it covers the same arguments alone.
   */
  tools?: readonly PolicyTool[];
};

export type FinishedCall = { call: ToolCall; result?: ToolResult; ended_by: 'tool' | 'denied' | 'limit' };

export type ToolExecutor = {
  readonly state: ExecutorPhase;
  /** Takes the calls of one assistant message. Throws while another message's calls are still open: that is a bug. */
  start(calls: readonly ToolCall[]): void;
  /** Moves on as far as possible without waiting, and says what the app has to do. Never blocks. */
  tick(): TickResult;
  hasPendingWork(): boolean;
  /** Answers the call that `current()` names. An unknown value denies. */
  setPermissionResponse(decision: PermissionDecision): void;
  toolFinished(id: string, result: ToolResult): void;
  /** The call to ask about. */
  current(): ToolCall | undefined;
  /** The calls to run now, in their order. */
  runnable(): ToolCall[];
  /** What came of the calls, in call order. */
  results(): FinishedCall[];
  /** A new user message: iterations count from the start again. */
  reset(): void;
};

/** An executor of the calls of one message after another. It runs nothing itself: the application does. */
export const createToolExecutor = (options: ToolExecutorOptions): ToolExecutor => new TickingExecutor(options);

class TickingExecutor implements ToolExecutor {
  readonly #options: ToolExecutorOptions;
  readonly #limits: Limits;
  readonly #finished = new Map<string, FinishedCall>();
  /** Yes for the session, where no rule says what it covers: these arguments of this tool. */
  readonly #exactGrants = new Set<string>();
  #state: State;
  #wanted: Effect[] = [];
  #iterations = 0;
  #isReported = true;

  constructor(options: ToolExecutorOptions) {
    this.#options = options;
    const { iterations, toolCallsPerIteration } = { ...DEFAULT_LIMITS, ...options.limits };
    for (const [name, value] of Object.entries({ iterations, toolCallsPerIteration }))
      if (!Number.isSafeInteger(value) || value < 1)
        throw new TypeError(`The limit ${name} must be a whole number from 1 on.`);
    this.#limits = { ...DEFAULT_LIMITS, iterations, toolCallsPerIteration };
    this.#state = initialState(this.#limits);
  }

  get state(): ExecutorPhase {
    return executorPhase(this.#state.entries);
  }

  start(calls: readonly ToolCall[]): void {
    if (this.#state.entries.some((entry) => entry.status !== 'finished')) {
      throw new Error('start() while calls are still open');
    }
    this.#finished.clear();
    this.#isReported = false;
    const { grants } = this.#state;
    this.#state = { ...initialState(this.#limits), grants };
    this.#dispatch({ type: 'user_message_added', content: '' });
    this.#wanted = [];
    this.#dispatch({
      type: 'assistant_message_added',
      message: { role: 'assistant', content: '', tool_calls: [...calls], finish: 'tool_calls' },
    });
  }

  tick(): TickResult {
    for (let effect = this.#wanted.shift(); effect !== undefined; effect = this.#wanted.shift()) {
      const asked = this.#take(effect);
      if (asked !== undefined) return asked;
    }
    return 'no_action';
  }

  hasPendingWork(): boolean {
    return this.#state.entries.length > 0 && !this.#isReported;
  }

  setPermissionResponse(decision: PermissionDecision): void {
    const call = this.current();
    if (call === undefined) return;
    const parsed = parseDecision(decision);
    const known = parsed.ok ? parsed.value : 'deny';
    const isKept = known === 'session' || known === 'remember';
    if (isKept && this.#toolOf(call) === undefined) this.#exactGrants.add(exactly(call));
    const rule = isKept ? this.#ruleOf(call) : undefined;
    this.#dispatch({ type: 'permission_resolved', tool_call_id: call.id, decision: known, rule });
  }

  toolFinished(id: string, result: ToolResult): void {
    const call = this.runnable().find((running) => running.id === id);
    if (call !== undefined) this.#end(call, 'tool', result);
  }

  current(): ToolCall | undefined {
    return this.#state.entries.find((entry) => entry.awaited === 'permission')?.call;
  }

  runnable(): ToolCall[] {
    return this.#state.entries.filter((entry) => entry.status === 'running').map((entry) => entry.call);
  }

  results(): FinishedCall[] {
    return this.#state.entries.flatMap((entry) => this.#finished.get(entry.call.id) ?? []);
  }

  reset(): void {
    this.#iterations = 0;
  }

  #dispatch(body: EventBody): void {
    const event: Event = { seq: 1, at: 0, ...body };
    const { state, effects } = step(this.#state, event);
    this.#state = state;
    for (const effect of effects) {
      // Denied or past a limit: it ends at once, whatever else is going on.
      if (effect.type === 'finish_call') this.#endUnrun(effect);
      else this.#wanted.push(effect);
    }
  }

  /** What the application has to do for an effect; undefined where it is dealt with here. */
  #take(effect: Effect): TickResult | undefined {
    switch (effect.type) {
      case 'evaluate_policy':
        this.#evaluate(effect.call);
        return undefined;
      case 'show_permission_prompt':
        return 'show_permission_prompt';
      case 'execute_tool':
        this.#begin(effect.call);
        return 'render_requested';
      case 'iteration_complete':
        this.#isReported = true;
        this.#iterations += 1;
        return this.#iterations >= this.#limits.iterations ? 'iteration_limit_reached' : 'iteration_complete';
      default:
        return undefined;
    }
  }

  #evaluate(call: ToolCall): void {
    const verdict = this.#options.policy(call);
    this.#dispatch({
      type: 'policy_evaluated',
      tool_call_id: call.id,
      verdict: verdict === 'ask' && this.#isGranted(call) ? 'allow' : verdict,
      risk: 'medium',
      exclusive: this.#options.exclusive?.(call) ?? false,
      arguments: call.arguments,
      because: 'the policy of the application',
    });
  }

  /** All calls that may run together are begun together. */
  #begin(first: ToolCall): void {
    const together = [first];
    this.#wanted = this.#wanted.filter((effect) => {
      if (effect.type === 'execute_tool') together.push(effect.call);
      return effect.type !== 'execute_tool';
    });
    for (const { id } of together) this.#dispatch({ type: 'tool_started', tool_call_id: id });
  }

  #endUnrun({ call, error_type, message, reason }: Extract<Effect, { type: 'finish_call' }>): void {
    const ended_by = reason === 'tool_call_limit' ? 'limit' : 'denied';
    this.#end(call, ended_by, failedResult(message, error_type, { reason }));
  }

  #end(call: ToolCall, ended_by: FinishedCall['ended_by'], result: ToolResult): void {
    this.#finished.set(call.id, ended_by === 'tool' ? { call, ended_by, result } : { call, ended_by });
    this.#dispatch({ type: 'tool_finished', tool_call_id: call.id, result });
  }

  #toolOf(call: ToolCall): PolicyTool | undefined {
    return this.#options.tools?.find(({ name }) => name === call.name);
  }

  #ruleOf(call: ToolCall): Rule | undefined {
    const tool = this.#toolOf(call);
    return tool && suggestedRule(tool, call.arguments);
  }

  #isGranted(call: ToolCall): boolean {
    const tool = this.#toolOf(call);
    if (tool === undefined) return this.#exactGrants.has(exactly(call));
    return this.#state.grants.some((rule) => ruleMatches(rule, tool, call.arguments, 'allow'));
  }
}

const exactly = ({ name, arguments: args }: ToolCall): string => JSON.stringify([name, sorted(args)]);

/** The order in which a model writes its arguments says nothing. */
const sorted = (args: JsonObject): [string, unknown][] =>
  Object.entries(args).sort(([one], [other]) => (one < other ? -1 : 1));
