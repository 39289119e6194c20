/** What is kept in the log, as the person sees it. */

import { stoppedText } from '../../../../src/core/command-layer.ts';
import type { Event, PermissionDecision } from '../../../../src/core/events.ts';
import { callEnd } from '../../../../src/core/failure-word.ts';
import type { ToolCall } from '../../../../src/core/message.ts';
import { modelChangedText } from '../../../../src/core/model-roles.ts';
import { inPage } from '../../../../src/core/page-words.ts';
import type { Task } from '../../../../src/core/ports.ts';
import { endedJobText } from '../../../../src/core/session-jobs.ts';
import { shownArguments } from '../../../../src/core/shown-arguments.ts';
import { reasonFor } from '../../../../src/core/tool/display-status.ts';
import { compactionSentence } from '../../../../src/core/window/compaction-text.ts';
import { countedUse, plannedUse } from '../../../../src/core/window.ts';
import { readable } from '../../parts/visible.ts';
import type { CallView, TextItem } from '../view.ts';
import {
  answerKey,
  beginRun,
  callIn,
  changeCall,
  type Draft,
  dropLive,
  endRun,
  type Fact,
  notice,
  settleActivity,
} from './draft.ts';

type Takers = { [Type in Event['type']]?: (draft: Draft, event: Fact<Type>) => void };

const ofSession: Takers = {
  session_started(draft, event) {
    draft.workspace = event.workspace;
    draft.model = event.model;
  },
  settings_changed(draft, event) {
    draft.settings = event.settings;
  },
  model_changed(draft, event) {
    if (event.model !== draft.model)
      notice(draft, event.seq, {
        severity: 'quiet',
        text: event.role === undefined ? `Model: ${event.model}` : modelChangedText(event),
      });
    draft.model = event.model;
  },
  mode_changed(draft, event) {
    draft.mode = event.mode;
  },
  session_renamed(draft, event) {
    draft.title = readable(event.title);
  },
  branch_selected(draft, event) {
    endRun(draft);
    draft.model = event.model;
    if (event.run) beginRun(draft, event.at);
  },
  task_changed(draft, event) {
    draft.tasks = withTask(draft.tasks, event.task);
  },
};

const ofPermission: Takers = {
  policy_evaluated(draft, event) {
    changeCall(draft, event.tool_call_id, (call) => ({
      ...call,
      // What was repaired, and in a question what a reference stands for; defaults are nobody's words.
      ...(event.repairs || event.verdict === 'ask'
        ? { arguments: shownArguments(call.arguments, event.arguments) }
        : {}),
      ...(event.repairs ? { repairs: [...call.repairs, ...event.repairs] } : {}),
      risk: event.risk,
      because: inPage(event.because),
    }));
  },
  permission_requested(draft, event) {
    changeCall(draft, event.tool_call_id, (call) => ({
      ...call,
      state: 'asks',
      risk: event.risk,
      rule: event.rule,
      askedAt: event.at,
      ...(event.preview ? { preview: event.preview } : {}),
      ...(event.because ? { because: inPage(event.because) } : {}),
      ...(event.provenance ? { provenance: event.provenance } : {}),
      ...(event.suggestions ? { suggestions: event.suggestions } : {}),
      ...(event.asks_each_time ? { asksEachTime: true } : {}),
      ...(event.only_reads ? { onlyReads: true } : {}),
      ...(event.in_sandbox ? { inSandbox: true } : {}),
    }));
    settleActivity(draft);
  },
  permission_resolved(draft, event) {
    changeCall(draft, event.tool_call_id, (call) => ({
      ...call,
      state: event.decision === 'deny' ? 'denied' : 'waiting',
      because: DECIDED[event.decision],
      ...(event.reason ? { reason: event.unanswered ? inPage(event.reason) : event.reason } : {}),
    }));
    settleActivity(draft);
  },
  server_asked(draft, event) {
    draft.questions = [...draft.questions, event.question];
    settleActivity(draft);
  },
  server_answered(draft, event) {
    draft.questions = draft.questions.filter(({ question_id }) => question_id !== event.question_id);
    settleActivity(draft);
  },
};

const endCall = (draft: Draft, event: Fact<'tool_finished'> | Fact<'arguments_rejected'>): void => {
  const { result } = event;
  changeCall(draft, event.tool_call_id, (call) => ({
    ...call,
    state: callEnd(result, call.startedAt !== undefined),
    finishedAt: event.at,
    // The result is the whole; what was shown while it ran is in it.
    output: '',
    result,
  }));
  settleActivity(draft);
};

const ofTools: Takers = {
  tool_called(draft, event) {
    const how = event.result.success ? 'done' : (reasonFor(event.result) ?? event.result.error_type);
    notice(draft, event.seq, { severity: 'quiet', text: `${event.name} was called from outside: ${how}` });
  },
  tool_started(draft, event) {
    changeCall(draft, event.tool_call_id, (call) => ({
      ...call,
      state: 'running',
      startedAt: event.at,
      ...(event.preview ? { preview: event.preview } : {}),
    }));
    settleActivity(draft);
  },
  tool_finished: endCall,
  arguments_rejected: endCall,
  change_recorded(draft, { seq, path, tool_call_id: callId, before, after, ...entry }) {
    const { link_before, link_after, folder_before, folder_after } = entry;
    // Where there is nothing left that could have a hash.
    const removed = after === 'removed' && link_after === undefined && !folder_after;
    const created = before === null && link_before === undefined && !folder_before;
    draft.changes.push({ seq, path, callId, created, removed, undone: false, elsewhere: false });
  },
  layer_changed(draft, event) {
    if (event.state === 'opened' && event.dropped)
      draft.changes = draft.changes.filter(({ callId }) => callId !== event.tool_call_id);
    const call = callIn(draft, event.tool_call_id);
    const text = call?.result && stoppedText(event, call.name);
    if (text !== undefined) notice(draft, event.seq, { severity: 'quiet', text });
  },
  job_changed(draft, event) {
    const text = endedJobText(event);
    if (text !== undefined) notice(draft, event.seq, { severity: 'quiet', text });
  },
  change_undone(draft, event) {
    const isBack = event.how === 'restored' || event.how === 'removed';
    draft.changes = draft.changes.map((change) =>
      isBack && change.seq === event.change_seq ? { ...change, undone: true } : change,
    );
    noticeOnce(draft, event.seq, undoneText(event));
  },
};

const ofRun: Takers = {
  user_message_added: (draft, event) => takeMessage(draft, event),
  assistant_message_added: (draft, event) => takeAnswer(draft, event),
  model_failed(draft, event) {
    dropLive(draft);
    draft.answers += 1;
    draft.hint = event.hint;
  },
  iteration_completed(draft, { at }) {
    if (draft.running) draft.activity = { type: 'sent', at };
  },
  context_compacted(draft, event) {
    if (draft.running) draft.activity = { type: 'sent', at: event.at };
    draft.use = plannedUse(event);
    notice(draft, event.seq, { severity: 'quiet', text: compactionSentence(event) });
  },
  run_completed(draft, { seq, sources: used, shown_sources: sources = used }) {
    const usage = draft.usage ? { usage: draft.usage } : {};
    draft.items.push({ kind: 'end', key: `e${seq}`, seq, used, sources, ...usage });
    endRun(draft);
  },
  run_stopped(draft, event) {
    notice(draft, event.seq, {
      severity: event.reason === 'limit' || event.reason === 'loop' ? 'warning' : 'error',
      text: event.message,
      stopped: event.reason,
      ...(draft.hint ? { hint: draft.hint } : {}),
    });
    endRun(draft);
  },
  run_cancelled(draft, event) {
    notice(draft, event.seq, { severity: 'quiet', text: 'Stopped.', stopped: 'cancelled' });
    endRun(draft);
  },
};

const TAKERS: Takers = { ...ofSession, ...ofPermission, ...ofTools, ...ofRun };

/** Facts of a newer halter that this page does not know change nothing on it. */
export const takeFact = <Type extends Event['type']>(draft: Draft, event: Fact<Type>): void => {
  if (Object.hasOwn(TAKERS, event.type)) TAKERS[event.type as Type]?.(draft, event);
};

const takeMessage = (draft: Draft, { seq, at, content, idempotency_key }: Fact<'user_message_added'>): void => {
  const keyed = idempotency_key === undefined ? {} : { messageKey: idempotency_key };
  draft.items.push({ kind: 'user', key: `u${seq}`, seq, after: draft.head, at, content, ...keyed });
  draft.warnings = [];
  beginRun(draft, at);
};

/** The whole answer takes the place of what was shown while it came, under the same keys. */
const takeAnswer = (draft: Draft, event: Fact<'assistant_message_added'>): void => {
  const { seq, at, message, prompt, thought_seconds: seconds, broken_by: why } = event;
  dropLive(draft);
  // What was said until the run was stopped stands above the word that says so.
  const last = draft.items.at(-1);
  const isLate = !draft.running && last?.kind === 'notice' && last.stopped !== undefined;
  const stop = isLate ? draft.items.pop() : undefined;
  const cut = message.finish === 'stop' || message.finish === 'tool_calls' ? undefined : message.finish;
  if (message.reasoning) {
    draft.items.push({
      kind: 'reasoning',
      key: answerKey(draft, 'r'),
      seq,
      text: message.reasoning,
      live: false,
      ...(seconds === undefined ? {} : { seconds }),
    });
  }
  if (message.content.trim() !== '') {
    const text: TextItem = { kind: 'text', key: answerKey(draft, 't'), seq, text: message.content, live: false };
    if (message.edited) text.edited = true;
    if (message.by_halter) text.byHalter = true;
    if (why !== undefined) text.why = inPage(why);
    draft.items.push(cut === undefined ? text : { ...text, cut });
  }
  message.tool_calls.forEach((call, index) => {
    draft.items.push({ kind: 'call', key: answerKey(draft, `c${index}`), seq, call: callView(call) });
  });
  if (stop) draft.items.push(stop);
  if (message.usage) {
    draft.usage = message.usage;
    if (!prompt?.other_usage) draft.use = countedUse(message.usage);
  }
  draft.answers += 1;
  if (draft.running) draft.activity = message.tool_calls.length > 0 ? { type: 'tools' } : { type: 'sent', at };
};

const callView = (call: ToolCall): CallView => ({
  id: call.id,
  name: call.name,
  arguments: call.arguments,
  ...(call.written === undefined ? {} : { written: call.written }),
  source: call.source,
  repairs: call.repairs,
  ...(call.malformed ? { malformed: { text: call.malformed.text, problem: call.malformed.problem } } : {}),
  state: 'waiting',
  output: '',
});

/** The answer counts from then on, not why it was asked. */
const DECIDED: Readonly<Record<PermissionDecision, string>> = {
  allow_once: 'you allowed it once',
  session: 'you allowed it for this session',
  remember: 'you allowed it, and the rule is remembered for this folder',
  deny: 'you denied it',
};

/** Several changes of one file are taken back together, and told once. */
const noticeOnce = (draft: Draft, seq: number, text: string): void => {
  const last = draft.items.at(-1);
  if (last?.kind !== 'notice' || last.text !== text) notice(draft, seq, { severity: 'quiet', text });
};

/** Other changes of the file may stand, and others may have written in it: nothing is said of the whole of it. */
const undoneText = ({ path, how, beside }: Fact<'change_undone'>): string => {
  const words: Readonly<Record<typeof how, string>> = {
    restored: `a change of ${path} was taken back`,
    removed: `${path} is removed again`,
    beside: `${path} is left; what it was before stands in ${beside ?? 'a file beside it'}`,
    left: `${path} is left as it is`,
    partly: `a part of a change of ${path} was taken back`,
  };
  return `Undo: ${words[how]}.`;
};

const withTask = (tasks: readonly Task[], task: Task): Task[] =>
  tasks.some((known) => known.id === task.id)
    ? tasks.map((known) => (known.id === task.id ? task : known))
    : [...tasks, task];
