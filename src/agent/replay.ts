/**
 * Runs a recorded session again, event by event: what came from outside (messages, the model's answers, yes and no, and
 * results unless tools are run for real) is taken from the record; what halter itself decides is decided anew and held
 * against the record. The first difference ends it. Nothing is asked of a model and nothing leaves the machine.
 */
import type { Effect } from '../core/effects.ts';
import { asSentence } from '../core/error-text.ts';
import type { Event, EventOf } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import type { ToolCall } from '../core/message.ts';
import { activePath } from '../core/session-tree.ts';
import { accepts, initialState, type State } from '../core/state.ts';
import { isSteered } from '../core/steered.ts';
import { step, stepBranch } from '../core/step.ts';
import type { Tool } from '../core/tool.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { inexactText, repairText, validateArguments } from '../core/validate-arguments.ts';
import { headOf, prefixBreak, promptPrefix } from '../core/window/prefix.ts';
import { withReferencedResults } from './loop/run-tool/referenced-results.ts';
import type { ToolRegistry } from './loop/run-tool/tool-registry.ts';
import type { SessionHead } from './loop/window/prompt-prefix.ts';
import { createPromptReplay, type PromptReplay, recordedPrefix } from './replay/prompts.ts';
import { SEARCH_SESSION, withSessionSearch } from './session/search-this-session.ts';

export type ReplayDifference = {
  /** The recorded event at which the two part. */
  seq: number;
  type: string;
  /** What differs, in words. */
  what: string;
  recorded: unknown;
  now: unknown;
};
export type ReplayReport = {
  events: number;
  /** Decisions that were computed again and compared. */
  compared: number;
  /** Calls that were run, where tools are run for real. */
  ran: number;
  difference?: ReplayDifference;
  /** What is otherwise by now and need not matter. */
  notes: string[];
};

export type ReplayPorts = {
  registry: ToolRegistry;
  limits: Limits;
  /** Runs a call for real; undefined where its result is to be the recorded one. Absent: all are. */
  run?(tool: Tool, args: ToolCall['arguments'], state: State): Promise<ToolResult | undefined>;
};

/** Stops that come from outside the loop: nobody there to ask, a crash, the time that is over, a full disk. */
const FROM_OUTSIDE: ReadonlySet<string> = new Set([
  'PermissionRequired',
  'Interrupted',
  'max_time',
  'SessionNotWritten',
]);
/** Results that end a run from outside. */
const CLOSED: ReadonlySet<string | undefined> = new Set(['interrupted', 'branched', 'defect']);

export const replaySession = async (recorded: readonly Event[], given: ReplayPorts): Promise<ReplayReport> => {
  const log: Event[] = [];
  const ports = { ...given, registry: registryFor(recorded, given.registry, () => log) };
  // The tool that finds what was left out joined later.
  const prefix = recordedPrefix(recorded, given.registry);
  const report: ReplayReport = { events: 0, compared: 0, ran: 0, notes: notesOn(recorded, prefix, ports.registry) };
  let state = initialState(ports.limits);
  let open: Effect[] = [];
  const evaluated = new Map<string, Evaluated>();
  const prompts = createPromptReplay(recorded, prefix, ports.registry);

  for (const event of recorded) {
    const wanted = open.find((effect) => answers(effect, event));
    const found = accepts(state, event)
      ? await judge({ event, wanted, state, log, evaluated, ports, report, prompts })
      : notNow(event, open);
    if (found) return { ...report, difference: { seq: event.seq, type: event.type, ...found } };
    log.push(event);
    report.events += 1;
    const next = event.type === 'branch_selected' ? stepBranch(state.limits, activePath(log)) : step(state, event);
    state = next.state;
    open =
      event.type === 'branch_selected'
        ? next.effects
        : [...open.filter((effect) => effect !== wanted), ...next.effects];
  }
  return report;
};

/** With the tool that a session has in it once something was left out, where this one had it. */
const registryFor = (recorded: readonly Event[], registry: ToolRegistry, log: () => readonly Event[]): ToolRegistry =>
  acceptedTools(recorded).has(SEARCH_SESSION) ? withSessionSearch(registry, log).registry : registry;

/** The tools of calls whose arguments were accepted. */
const acceptedTools = (recorded: readonly Event[]): Set<string> => {
  const names = new Map<string, string>();
  const accepted = new Set<string>();
  for (const event of recorded) {
    if (event.type === 'assistant_message_added')
      for (const { id, name } of event.message.tool_calls) names.set(id, name);
    else if (event.type === 'policy_evaluated') accepted.add(names.get(event.tool_call_id) ?? '');
  }
  return accepted;
};

type Evaluated = { tool: Tool; arguments: ToolCall['arguments']; made?: ToolResult };
type Found = { what: string; recorded: unknown; now: unknown };
type Judged = {
  event: Event;
  wanted: Effect | undefined;
  state: State;
  log: readonly Event[];
  evaluated: Map<string, Evaluated>;
  ports: ReplayPorts;
  report: ReplayReport;
  prompts: PromptReplay;
};

/** Which of the things that the core wants done an event is the answer to. */
const answers = (effect: Effect, event: Event): boolean => {
  const id = 'tool_call_id' in event ? event.tool_call_id : undefined;
  switch (event.type) {
    case 'assistant_message_added':
    case 'model_failed':
      return effect.type === 'call_model';
    case 'policy_evaluated':
    case 'arguments_rejected':
      return effect.type === 'evaluate_policy' && effect.call.id === id;
    case 'permission_resolved':
      return effect.type === 'show_permission_prompt' && effect.call.id === id;
    case 'tool_finished':
      return (
        (effect.type === 'execute_tool' || effect.type === 'finish_call' || effect.type === 'evaluate_policy') &&
        effect.call.id === id
      );
    case 'iteration_completed':
    case 'run_completed':
      // A run that is steered goes on, and a tool can end one.
      return effect.type === 'iteration_complete' || effect.type === 'run_completed';
    case 'run_stopped':
      return effect.type === 'stop_run';
    default:
      return false;
  }
};

const notNow = (event: Event, open: readonly Effect[]): Found => {
  const due = open.map((effect) => ('call' in effect ? `${effect.type} ${effect.call.id}` : effect.type));
  return { what: 'this could not happen now', recorded: event.type, now: due.length > 0 ? due : 'nothing is due' };
};

/** Undefined where the recorded event is what would happen now. */
const judge = async (judged: Judged): Promise<Found | undefined> => {
  const { event, wanted, state, report } = judged;
  switch (event.type) {
    case 'assistant_message_added':
      return judgePrompt(judged, event);
    case 'policy_evaluated':
    case 'arguments_rejected':
      return judgeArguments(judged, event);
    case 'tool_started':
      return runNow(judged, event.tool_call_id);
    case 'tool_finished':
      return judgeResult(judged, event);
    case 'iteration_completed':
      report.compared += 1;
      return judgeGoingOn(judged) ?? differs('the iteration', event.iteration, wanted && state.iteration);
    case 'run_completed':
      report.compared += 1;
      if (wanted?.type === 'run_completed' && isSteered(activePath(judged.log)))
        return otherEnd('it ends', 'the run goes on');
      if (wanted !== undefined && areOlderSources(event.sources, state.toolsUsed, judged.log)) return undefined;
      return differs('the sources', event.sources, wanted === undefined ? undefined : state.toolsUsed);
    case 'run_stopped': {
      // The loop itself never stops a run as an error; a defect of a part does, by whatever name.
      const isOutside = FROM_OUTSIDE.has(event.name) || event.reason === 'error';
      if (wanted?.type !== 'stop_run' && isOutside) return undefined;
      report.compared += 1;
      const { reason, name, code, message } = event;
      const now = wanted?.type === 'stop_run' ? pick(wanted) : undefined;
      return differs('why the run was stopped', { reason, name, code, message }, now);
    }
    default:
      return undefined;
  }
};

/** An answer in words ends a run, unless something was said to it. What was written by others follows no rule of ours. */
const judgeGoingOn = ({ wanted, log }: Judged): Found | undefined => {
  if (wanted?.type !== 'run_completed' || isSteered(activePath(log))) return undefined;
  const answer = log.findLast(({ type }) => type === 'assistant_message_added');
  const isOwn = answer?.type === 'assistant_message_added' && answer.prompt !== undefined;
  return isOwn ? otherEnd('it goes on', 'the run ends') : undefined;
};
const otherEnd = (recorded: string, now: string): Found => ({ what: 'whether the run ends', recorded, now });

/** Older logs also name tools whose calls all failed, in the order in which calls ended. */
const areOlderSources = (named: readonly string[], used: readonly string[], log: readonly Event[]): boolean => {
  const ran = toolsThatRan(log);
  return named.every((name) => ran.includes(name)) && used.every((name) => named.includes(name));
};
const toolsThatRan = (log: readonly Event[]): string[] => {
  const names = new Map<string, string>();
  let ran: string[] = [];
  for (const event of activePath(log)) {
    if (event.type === 'user_message_added' && event.steers === undefined) ran = [];
    else if (event.type === 'assistant_message_added')
      for (const { id, name } of event.message.tool_calls) names.set(id, name);
    else if (event.type === 'tool_started') ran.push(names.get(event.tool_call_id) ?? '');
  }
  return [...new Set(ran)];
};

/** What the model would be sent now, against what it had read. */
const judgePrompt = (
  { log, prompts, report }: Judged,
  event: EventOf<'assistant_message_added'>,
): Found | undefined => {
  if (event.prompt === undefined) return undefined;
  report.compared += 1;
  return prompts.compare(activePath(log), event.prompt);
};

const pick = ({ reason, name, code, message }: Extract<Effect, { type: 'stop_run' }>) => ({
  reason,
  name,
  code,
  message,
});

/** What becomes of the arguments. Verdicts are the record's: the rules of that day are not known. */
const judgeArguments = async (
  { state, log, evaluated, ports, report }: Judged,
  event: EventOf<'policy_evaluated'> | EventOf<'arguments_rejected'>,
): Promise<Found | undefined> => {
  const call = state.entries.find((entry) => entry.call.id === event.tool_call_id)?.call as ToolCall;
  const now = await checkArguments(ports.registry, activePath(log), call);
  // A tool of a plugin, a server or a session with documents: what it takes is not known here.
  if (now.isUnknown && event.type === 'policy_evaluated') return undefined;
  report.compared += 1;
  if (event.type === 'arguments_rejected') {
    return differs(
      `what is wrong with the arguments of ${call.name}`,
      event.result.error_message,
      now.problem ?? 'nothing is',
    );
  }
  if (now.problem !== undefined || now.tool === undefined) {
    return { what: `the arguments of ${call.name} are refused`, recorded: 'accepted', now: now.problem };
  }
  // The same call may be judged again after a yes for the session.
  evaluated.set(call.id, { tool: now.tool, arguments: event.arguments });
  return (
    differs(`the arguments of ${call.name}`, event.arguments, now.arguments) ??
    differs(`what was left out of the arguments of ${call.name}`, event.dropped_arguments ?? [], now.dropped) ??
    differs(`whether ${call.name} runs by itself`, event.exclusive, isExclusive(now.tool))
  );
};

const isExclusive = (tool: Tool): boolean => tool.effects === 'write' || tool.effects === 'process';

type Checked = {
  tool?: Tool;
  problem?: string;
  isUnknown?: true;
  arguments?: ToolCall['arguments'];
  dropped?: string[];
};

const checkArguments = async (registry: ToolRegistry, path: readonly Event[], call: ToolCall): Promise<Checked> => {
  const filled = await withReferencedResults(path, call, undefined);
  if (!filled.ok) return { problem: asSentence(`Invalid arguments for ${call.name}: ${filled.error.message}`) };
  const tool = registry.get(call.name);
  if (tool === undefined) return { problem: registry.unknownText(call.name, call.arguments), isUnknown: true };
  if (call.malformed) return { problem: repairText(tool.name, tool.parameters, [call.malformed.problem]) };
  const checked = validateArguments(tool.parameters, filled.value, 'model');
  const issues = checked.ok ? (checked.inexact ?? []).map(inexactText) : checked.issues;
  return checked.ok && issues.length === 0
    ? { tool, arguments: checked.arguments, dropped: checked.dropped }
    : { problem: repairText(tool.name, tool.parameters, issues) };
};

const judgeResult = ({ wanted, evaluated, report }: Judged, event: EventOf<'tool_finished'>): Found | undefined => {
  const { result } = event;
  if (CLOSED.has(result.metadata.reason)) return undefined;
  if (wanted?.type === 'finish_call') {
    report.compared += 1;
    const recorded = { error_type: result.error_type, message: result.error_message };
    return differs(`how ${wanted.call.name} was refused`, recorded, {
      error_type: wanted.error_type,
      message: wanted.message,
    });
  }
  const known = evaluated.get(event.tool_call_id);
  // A call of a tool that there is not: it ends before anything is evaluated.
  if (known?.made === undefined || known.tool.polling) return undefined;
  report.compared += 1;
  return differs(`the result of ${known.tool.name}`, essence(result), essence(known.made));
};

/** At the place of its start, since what it did to the tasks is told before its result. */
const runNow = async ({ state, evaluated, ports, report }: Judged, id: string): Promise<undefined> => {
  const known = evaluated.get(id);
  const made = known && (await ports.run?.(known.tool, known.arguments, state));
  if (known === undefined || made === undefined) return;
  known.made = made;
  report.ran += 1;
};

/** Times and sizes are of the day. */
const essence = ({ success, data, error_type, error_message }: ToolResult) => ({
  success,
  data,
  error_type,
  error_message,
});

const differs = (what: string, recorded: unknown, now: unknown): Found | undefined =>
  JSON.stringify(recorded) === JSON.stringify(now) ? undefined : { what, recorded, now };

const notesOn = (recorded: readonly Event[], prefix: SessionHead, registry: ToolRegistry): string[] => {
  const head = headOf(recorded);
  const broken = head && prefixBreak({ ...head, system: '' }, promptPrefix('', prefix.registry.schemas));
  const absent = [...acceptedTools(recorded)].filter((name) => registry.get(name) === undefined);
  return [
    ...(broken ? [`The model was shown other tools than it would be now: they differ from ${broken.place} on.`] : []),
    ...(absent.length > 0 ? [`Calls of ${absent.join(', ')} were not compared: there is no such tool here.`] : []),
  ];
};
