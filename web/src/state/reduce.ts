/**
 * Session updates → what the person sees. Pure, so that a reload, a second tab and a broken connection all end in the
 * same view: facts decide, progress only fills the time until the next fact.
 */
import type { Event, SessionUpdate } from '../../../src/core/events.ts';
import type { ToolCall } from '../../../src/core/message.ts';
import type { Task } from '../../../src/core/ports.ts';
import { activePath, branches } from '../../../src/core/session-tree.ts';
import type {
  Activity,
  CallView,
  ChangeView,
  DraftItem,
  Item,
  NoticeItem,
  ReasoningItem,
  TextItem,
  View,
  Warning,
} from './view.ts';
import { EMPTY_VIEW } from './view.ts';

const OUTPUT_CHARACTERS = 20_000;
const WARNINGS = 5;

type Fact<Type extends Event['type']> = Extract<Event, { type: Type }>;
/** A view under work: its lists are its own until it is handed out. */
type Draft = Omit<View, 'log' | 'items' | 'tasks' | 'changes' | 'warnings'> & {
  log: Event[];
  items: Item[];
  tasks: Task[];
  changes: ChangeView[];
  warnings: Warning[];
};

/** `now` is what progress is timed by; facts bring their own time. */
export const reduce = (view: View, updates: readonly SessionUpdate[], now: number): View => {
  if (updates.length === 0) return view;
  let draft = open(view);
  const known = draft.log.length;
  for (const update of updates) {
    if (update.seq === undefined) {
      takeProgress(draft, update, now);
      continue;
    }
    // A connection that was taken up again may bring what is known already.
    if (update.seq <= (draft.log.at(-1)?.seq ?? 0)) continue;
    draft.log.push(update);
    if (update.type === 'branch_selected') draft = rebuilt(draft);
    else takeFact(draft, update);
    draft.head = update.seq;
  }
  if (draft.log.length > known && draft.log.some(({ type }) => type === 'branch_selected')) {
    draft.branches = branches(draft.log);
  }
  return draft;
};

/** Without what no fact holds yet: it is told again, put together, when a connection was taken up again. */
export const withoutProgress = (view: View): View => ({
  ...view,
  items: view.items
    .filter((item) => !isLive(item))
    .map((item) =>
      item.kind === 'call' && item.call.output !== '' ? { ...item, call: { ...item.call, output: '' } } : item,
    ),
});

const open = (view: View): Draft => ({
  ...view,
  log: [...view.log],
  items: [...view.items],
  tasks: [...view.tasks],
  changes: [...view.changes],
  warnings: [...view.warnings],
});

/** Another branch is another conversation: its view is made from its own events. */
const rebuilt = ({ log, warnings }: Draft): Draft => {
  const next = open({ ...EMPTY_VIEW, warnings });
  for (const event of activePath(log)) {
    takeFact(next, event);
    next.head = event.seq;
  }
  return { ...next, log };
};

const answerKey = (draft: Draft, part: string): string => `a${draft.answers}${part}`;

const takeFact = (draft: Draft, event: Event): void => {
  switch (event.type) {
    case 'session_started':
      draft.workspace = event.workspace;
      draft.model = event.model;
      return;
    case 'model_changed':
      if (event.model !== draft.model) notice(draft, event.seq, { severity: 'quiet', text: `Model: ${event.model}` });
      draft.model = event.model;
      return;
    case 'user_message_added':
      takeMessage(draft, event);
      return;
    case 'assistant_message_added':
      takeAnswer(draft, event);
      return;
    case 'model_failed':
      dropLive(draft);
      draft.answers += 1;
      draft.hint = event.hint;
      return;
    case 'policy_evaluated':
      changeCall(draft, event.tool_call_id, (call) => ({
        ...call,
        // As the model sent them, unless something in them was mended; defaults are nobody's words.
        ...(event.repairs ? { arguments: event.arguments, repairs: [...call.repairs, ...event.repairs] } : {}),
        risk: event.risk,
        because: event.because,
      }));
      return;
    case 'permission_requested':
      changeCall(draft, event.tool_call_id, (call) => ({
        ...call,
        state: 'asks',
        risk: event.risk,
        rule: event.rule,
        askedAt: event.at,
        ...(event.preview ? { preview: event.preview } : {}),
        ...(event.because ? { because: event.because } : {}),
        ...(event.suggestions ? { suggestions: event.suggestions } : {}),
        ...(event.asks_each_time ? { asksEachTime: true } : {}),
      }));
      settleActivity(draft);
      return;
    case 'permission_resolved':
      changeCall(draft, event.tool_call_id, (call) => ({
        ...call,
        state: event.decision === 'deny' ? 'denied' : 'waiting',
        ...(event.reason ? { reason: event.reason } : {}),
      }));
      settleActivity(draft);
      return;
    case 'tool_started':
      changeCall(draft, event.tool_call_id, (call) => ({ ...call, state: 'running', startedAt: event.at }));
      settleActivity(draft);
      return;
    case 'tool_finished':
    case 'arguments_rejected':
      changeCall(draft, event.tool_call_id, (call) => ({
        ...call,
        state: event.result.success ? 'done' : event.result.error_type === 'permission_denied' ? 'denied' : 'failed',
        finishedAt: event.at,
        // The result is the whole; what was shown while it ran is in it.
        output: '',
        result: event.result,
      }));
      settleActivity(draft);
      return;
    case 'server_asked':
      draft.questions = [...draft.questions, event.question];
      settleActivity(draft);
      return;
    case 'server_answered':
      draft.questions = draft.questions.filter(({ question_id }) => question_id !== event.question_id);
      settleActivity(draft);
      return;
    case 'task_changed':
      draft.tasks = withTask(draft.tasks, event.task);
      return;
    case 'change_recorded':
      draft.changes.push({
        seq: event.seq,
        path: event.path,
        callId: event.tool_call_id,
        created: event.before === null,
        undone: false,
      });
      return;
    case 'change_undone':
      draft.changes = draft.changes.map((change) =>
        change.seq === event.change_seq && event.how !== 'left' ? { ...change, undone: true } : change,
      );
      notice(draft, event.seq, { severity: 'quiet', text: undoneText(event) });
      return;
    case 'session_renamed':
      draft.title = event.title;
      return;
    case 'branch_selected':
      endRun(draft);
      draft.model = event.model;
      if (event.run) beginRun(draft);
      return;
    case 'iteration_completed':
      if (draft.running) draft.activity = { type: 'sent' };
      return;
    case 'context_compacted':
      notice(draft, event.seq, {
        severity: 'quiet',
        text: 'Made room in the context window: older results and turns are summarised for the model. Here everything stays.',
      });
      return;
    case 'run_completed':
      draft.items.push({
        kind: 'end',
        key: `e${event.seq}`,
        seq: event.seq,
        sources: event.sources,
        ...(draft.usage ? { usage: draft.usage } : {}),
      });
      endRun(draft);
      return;
    case 'run_stopped': {
      const hint = draft.hint;
      notice(draft, event.seq, {
        severity: event.reason === 'limit' || event.reason === 'loop' ? 'warning' : 'error',
        text: event.message,
        stopped: event.reason,
        ...(hint ? { hint } : {}),
      });
      endRun(draft);
      return;
    }
    case 'run_cancelled':
      notice(draft, event.seq, { severity: 'quiet', text: 'Stopped.', stopped: 'cancelled' });
      endRun(draft);
      return;
    default:
      // Facts of a newer halter that this page does not know change nothing on it.
      return;
  }
};

/** The whole answer takes the place of what was shown while it came, under the same keys. */
const takeAnswer = (draft: Draft, { seq, message }: Fact<'assistant_message_added'>): void => {
  dropLive(draft);
  // What was said until the run was stopped stands above the word that says so.
  const last = draft.items.at(-1);
  const isLate = !draft.running && last?.kind === 'notice' && last.stopped !== undefined;
  const stop = isLate ? draft.items.pop() : undefined;
  const cut = message.finish === 'stop' || message.finish === 'tool_calls' ? undefined : message.finish;
  if (message.reasoning) {
    draft.items.push({ kind: 'reasoning', key: answerKey(draft, 'r'), seq, text: message.reasoning, live: false });
  }
  if (message.content.trim() !== '') {
    const text: TextItem = { kind: 'text', key: answerKey(draft, 't'), seq, text: message.content, live: false };
    draft.items.push(cut === undefined ? text : { ...text, cut });
  }
  message.tool_calls.forEach((call, index) => {
    draft.items.push({ kind: 'call', key: answerKey(draft, `c${index}`), seq, call: callView(call) });
  });
  if (stop) draft.items.push(stop);
  if (message.usage) draft.usage = message.usage;
  draft.answers += 1;
  if (draft.running) draft.activity = message.tool_calls.length > 0 ? { type: 'tools' } : { type: 'sent' };
};

const callView = (call: ToolCall): CallView => ({
  id: call.id,
  name: call.name,
  arguments: call.arguments,
  source: call.source,
  repairs: call.repairs,
  ...(call.malformed ? { malformed: { text: call.malformed.text, problem: call.malformed.problem } } : {}),
  state: 'waiting',
  output: '',
});

const UNDONE: Readonly<Record<Fact<'change_undone'>['how'], string>> = {
  restored: 'is as it was before',
  removed: 'is removed again',
  beside: 'is left; what it was before stands beside it',
  left: 'is left as it is',
};
const undoneText = ({ path, how }: Fact<'change_undone'>): string => `Undo: ${path} ${UNDONE[how]}.`;

const isLive = (item: Item): boolean => item.kind === 'draft' || ('live' in item && item.live);
const dropLive = (draft: Draft): void => {
  if (draft.items.some(isLive)) draft.items = draft.items.filter((item) => !isLive(item));
};

const takeMessage = (draft: Draft, { seq, at, content }: Fact<'user_message_added'>): void => {
  draft.items.push({ kind: 'user', key: `u${seq}`, seq, after: draft.head, at, content });
  draft.warnings = [];
  beginRun(draft);
};

const beginRun = (draft: Draft): void => {
  draft.running = true;
  draft.activity = { type: 'sent' };
};

const endRun = (draft: Draft): void => {
  draft.running = false;
  draft.activity = { type: 'idle' };
  draft.hint = undefined;
  // What was tried again is told by how it ended.
  draft.warnings = draft.warnings.filter(({ code }) => code !== 'retrying');
};

const settleActivity = (draft: Draft): void => {
  if (!draft.running) return;
  const asks = draft.items.some((item) => item.kind === 'call' && item.call.state === 'asks');
  draft.activity = { type: asks || draft.questions.length > 0 ? 'asking' : 'tools' };
};

/** The calls that can still change are at the end, so that is where the search begins. */
const changeCall = (draft: Draft, id: string, change: (call: CallView) => CallView): void => {
  const index = draft.items.findLastIndex((item) => item.kind === 'call' && item.call.id === id);
  const item = draft.items[index];
  if (item?.kind === 'call') draft.items[index] = { ...item, call: change(item.call) };
};

const notice = (draft: Draft, seq: number, rest: Omit<NoticeItem, 'kind' | 'key' | 'seq'>): void => {
  draft.items.push({ kind: 'notice', key: `n${seq}`, seq, ...rest });
};

const withTask = (tasks: readonly Task[], task: Task): Task[] =>
  tasks.some((known) => known.id === task.id)
    ? tasks.map((known) => (known.id === task.id ? task : known))
    : [...tasks, task];

const takeProgress = (draft: Draft, update: Extract<SessionUpdate, { seq?: undefined }>, now: number): void => {
  switch (update.type) {
    case 'model_started':
      if (draft.running) draft.activity = { type: 'sent' };
      return;
    case 'loading': {
      const { message, fraction } = update;
      draft.activity = { type: 'loading', message, ...(fraction === undefined ? {} : { fraction }) };
      return;
    }
    case 'prefill':
      draft.activity = prefill(draft.activity, update, now);
      return;
    case 'reasoning_delta':
      addLive(draft, 'reasoning', update.delta);
      if (draft.activity.type !== 'thinking') draft.activity = { type: 'thinking', since: now };
      return;
    case 'text_delta':
      addLive(draft, 'text', update.delta);
      draft.activity = writing(draft.activity, update.delta.length, now);
      return;
    case 'tool_call_delta':
      addDraft(draft, update);
      draft.activity = writing(draft.activity, update.arguments_delta.length, now);
      return;
    case 'tool_output_delta':
      changeCall(draft, update.tool_call_id, (call) =>
        call.result ? call : { ...call, output: (call.output + update.delta).slice(-OUTPUT_CHARACTERS) },
      );
      return;
    case 'warning':
      draft.warnings = [...draft.warnings, { code: update.code, message: update.message }].slice(-WARNINGS);
      return;
    default:
      return;
  }
};

const prefill = (
  before: Activity,
  update: { processed: number; total: number; cached?: number; seconds_left?: number },
  now: number,
): Activity => {
  const { processed, total, cached, seconds_left: secondsLeft } = update;
  const known = before.type === 'prefill' && before.total === total ? before : { since: now, from: processed };
  return {
    type: 'prefill',
    processed,
    total,
    since: known.since,
    from: known.from,
    ...(cached === undefined ? {} : { cached }),
    ...(secondsLeft === undefined ? {} : { secondsLeft }),
  };
};

const writing = (before: Activity, characters: number, now: number): Activity =>
  before.type === 'writing'
    ? { ...before, characters: before.characters + characters }
    : { type: 'writing', since: now, characters };

/** Reasoning, then text, then calls: the order that the whole answer will have. */
const addLive = (draft: Draft, kind: 'text' | 'reasoning', delta: string): void => {
  const key = answerKey(draft, kind === 'text' ? 't' : 'r');
  const index = draft.items.findLastIndex((item) => item.key === key);
  const item = draft.items[index] as TextItem | ReasoningItem | undefined;
  if (item) draft.items[index] = { ...item, text: item.text + delta };
  else draft.items.push({ kind, key, text: delta, live: true });
};

const addDraft = (draft: Draft, update: { index: number; name?: string; arguments_delta: string }): void => {
  const key = answerKey(draft, `c${update.index}`);
  const index = draft.items.findLastIndex((item) => item.key === key);
  const item = draft.items[index] as DraftItem | undefined;
  const before = item?.draft ?? { index: update.index, name: '', text: '' };
  const next = { ...before, name: before.name || (update.name ?? ''), text: before.text + update.arguments_delta };
  if (item) draft.items[index] = { ...item, draft: next };
  else draft.items.push({ kind: 'draft', key, draft: next });
};

/** The calls that wait for the person's decision, in the order they were asked. */
export const askedCalls = (view: View): CallView[] =>
  view.running
    ? view.items.flatMap((item) => (item.kind === 'call' && item.call.state === 'asks' ? [item.call] : []))
    : [];
