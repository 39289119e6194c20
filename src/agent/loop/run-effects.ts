/**
 * The only place where what the core decided becomes input and output. Each effect ends in the event, or events, that
 * tell the core what came of it; nothing here decides anything about the conversation.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Effect } from '../../core/effects.ts';
import { asSentence } from '../../core/error-text.ts';
import type { EventOf, Rule } from '../../core/events.ts';
import type { ToolCall } from '../../core/message.ts';
import { followMode, followStanding, type Standing } from '../../core/policy/overrides.ts';
import { needsPermission } from '../../core/policy/refusal-words.ts';
import { rulesForTool, ruleText } from '../../core/policy.ts';
import type { Jobs } from '../../core/ports.ts';
import { isSteered } from '../../core/steered.ts';
import { shownSources } from '../../core/summarize.ts';
import type { ModelContent } from '../../core/tool/model-content.ts';
import type { Preview, Tool, ToolContext } from '../../core/tool.ts';
import { unlessAborted } from '../../core/unless-aborted.ts';
import { asRequester } from '../../io/requester.ts';
import { knowledgeFor } from '../knowledge/session-knowledge.ts';
import { AGENT_LIMITS } from '../limits.ts';
import { type Judged, type JudgePorts, judgeCall, judgedBefore } from '../permissions/authorize/judge-call.ts';
import { mayReach } from '../permissions/authorize/may-reach.ts';
import { refusalFacts } from '../permissions/authorize.ts';
import { type KeepQuestion, mayKeep, whileHeld } from '../permissions/may-keep.ts';
import { isStarter } from '../permissions/starter.ts';
import type { SessionHandle } from '../session/session-handle.ts';
import type { ChangeRecorder } from '../undo/record.ts';
import type { ModelHolder } from './call-model/conversation-model.ts';
import { BEHIND_QUESTION, isBehindQuestion } from './postponed-calls.ts';
import { createTasks } from './run-tool/tasks.ts';
import { sharedContext, type ToolPorts } from './run-tool/tool-ports.ts';
import type { ToolRegistry } from './run-tool/tool-registry.ts';
import { knownResult, type LongResults, previewTool, refusedResult } from './run-tool.ts';
import type { PrepareStep } from './step-overrides.ts';
import { Steps } from './steps.ts';
import type { Offload } from './window/offload.ts';

/** What a permission question becomes: `wait` for a person, also when the run is over (`postpone`), or the program's answer. */
export type OnAsk = 'wait' | 'deny' | 'fail' | 'postpone';

export type EffectPorts = ToolPorts & {
  remember(rule: Rule): Promise<{ ok: true } | { ok: false; message: string }>;
  onAsk: OnAsk;
  modelHolder: Pick<ModelHolder, 'call' | 'change' | 'goBack' | 'freeCharacters'>;
  /** Whether the person named a model for a role, such as `plan`. */
  hasRole?(role: string): boolean;
  /** What is different in the next step. */
  prepareStep?: PrepareStep | undefined;
  /** Whether the run ends where the calls of an answer are done, without asking the model again. */
  stopsAfterStep?(): boolean | Promise<boolean>;
  /** Where results go that the window has no room for. */
  offload?: Offload;
  /** Commands of this session that go on in the background. */
  jobs?: Jobs;
  /** Notes changes of files before they are made. */
  changes?: ChangeRecorder;
};

export const createRunEffects = (ports: EffectPorts) => {
  const effects = new Effects(ports);
  return (session: SessionHandle, effect: Effect): Promise<void> => effects.run(session, effect);
};

class Effects {
  readonly #ports: EffectPorts;
  readonly #steps: Steps;
  /** The arguments that were evaluated and shown are the ones that run. */
  readonly #evaluated: Evaluated = new Map();
  readonly #waiting: AskingWhileRunning['waiting'] = new Map();
  readonly #modeOf = followMode();
  #follow: ReturnType<typeof followStanding> | undefined;

  constructor(ports: EffectPorts) {
    this.#ports = ports;
    this.#steps = new Steps(ports);
  }

  async run(session: SessionHandle, effect: Effect): Promise<void> {
    switch (effect.type) {
      case 'call_model':
        return this.#steps.begin(session, effect.iteration);
      case 'evaluate_policy':
        return this.#evaluate(session, effect.call);
      case 'show_permission_prompt':
        return ask(this.#ports, session, effect.call, await this.#known(session, effect.call));
      case 'execute_tool':
        return this.#execute(session, effect.call);
      case 'answer_call':
        this.#waiting.get(effect.call.id)?.(effect.allowed);
        return;
      case 'finish_call':
        return finishCall(this.#ports, session, effect);
      case 'remember_grant':
        return remember(this.#ports, session, effect.rule);
      case 'iteration_complete':
        return this.#endStep(session, effect.iteration);
      case 'stop_run': {
        const { reason, name, message, code } = effect;
        await session.dispatch({ type: 'run_stopped', reason, name, message, code });
        return;
      }
      case 'run_completed':
        return completeRun(session);
      case 'iteration_limit_reached':
      case 'abort_work':
        // The stop that follows says the one; the session itself carries out the other.
        return;
      default:
        return effect satisfies never;
    }
  }

  #evaluate(session: SessionHandle, call: ToolCall): Promise<void> {
    if (!this.#steps.offers(call.name)) return refuseUnoffered(this.#ports, session, call);
    return evaluate(this.#ports, session, call, this.#evaluated, this.#judging(session));
  }

  async #execute(session: SessionHandle, call: ToolCall): Promise<void> {
    const asking: AskingWhileRunning = { standing: () => this.#standingOf(session), waiting: this.#waiting };
    const known = await this.#known(session, call);
    if (known?.exclusive && this.#ports.onAsk === 'postpone' && isBehindQuestion(session))
      return finishCall(this.#ports, session, { call, ...BEHIND_QUESTION });
    return execute(this.#ports, session, call, { evaluated: this.#evaluated, known, asking });
  }

  /** All calls of an answer are done: the model is asked again, unless a tool or the program ends the run. */
  async #endStep(session: SessionHandle, iteration: number): Promise<void> {
    this.#evaluated.clear();
    const ports = this.#ports;
    if (endedByTool(ports.registry, session) || (await unlessAborted(ports.stopsAfterStep?.(), session.signal())))
      await session.dispatch(completed(session));
    else if (!session.signal().aborted) {
      await takeSteering(session);
      await session.dispatch({ type: 'iteration_completed', iteration });
    }
  }

  #standingOf(session: SessionHandle): Standing {
    this.#follow ??= followStanding(session.openedAt);
    const mode = this.#modeOf(session.log());
    return { ...this.#follow(session.path()), mode, isStarter: isStarter(session.state().model) };
  }

  #judging(session: SessionHandle): JudgePorts {
    return {
      authorize: this.#ports,
      whole: this.#ports.offload?.whole,
      standing: () => this.#standingOf(session),
    };
  }

  /** Judged here, or by the process that this one took the session over from. */
  async #known(session: SessionHandle, call: ToolCall): Promise<Judged | undefined> {
    const judged = this.#evaluated.get(call.id) ?? (await judgedBefore(this.#judging(session), session, call));
    if (judged === undefined) return undefined;
    this.#evaluated.set(call.id, judged);
    return judged;
  }
}

const finishCall = async (
  { clock }: EffectPorts,
  session: SessionHandle,
  { call, error_type, message, reason }: Omit<Extract<Effect, { type: 'finish_call' }>, 'type'>,
): Promise<void> => {
  const result = refusedResult(clock, error_type, message, reason ? { reason } : {});
  await session.dispatch({ type: 'tool_finished', tool_call_id: call.id, result });
};

const remember = async (ports: EffectPorts, session: SessionHandle, rule: Rule): Promise<void> => {
  const kept = await ports.remember(rule);
  if (kept.ok) return;
  session.progress({
    type: 'warning',
    code: 'rule_not_remembered',
    message: notRemembered(rule, kept.message),
  });
};

export const notRemembered = (rule: Rule, why: string): string =>
  `${ruleText(rule)} could not be saved, so it counts for this session only: ${why}`;

/** What was said to the run meanwhile is taken up first, and the run goes on with it. */
const completeRun = async (session: SessionHandle): Promise<void> => {
  await takeSteering(session);
  if (isSteered(session.path()))
    await session.dispatch({ type: 'iteration_completed', iteration: session.state().iteration });
  else await session.dispatch(completed(session));
};

const completed = (session: SessionHandle): EventOf<'run_completed'> => {
  const sources = [...session.state().toolsUsed];
  const shown = shownSources(sources);
  return { type: 'run_completed', sources, ...(shown.length < sources.length && { shown_sources: shown }) };
};

const takeSteering = async (session: SessionHandle): Promise<void> => {
  for (const message of session.takeSteering?.() ?? []) {
    await session.dispatch({ type: 'user_message_added', ...message, steers: true });
  }
};

/** A call of the last answer succeeded whose tool ends the run. */
const endedByTool = (registry: ToolRegistry, session: SessionHandle): boolean => {
  const path = session.path();
  const from = path.findLastIndex(({ type }) => type === 'assistant_message_added');
  const answer = path[from];
  if (answer?.type !== 'assistant_message_added') return false;
  const ending = answer.message.tool_calls.filter(({ name }) => registry.get(name)?.endsRun === true);
  if (ending.length === 0) return false;
  return path
    .slice(from)
    .some(
      (event) =>
        event.type === 'tool_finished' && event.result.success && ending.some(({ id }) => id === event.tool_call_id),
    );
};

type Evaluated = Map<string, Judged>;

const evaluate = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  evaluated: Evaluated,
  judging: JudgePorts,
): Promise<void> => {
  const judged = await judgeCall(judging, session, call);
  if (!judged.ok) {
    const message = asSentence(`Invalid arguments for ${call.name}: ${judged.error.message}`);
    const result = refusedResult(ports.clock, 'validation_failed', message);
    await session.dispatch({ type: 'arguments_rejected', tool_call_id: call.id, result });
    return;
  }
  const { answer, again } = judged.value;
  if (answer.kind === 'refused') {
    const result = refusedResult(ports.clock, answer.error_type, answer.message, refusalFacts(answer));
    const type = answer.arguments_at_fault ? 'arguments_rejected' : 'tool_finished';
    await session.dispatch({ type, tool_call_id: call.id, result });
    return;
  }
  evaluated.set(call.id, { ...answer, again });
  await session.dispatch({
    type: 'policy_evaluated',
    tool_call_id: call.id,
    verdict: answer.verdict,
    risk: answer.risk,
    exclusive: answer.exclusive,
    arguments: answer.arguments,
    because: answer.because,
    ...(answer.tool.polling ? { polling: true } : {}),
    ...(answer.untrustedContent ? { untrusted_content: true } : {}),
    ...(answer.asksEachTime ? { asks_each_time: true } : {}),
    ...(answer.dropped.length > 0 ? { dropped_arguments: answer.dropped } : {}),
    ...(answer.repairs.length > 0 ? { repairs: answer.repairs } : {}),
  });
};

const contextOf = (ports: EffectPorts, session: SessionHandle, call: ToolCall): Omit<ToolContext, 'signal'> => ({
  ...sharedContext(ports),
  ...(ports.changes
    ? {
        workspace: ports.changes.filesFor(session, call.id).workspace,
        noteChanges: ports.changes.notesFor(session, call.id),
      }
    : {}),
  async noteLayer(state) {
    await session.dispatch({ type: 'layer_changed', tool_call_id: call.id, ...state });
    return session.holds();
  },
  keptResultBytes: ports.offload && AGENT_LIMITS.keptResultBytes,
  ...resultRoom(ports, session, call),
  jobs: ports.jobs,
  ...knowledgeFor(ports, {
    of: session,
    events: () => session.path(),
    tell: (update) => session.progress(update),
    resultCharacters: () => ports.offload?.resultCharacters(),
    freeCharacters: () => ports.modelHolder.freeCharacters(session),
  }),
  tasks: createTasks(
    () => session.state().tasks,
    (task) => void session.dispatch({ type: 'task_changed', task }),
  ),
  report: (delta) => session.progress({ type: 'tool_output_delta', tool_call_id: call.id, delta }),
});

const resultRoom = (
  { offload, registry }: EffectPorts,
  session: SessionHandle,
  { name }: ToolCall,
): Pick<ToolContext, 'resultCharacters'> => {
  const tool = registry.get(name);
  return offload && tool ? { resultCharacters: () => offload.roomFor(tool, session.signal()) } : {};
};

const ask = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  known: Judged | undefined,
): Promise<void> => {
  if (known === undefined) return refuseChanged(ports, session, call, 'it was judged otherwise before');
  const preview = await previewTool(known.tool, known.arguments, contextOf(ports, session, call), session.signal());
  if (session.signal().aborted) return;
  // Where every question is denied anyway nobody is bothered, and the denial says more.
  if (preview?.known !== undefined && ports.onAsk !== 'deny') {
    const result = knownResult(ports.clock, preview.known);
    await session.dispatch({ type: 'tool_finished', tool_call_id: call.id, result });
    return;
  }
  await session.dispatch({
    type: 'permission_requested',
    tool_call_id: call.id,
    risk: known.risk,
    rule: known.rule,
    because: known.because,
    suggestions: known.suggestions,
    ...(known.origins.length > 0 ? { provenance: [...known.origins] } : {}),
    ...(known.asksEachTime ? { asks_each_time: true } : {}),
    ...(known.flagRule ? { flag_rule: known.flagRule } : {}),
    ...(known.onlyReads ? { only_reads: true } : {}),
    ...(known.tool.in_sandbox ? { in_sandbox: true } : {}),
    ...(preview ? { preview } : {}),
  });
  const words = needsPermission(call.name, known.because, known.flagRule);
  if (ports.onAsk === 'deny') {
    await session.dispatch({
      type: 'permission_resolved',
      tool_call_id: call.id,
      decision: 'deny',
      reason: words,
      unanswered: true,
    });
    return;
  }
  if (ports.onAsk === 'fail') {
    await session.dispatch({
      type: 'run_stopped',
      reason: 'permission_required',
      name: 'PermissionRequired',
      message: words,
    });
  }
};

const execute = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  { evaluated, known, asking }: { evaluated: Evaluated; known: Judged | undefined; asking: AskingWhileRunning },
): Promise<void> => {
  if (known === undefined) return refuseChanged(ports, session, call, 'it was judged otherwise before');
  const moved =
    (await noLongerAllowed(ports, known, evaluated)) ?? (await notWhatWasShown(ports, session, call, known));
  if (moved !== undefined) return refuseChanged(ports, session, call, moved);
  const signal = session.signal();
  // One that only reads is run again where the process that began it is gone.
  const isBegun = session.state().entries.some((entry) => entry.call.id === call.id && entry.status === 'running');
  const preview = isBegun ? undefined : await unaskedPreview(ports, session, call, known);
  if (signal.aborted) return;
  if (!isBegun && !(await session.dispatch({ type: 'tool_started', tool_call_id: call.id, preview }))) return;
  let shown: ModelContent | undefined;
  let isJson = false;
  const result = await asRequester({ session: session.id, call: call.id, byMode: known.byMode === true }, () =>
    ports.cache.run(known.tool, known.arguments, {
      context: {
        ...contextOf(ports, session, call),
        mayReach: mayReach(known, known.again),
        mayKeep: whileHeld(
          session,
          mayKeep(ports, asking.standing(), (question) => askWhileRunning(ports, session, call, question, asking)),
        ),
      },
      signal,
      defaultTimeoutMs: ports.limits.toolTimeoutMs,
      droppedArguments: known.dropped,
      onModelContent: (content) => {
        shown = content;
      },
      onJson: () => {
        isJson = true;
      },
      long: ports.offload && longResults(ports.offload, known.tool, call, ports.registry),
    }),
  );
  const files = ports.changes?.filesFor(session, call.id).files() ?? [];
  await session.dispatch({
    type: 'tool_finished',
    tool_call_id: call.id,
    result,
    ...(shown === undefined ? {} : { for_model: shown }),
    ...(isJson ? { is_json: true } : {}),
    ...(files.length > 0 ? { files } : {}),
  });
};

/** Who waits for the answer to what a running call asks, by its id. */
type AskingWhileRunning = { standing(): Standing; waiting: Map<string, (allowed: boolean) => void> };

/** Where nobody answers, as where nobody is there, the answer is no: the call goes on and says so. */
const askWhileRunning = async (
  { onAsk }: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  question: KeepQuestion,
  { waiting }: AskingWhileRunning,
): Promise<boolean> => {
  const signal = session.signal();
  if (onAsk !== 'wait' || signal.aborted) return false;
  let end: (() => void) | undefined;
  // Heard from before it can be seen, so that no answer comes too early.
  const answered = new Promise<boolean>((resolve) => {
    waiting.set(call.id, resolve);
    end = () => resolve(false);
    signal.addEventListener('abort', end, { once: true });
  });
  try {
    const isAsked = await session.dispatch({ type: 'permission_requested', tool_call_id: call.id, ...question });
    return isAsked && (await answered);
  } finally {
    waiting.delete(call.id);
    if (end) signal.removeEventListener('abort', end);
  }
};

/**
 * The calls of one message are judged together and run one after another, and what one of them wrote may change what the
 * next one means: a repository's settings, a link. What a command means another program may change besides. A rule that let
 * it pass is asked once more; a person is not. What a rule denies by then is denied, whoever said yes.
 */
const noLongerAllowed = async (
  { rules }: EffectPorts,
  known: Judged,
  { size }: Evaluated,
): Promise<string | undefined> => {
  const { verdict, tool } = known;
  if (verdict !== 'allow' || tool.risk === 'safe' || (size === 1 && tool.effects !== 'process')) {
    if (size === 1 && verdict === 'allow') return undefined;
    if (!rulesForTool(rules().deny, tool, 'deny').some(({ pattern }) => pattern !== undefined)) return undefined;
    const later = await known.again();
    return later.kind === 'evaluated' && later.verdict === 'deny' ? later.because : undefined;
  }
  const now = await known.again();
  if (now.kind === 'evaluated' && now.verdict === 'allow') return undefined;
  return now.kind === 'evaluated' ? now.because : now.message;
};

/** What a change does is shown also where a mode or a rule lets it pass. */
const unaskedPreview = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  known: Judged,
): Promise<Preview | undefined> => {
  const { tool, arguments: args, verdict } = known;
  if (verdict !== 'allow' || tool.effects !== 'write') return undefined;
  const preview = await previewTool(tool, args, contextOf(ports, session, call), session.signal());
  return preview?.diff === undefined ? undefined : { summary: preview.summary, diff: preview.diff };
};

/** A person may answer days later, to another process; what they said yes to is what they saw. */
const notWhatWasShown = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  known: Judged,
): Promise<string | undefined> => {
  if (!known.isRecalled) return undefined;
  const shown = session
    .path()
    .findLast((event) => event.type === 'permission_requested' && event.tool_call_id === call.id);
  if (shown?.type !== 'permission_requested' || shown.preview === undefined) return undefined;
  const now = await previewTool(known.tool, known.arguments, contextOf(ports, session, call), session.signal());
  return isDeepStrictEqual(now, shown.preview) ? undefined : 'it would do something else than was shown';
};

const refuseChanged = async (
  ports: EffectPorts,
  session: SessionHandle,
  call: ToolCall,
  why: string,
): Promise<void> => {
  const message = `Not run: what this call means has changed since it was allowed (${why}). Call it again, by itself.`;
  const result = refusedResult(ports.clock, 'permission_denied', message, { reason: 'changed_since_judged' });
  await session.dispatch({ type: 'tool_finished', tool_call_id: call.id, result });
};

const refuseUnoffered = async (ports: EffectPorts, session: SessionHandle, call: ToolCall): Promise<void> => {
  const message = `${call.name} is not on offer in this step.`;
  const result = refusedResult(ports.clock, 'validation_failed', message, { reason: 'not_offered' });
  await session.dispatch({ type: 'arguments_rejected', tool_call_id: call.id, result });
};

const longResults = (offload: Offload, tool: Tool, call: ToolCall, registry: ToolRegistry): LongResults => ({
  maxCharacters: offload.maxCharacters(tool),
  shorten: (data, signal) =>
    offload.shorten(tool, call.id, data, { signal, isReadable: registry.get('read_file') !== undefined }),
});
