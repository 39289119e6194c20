/** What a person or a program may ask of a session, and when it is taken. */

import type { Command, EventOf, PermissionDecision, Rule } from '../../core/events.ts';
import type { JsonObject } from '../../core/json.ts';
import { LIMITS, type Limits } from '../../core/limits.ts';
import { failure, type Outcome, succeed } from '../../core/outcome.ts';
import { ruleMatches, ruleText } from '../../core/policy.ts';
import { pathAt } from '../../core/session-tree.ts';
import { asksModel } from '../../core/step.ts';
import type { Tool } from '../../core/tool.ts';
import { STORAGE_LIMITS } from '../../storage/limits.ts';
import type { ToolRegistry } from '../loop/run-tool/tool-registry.ts';
import type { SessionQuestions } from '../mcp/server-questions.ts';
import type { OnChange, Undone } from '../undo.ts';
import type { SessionHandle } from './session-handle.ts';

export type CommandPorts = {
  registry: ToolRegistry;
  inside: SessionHandle;
  checkRule?: CheckRule;
  waiting: WaitingMessage[];
  settle(): void;
  limits: Limits;
  isIdle(): boolean;
  /** Resolves when everything that was dispatched until now is a fact. */
  taken(): Promise<unknown>;
  /** Goes on from the state after an event; `anew`: with an answer of the model. */
  branch(atSeq: number, anew: boolean): Promise<void>;
  undo?(session: SessionHandle, onChange: OnChange | undefined): Promise<Outcome<Undone>>;
  answerServer?: SessionQuestions['answer'];
  /** Makes room in the window, where the session can. */
  compact?(session: SessionHandle): Promise<Reply>;
  /** Makes another model ready; resolves with its name. Where absent, a name is all that a model is. */
  changeModel?(name: string): Promise<Outcome<string, { message: string }>>;
};
export type CheckRule = (rule: Rule, tool: Tool, args: JsonObject) => Promise<Outcome<void>>;
/** A yes to a stranger's tool is a yes to what it is now. */
const boundRule = (rule: Rule, tool: Tool | undefined): Rule =>
  tool?.identity ? { ...rule, bound_to: tool.identity() } : rule;
/** Without the shell's rules a pattern covers plain lines only. */
const coversByItself: CheckRule = async (rule, tool, args) =>
  ruleMatches(rule, tool, args, 'allow')
    ? succeed(undefined)
    : failure('validation_failed', `${ruleText(rule)} does not cover this call.`);

/** What a yes comes to: for a tool that is asked about once a session it holds so long, for some files never. */
const kindOfYes = (
  decision: PermissionDecision,
  tool: Tool | undefined,
  asked: EventOf<'permission_requested'>,
): PermissionDecision => {
  if (decision === 'deny') return decision;
  if (asked.asks_each_time) return 'allow_once';
  return decision === 'allow_once' && tool?.session_scope ? 'session' : decision;
};

type Reply = { ok: true } | { ok: false; message: string };

/** A message that waits for its turn, as it will stand in the log. */
export type WaitingMessage = Omit<EventOf<'user_message_added'>, 'type'>;

const messageOf = ({
  type: _type,
  context_note,
  ...rest
}: Extract<Command, { type: 'send_message' }>): WaitingMessage => ({
  ...rest,
  ...(context_note ? { context_note: context_note.slice(0, LIMITS.contextNoteCharacters) } : {}),
});

export const createCommands = (ports: CommandPorts) => {
  const { registry, inside, waiting, settle, compact, checkRule = coversByItself } = ports;
  const sendMessage = (command: Extract<Command, { type: 'send_message' }>): Reply => {
    const { content } = command;
    if (typeof content === 'string' && content.trim() === '') return { ok: false, message: 'The message is empty.' };
    if (waiting.length >= LIMITS.queuedMessages) {
      return { ok: false, message: `${LIMITS.queuedMessages} messages are waiting already.` };
    }
    waiting.push(messageOf(command));
    settle();
    return { ok: true };
  };
  const resolvePermission = async (command: Extract<Command, { type: 'resolve_permission' }>): Promise<Reply> => {
    const entry = inside.state().entries.find((known) => known.call.id === command.tool_call_id);
    const asked = inside
      .log()
      .findLast((event) => event.type === 'permission_requested' && event.tool_call_id === command.tool_call_id);
    if (entry?.awaited !== 'permission' || asked?.type !== 'permission_requested') {
      return { ok: false, message: 'Nothing is asked about this call now.' };
    }
    const tool = registry.get(entry.call.name);
    const evaluated = inside
      .log()
      .findLast((event) => event.type === 'policy_evaluated' && event.tool_call_id === command.tool_call_id);
    const rule = boundRule(command.rule ?? asked.rule, tool);
    const decision = kindOfYes(command.decision, tool, asked);
    const isKept = decision === 'session' || decision === 'remember';
    if (isKept && tool && evaluated?.type === 'policy_evaluated') {
      const covers = await checkRule(rule, tool, evaluated.arguments);
      if (!covers.ok) return { ok: false, message: covers.error.message };
    }
    const taken = await inside.dispatch({
      type: 'permission_resolved',
      tool_call_id: command.tool_call_id,
      decision,
      ...(isKept ? { rule } : {}),
      ...(command.reason ? { reason: command.reason.slice(0, LIMITS.denialReasonCharacters) } : {}),
    });
    return taken ? { ok: true } : { ok: false, message: 'Nothing is asked about this call now.' };
  };
  const cancel = async (): Promise<Reply> => {
    const dropped = waiting.splice(0).length;
    if (dropped > 0)
      inside.progress({
        type: 'warning',
        code: 'queue_dropped',
        message: `${dropped} waiting messages were not sent.`,
      });
    // A message that was just taken is a fact in a moment, and the person means it as well.
    await ports.taken();
    if (inside.state().phase !== 'idle' && inside.state().phase !== 'ending')
      await inside.dispatch({ type: 'run_cancelled' });
    return { ok: true };
  };

  const branch = async (atSeq: number, anew: boolean): Promise<Reply> => {
    if (!ports.isIdle()) return { ok: false, message: 'A run is going on. Stop it, or wait until it is done.' };
    const path = pathAt(inside.log(), atSeq);
    if (path.length === 0) return { ok: false, message: `This session has no event ${atSeq}.` };
    if (anew && !asksModel(ports.limits, path)) {
      return {
        ok: false,
        message: `The model is not asked anything at event ${atSeq}; it is after a message of the person, or after the results of its calls.`,
      };
    }
    await ports.branch(atSeq, anew);
    return { ok: true };
  };
  const undo = async (onChange: OnChange | undefined): Promise<Reply> => {
    if (ports.undo === undefined) return { ok: false, message: 'This session keeps no changes to take back.' };
    if (!ports.isIdle()) return { ok: false, message: 'A run is going on. Stop it, or wait until it is done.' };
    const undone = await ports.undo(inside, onChange);
    return undone.ok ? { ok: true } : { ok: false, message: undone.error.message };
  };
  const regenerate = async (): Promise<Reply> => {
    const last = inside.path().findLast(({ type }) => type === 'user_message_added');
    return last ? branch(last.seq, true) : { ok: false, message: 'There is no message to be answered yet.' };
  };
  const changeModel = async (name: string): Promise<Reply> => {
    const changed = ports.changeModel ? await ports.changeModel(name) : succeed(name);
    if (!changed.ok) return { ok: false, message: changed.error.message };
    await inside.dispatch({ type: 'model_changed', model: changed.value });
    return { ok: true };
  };
  const rename = async (title: string): Promise<Reply> => {
    const name = title.replaceAll(/\s+/g, ' ').trim();
    if (name.length > STORAGE_LIMITS.sessionTitleCharacters) {
      return { ok: false, message: `A name has at most ${STORAGE_LIMITS.sessionTitleCharacters} characters.` };
    }
    await inside.dispatch({ type: 'session_renamed', title: name });
    return { ok: true };
  };

  return async (command: Command): Promise<Reply> => {
    switch (command.type) {
      case 'send_message':
        return sendMessage(command);
      case 'resolve_permission':
        return resolvePermission(command);
      case 'answer_server':
        return ports.answerServer?.(command) ?? { ok: false, message: 'No server can ask anything here.' };
      case 'cancel':
        return cancel();
      case 'change_model':
        return changeModel(command.model);
      case 'compact':
        if (compact === undefined) return { ok: false, message: 'This session cannot be compacted.' };
        if (inside.state().phase !== 'idle')
          return { ok: false, message: 'A run is going on. Compact when it is done.' };
        return compact(inside);
      case 'branch':
        return branch(command.at_seq, command.run ?? false);
      case 'regenerate':
        return regenerate();
      case 'rename':
        return rename(command.title);
      case 'undo':
        return undo(command.on_change);
      default:
        return command satisfies never;
    }
  };
};
