/** What a person or a program may ask of a session, and when it is taken. */

import type { Command, Event, EventBody, EventOf, PermissionDecision, Rule } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Limits } from '../../core/limits.ts';
import type { AssistantMessage } from '../../core/message.ts';
import { hasMessage, wrongKey } from '../../core/message-key.ts';
import { grouped } from '../../core/number-text.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { limitsWith, OWN_SETTINGS, type OwnSettings } from '../../core/own-settings.ts';
import { parseDecision } from '../../core/permission-decision.ts';
import { isMode, MODES, type Mode } from '../../core/policy/modes.ts';
import { ruleOfAnswer } from '../../core/policy/offered-rule.ts';
import { followStanding } from '../../core/policy/overrides.ts';
import { deniedByFault, needsPermission } from '../../core/policy/refusal-words.ts';
import { ruleMatches, ruleText, type SourcedRule } from '../../core/policy.ts';
import { pathAt } from '../../core/session-tree.ts';
import { asksModel } from '../../core/step.ts';
import type { Tool } from '../../core/tool.ts';
import { checkValue } from '../../schema/index.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import { AGENT_LIMITS } from '../limits.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import type { SessionQuestions } from '../mcp/server-questions.ts';
import { typedBefore } from '../permissions/authorize/typed-before.ts';
import { boundRule, kindOfYes } from '../permissions/kept-yes.ts';
import type { ResolveChanges } from '../undo/resolve.ts';
import type { UndoCommand } from '../undo.ts';
import type { INTERRUPTED, TIME_IS_UP } from './ended.ts';
import { type MessageQueue, notSent, QUEUE_FULL, type WaitingMessage } from './message-queue.ts';
import type { SessionHandle } from './session-handle.ts';

export type CommandPorts = {
  registry: ToolRegistry;
  inside: SessionHandle;
  checkRule?: CheckRule;
  waiting: MessageQueue;
  settle(): void;
  limits: Limits;
  isIdle(): boolean;
  /** Does work while no run goes on; what is said meanwhile waits for its end. */
  betweenRuns<T>(work: () => Promise<T>): Promise<T>;
  /** Ends that work. */
  abort(): void;
  /** Resolves when everything that was dispatched until now is a fact. */
  taken(): Promise<unknown>;
  /** Goes on from the state after an event; `anew`: with an answer of the model; `instead`: with this one. */
  branch(atSeq: number, anew: boolean, instead?: AssistantMessage): Promise<void>;
  undo?(session: SessionHandle, command: UndoCommand): Promise<Outcome<unknown>>;
  resolveChanges?(session: SessionHandle, command: ResolveChanges): Promise<Outcome<void>>;
  answerServer?: SessionQuestions['answer'];
  /** Makes room in the window, where the session can. */
  compact?(session: SessionHandle, focus?: string): Promise<Reply>;
  /** Makes another model ready; resolves with its name. Where absent, a name is all that a model is. */
  changeModel?(name: string): Promise<Outcome<string, { message: string }>>;
};
export type CheckRule = (
  rule: Rule,
  /** `grants`: what was said yes to in the session; `typed`: what the program was told before that the call types into. */
  about: { tool: Tool; args: JsonObject; grants: readonly SourcedRule[]; typed: readonly string[] },
) => Promise<Outcome<void>>;
/** Without the shell's rules a pattern covers plain lines only. */
const coversByItself: CheckRule = async (rule, { tool, args }) =>
  ruleMatches(rule, tool, args, 'allow')
    ? succeed(undefined)
    : failure('validation_failed', `${ruleText(rule)} does not cover this call.`);

const askedAbout = (log: readonly Event[], callId: string): EventOf<'permission_requested'> | undefined => {
  const asked = log.findLast((event) => event.type === 'permission_requested' && event.tool_call_id === callId);
  return asked?.type === 'permission_requested' ? asked : undefined;
};

type Answer = {
  command: Extract<Command, { type: 'resolve_permission' }>;
  asked: EventOf<'permission_requested'>;
  tool: Tool | undefined;
  decision: PermissionDecision;
};
type Reply = { ok: true } | { ok: false; message: string };

const messageOf = ({
  type: _type,
  context_note,
  ...rest
}: Extract<Command, { type: 'send_message' }>): WaitingMessage => ({
  ...rest,
  ...(context_note ? { context_note: context_note.slice(0, AGENT_LIMITS.contextNoteCharacters) } : {}),
});

/** Takes the commands of one session. What is no command at present is answered with the reason. */
export class SessionCommands {
  readonly #ports: CommandPorts;
  /** Of messages that were taken here; those of an earlier life are in the log. */
  readonly #keys = new Set<string>();
  #isMakingRoom = false;

  constructor(ports: CommandPorts) {
    this.#ports = ports;
  }

  async take(command: Command): Promise<Reply> {
    switch (command.type) {
      case 'send_message':
        return this.#sendMessage(command);
      case 'steer':
        return this.#sendMessage({ ...command, type: 'send_message' }, true);
      case 'resolve_permission':
        return this.#resolvePermission(command);
      case 'leave_unanswered':
        return this.#leaveUnanswered(command);
      case 'answer_server':
        return this.#ports.answerServer?.(command) ?? refused('No server can ask anything here.');
      case 'cancel':
        return this.#cancel(command.queue ?? 'drop', { type: 'run_cancelled' });
      case 'send_queued':
        return this.#queued((waiting) => waiting.release(command.queue_id));
      case 'remove_queued':
        return this.#queued((waiting) => waiting.remove(command.queue_id));
      case 'change_model':
        return this.#changeModel(command.model);
      case 'change_mode':
        return this.#changeMode(command.mode);
      case 'change_settings':
        return this.#changeSettings(command.settings);
      case 'compact':
        return this.#compact(command.focus);
      case 'branch':
        return this.#branch(command.at_seq, command.run ?? false);
      case 'regenerate':
        return this.#regenerate();
      case 'edit_answer':
        return this.#editAnswer(command.seq, command.content);
      case 'rename':
        return this.#rename(command.title);
      case 'undo':
        return this.#undo(command);
      case 'resolve_changes':
        return this.#resolveChanges(command);
      default:
        command satisfies never;
        return refused(`There is no command ${String((command as { type?: unknown }).type)}.`);
    }
  }

  /** The run ends because halter does, or its time is over; nobody asked for that. */
  async interrupt(why: typeof INTERRUPTED | typeof TIME_IS_UP): Promise<void> {
    await this.#cancel('drop', why);
  }

  #sendMessage(command: Extract<Command, { type: 'send_message' }>, steers = false): Reply {
    const { waiting, settle, inside } = this.#ports;
    const { content, idempotency_key: key } = command;
    const wrong = wrongKey(key);
    if (wrong !== undefined) return refused(wrong);
    if (key !== undefined && (this.#keys.has(key) || hasMessage(inside.log(), key))) return TAKEN;
    if (typeof content === 'string' && content.trim() === '') return refused('The message is empty.');
    const characters = charactersOf(content);
    if (characters > AGENT_LIMITS.userMessageCharacters) {
      const [is, most] = [grouped(characters), grouped(AGENT_LIMITS.userMessageCharacters)];
      return refused(
        `The message is too large: ${is} characters, and at most ${most} are sent. Put it into a file of the folder and name that.`,
      );
    }
    if (waiting.size >= AGENT_LIMITS.queuedMessages) return QUEUE_FULL;
    if (key !== undefined) this.#keys.add(key);
    waiting.add(messageOf(command), steers);
    settle();
    return TAKEN;
  }

  /** The words say why it was asked about and what would let it pass; the model can tell whoever reads the answer. */
  async #leaveUnanswered({
    tool_call_id,
    reason: given,
  }: Extract<Command, { type: 'leave_unanswered' }>): Promise<Reply> {
    const { inside } = this.#ports;
    const entry = inside.state().entries.find((known) => known.call.id === tool_call_id);
    const asked = askedAbout(inside.log(), tool_call_id);
    if (entry?.awaited !== 'permission' || asked === undefined) return NOTHING_ASKED;
    const reason = given ?? needsPermission(entry.call.name, asked.because, asked.flag_rule);
    const denied = { type: 'permission_resolved', tool_call_id, decision: 'deny', reason, unanswered: true } as const;
    return (await inside.dispatch(denied)) ? TAKEN : NOTHING_ASKED;
  }

  async #resolvePermission(command: Extract<Command, { type: 'resolve_permission' }>): Promise<Reply> {
    const { inside, registry } = this.#ports;
    const { tool_call_id } = command;
    const entry = inside.state().entries.find((known) => known.call.id === tool_call_id);
    const asked = askedAbout(inside.log(), tool_call_id);
    if (entry?.awaited !== 'permission' || asked === undefined) return NOTHING_ASKED;
    const parsed = parseDecision(command.decision);
    if (!parsed.ok) return this.#denyUnknown(tool_call_id, parsed.error.message);
    const tool = registry.get(entry.call.name);
    const decision = kindOfYes(parsed.value, tool, asked.asks_each_time === true);
    // Where a yes to one call counts for the session, it counts for that tool and for nothing wider.
    const isWidened = decision === 'session' && parsed.value === 'allow_once';
    const kept = await this.#keptRule(isWidened ? { tool: entry.call.name } : undefined, {
      command,
      asked,
      tool,
      decision,
    });
    if (!kept.ok) return refused(kept.error.message);
    const taken = await inside.dispatch({
      type: 'permission_resolved',
      tool_call_id,
      decision,
      rule: kept.value,
      reason: command.reason ? command.reason.slice(0, AGENT_LIMITS.denialReasonCharacters) : undefined,
    });
    return taken ? TAKEN : NOTHING_ASKED;
  }

  /** What a lasting yes is stored as. Where it is not known any more what the call would do, it is stored as nothing. */
  async #keptRule(
    own: Rule | undefined,
    { command, asked, tool, decision }: Answer,
  ): Promise<Outcome<Rule | undefined>> {
    const { inside, checkRule = coversByItself } = this.#ports;
    if (decision !== 'session' && decision !== 'remember') return succeed(undefined);
    const evaluated = inside
      .log()
      .findLast((event) => event.type === 'policy_evaluated' && event.tool_call_id === asked.tool_call_id);
    if (tool === undefined || evaluated?.type !== 'policy_evaluated') return failure('validation_failed', NOT_KNOWN);
    const given = own
      ? succeed(own)
      : ruleOfAnswer(command.rule === undefined ? asked.rule : command.rule, asked, tool);
    if (!given.ok) return given;
    const bound = boundRule(given.value, tool);
    if (!bound.ok) return bound;
    const rule = bound.value;
    const { tool_call_id: id, arguments: args } = evaluated;
    const typed = typedBefore(inside.path(), tool, { id, name: tool.name, arguments: args });
    const covers = await checkRule(rule, { tool, args, grants: this.#grants(), typed });
    return covers.ok ? succeed(rule) : covers;
  }

  #grants(): readonly SourcedRule[] {
    const { inside } = this.#ports;
    return followStanding(inside.openedAt)(inside.path()).grants;
  }

  /** Only the documented answers allow, whatever program sent the command. */
  async #denyUnknown(tool_call_id: string, fault: string): Promise<Reply> {
    const reason = deniedByFault(fault);
    const denied = { type: 'permission_resolved', tool_call_id, decision: 'deny', reason, unanswered: true } as const;
    await this.#ports.inside.dispatch(denied);
    return refused(reason);
  }

  #queued(change: (waiting: MessageQueue) => boolean): Reply {
    const { waiting, settle } = this.#ports;
    if (!change(waiting)) return refused('This message waits no longer.');
    settle();
    return TAKEN;
  }

  async #cancel(queue: 'drop' | 'keep', end: EventBody): Promise<Reply> {
    const { inside, waiting, taken } = this.#ports;
    if (queue === 'keep') waiting.hold();
    const dropped = queue === 'keep' ? 0 : waiting.drop();
    waiting.tell();
    if (dropped > 0) {
      const message = notSent(dropped);
      inside.progress({ type: 'warning', code: 'queue_dropped', message });
    }
    // A message that was just taken is a fact in a moment, and the person means it as well.
    await taken();
    if (this.#isMakingRoom) this.#ports.abort();
    const { phase } = inside.state();
    if (phase !== 'idle' && phase !== 'ending') await inside.dispatch(end);
    return TAKEN;
  }

  async #compact(focus: string | undefined): Promise<Reply> {
    const { inside, compact, betweenRuns, taken, waiting } = this.#ports;
    if (compact === undefined) return refused('This session cannot be compacted.');
    // A message that was just sent begins its run in a moment.
    await taken();
    if (this.#isMakingRoom) return refused('Room is being made already.');
    if (inside.state().phase !== 'idle' || waiting.isReady) {
      return refused('A run is going on. Compact when it is done.');
    }
    const what = focus?.trim().slice(0, AGENT_LIMITS.compactionFocusCharacters) || undefined;
    this.#isMakingRoom = true;
    return betweenRuns(async () => {
      inside.progress({ type: 'compaction', state: 'started' });
      try {
        return await compact(inside, what);
      } finally {
        this.#isMakingRoom = false;
        inside.progress({ type: 'compaction', state: inside.signal().aborted ? 'cancelled' : 'finished' });
      }
    });
  }

  async #branch(atSeq: number, anew: boolean): Promise<Reply> {
    if (!this.#ports.isIdle()) return BUSY;
    const path = pathAt(this.#ports.inside.log(), atSeq);
    if (path.length === 0) return refused(`This session has no event ${atSeq}.`);
    if (anew && !asksModel(this.#ports.limits, path)) {
      return refused(
        `The model is not asked anything at event ${atSeq}; it is after a message of the person, or after the results of its calls.`,
      );
    }
    await this.#ports.branch(atSeq, anew);
    return TAKEN;
  }

  async #undo(command: UndoCommand): Promise<Reply> {
    if (this.#ports.undo === undefined) return refused('This session keeps no changes to take back.');
    if (!this.#ports.isIdle()) return BUSY;
    if (command.on_change !== undefined && command.since_seq !== undefined)
      return refused('undo takes on_change or since_seq, not both.');
    if (command.scope === 'message' && (command.on_change ?? command.since_seq) !== undefined)
      return refused('undo takes the scope "message" alone, without on_change and since_seq.');
    const undone = await this.#ports.undo(this.#ports.inside, command);
    return undone.ok ? TAKEN : refused(undone.error.message);
  }

  async #resolveChanges(command: ResolveChanges): Promise<Reply> {
    if (this.#ports.resolveChanges === undefined) return refused('This session keeps no changes to take back.');
    if (!this.#ports.isIdle()) return BUSY;
    const done = await this.#ports.resolveChanges(this.#ports.inside, command);
    return done.ok ? TAKEN : refused(done.error.message);
  }

  async #regenerate(): Promise<Reply> {
    const last = this.#ports.inside.path().findLast((event) => event.type === 'user_message_added' && !event.steers);
    return last ? this.#branch(last.seq, true) : refused('There is no message to be answered yet.');
  }

  async #editAnswer(seq: number, content: string): Promise<Reply> {
    if (!this.#ports.isIdle()) return BUSY;
    if (content.trim() === '') return refused('The answer is empty.');
    if (content.length > AGENT_LIMITS.userMessageCharacters) return refused('The answer is too long.');
    const path = this.#ports.inside.path();
    const at = path.findIndex((event) => event.seq === seq);
    const [before, answer] = [path[at - 1], path[at]];
    if (answer?.type !== 'assistant_message_added' || before === undefined)
      return refused(`There is no answer ${seq} in this conversation.`);
    if (answer.message.tool_calls.length > 0)
      return refused('This answer called tools; what they gave belongs to it, so it stays as it is.');
    const message: AssistantMessage = { role: 'assistant', content, tool_calls: [], finish: 'stop', edited: true };
    await this.#ports.branch(before.seq, false, message);
    return TAKEN;
  }

  async #changeModel(name: string): Promise<Reply> {
    const changed = this.#ports.changeModel ? await this.#ports.changeModel(name) : succeed(name);
    if (!changed.ok) return refused(changed.error.message);
    await this.#ports.inside.dispatch({ type: 'model_changed', model: changed.value });
    return TAKEN;
  }

  async #changeMode(mode: Mode): Promise<Reply> {
    // Whoever sends commands may be a program in another language.
    if (!isMode(mode)) return refused(`There is no mode ${JSON.stringify(mode)}: ${MODES.join(', ')}.`);
    await this.#ports.inside.dispatch({ type: 'mode_changed', mode });
    return TAKEN;
  }

  async #changeSettings(settings: OwnSettings): Promise<Reply> {
    // Whoever sends commands may be a program in another language.
    const [issue] = checkValue(OWN_SETTINGS, settings);
    if (issue) return refused(`The settings do not fit: ${issue.path.slice(1) || 'they'} ${issue.message}.`);
    if (!this.#ports.isIdle()) return BUSY;
    const unknown = settings.tools_off?.find((name) => this.#ports.registry.get(name) === undefined);
    if (unknown !== undefined) return refused(`There is no tool ${JSON.stringify(unknown)} that could be turned off.`);
    const { inside, limits } = this.#ports;
    await inside.dispatch({ type: 'settings_changed', settings });
    await inside.dispatch({ type: 'limits_changed', limits: limitsWith(limits, settings) });
    return TAKEN;
  }

  async #rename(title: string): Promise<Reply> {
    const name = title.replaceAll(/\s+/g, ' ').trim();
    if (name.length > STORAGE_LIMITS.sessionTitleCharacters) {
      return refused(`A name has at most ${STORAGE_LIMITS.sessionTitleCharacters} characters.`);
    }
    await this.#ports.inside.dispatch({ type: 'session_renamed', title: name });
    return TAKEN;
  }
}

const charactersOf = (content: WaitingMessage['content']): number =>
  typeof content === 'string'
    ? content.length
    : content.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), 0);

const refused = (message: string): Reply => ({ ok: false, message });
const TAKEN: Reply = { ok: true };
const NOTHING_ASKED = refused('Nothing is asked about this call now.');
const NOT_KNOWN = 'What this call would do is not known any more, so only a yes to this one call counts (allow_once).';
const BUSY = refused('A run is going on. Stop it, or wait until it is done.');
