/** What is under way and no fact yet: it fills the time until the next one. */
import type { SessionUpdate } from '../../../../src/core/events.ts';
import { inPage } from '../../../../src/core/page-words.ts';
import { redrawn } from '../../../../src/core/redrawn.ts';
import type { Activity, DraftItem, ReasoningItem, TextItem } from '../view.ts';
import { answerKey, beginRun, changeCall, type Draft, endRun } from './draft.ts';

const OUTPUT_CHARACTERS = 20_000;
const WARNINGS = 5;

export const takeProgress = (draft: Draft, update: Extract<SessionUpdate, { seq?: undefined }>, now: number): void => {
  switch (update.type) {
    case 'model_started':
      // Whoever asked is waiting since then.
      if (draft.running) draft.activity = { type: 'sent', ...waitingSince(draft.activity) };
      return;
    case 'compaction':
      if (update.state !== 'started') endRun(draft);
      else {
        beginRun(draft);
        draft.activity = { type: 'loading', message: 'Making room in the window' };
      }
      return;
    case 'loading': {
      const { message, fraction } = update;
      const known = fraction === undefined ? waitingSince(draft.activity) : { fraction };
      draft.activity = { type: 'loading', message, ...known };
      return;
    }
    case 'prefill':
      draft.activity = prefill(draft.activity, update, now);
      return;
    case 'reasoning_delta':
      addLive(draft, 'reasoning', update.delta, now - (update.seconds ?? 0) * 1_000);
      if (draft.activity.type !== 'thinking') draft.activity = { type: 'thinking', since: now };
      return;
    case 'text_delta':
      endThinking(draft, now);
      addLive(draft, 'text', update.delta);
      draft.activity = writing(draft.activity, update.delta.length, now);
      return;
    case 'tool_call_delta':
      endThinking(draft, now);
      addDraft(draft, update);
      draft.activity = writing(draft.activity, update.arguments_delta.length, now);
      return;
    case 'tool_output_delta':
      changeCall(draft, update.tool_call_id, (call) =>
        call.result ? call : { ...call, output: redrawn(call.output + update.delta).slice(-OUTPUT_CHARACTERS) },
      );
      return;
    case 'queue_changed':
      draft.queue = update.messages;
      draft.removed = update.removed ?? [];
      return;
    case 'warning':
      // The facts tell the same.
      if (update.code === 'context_compacted' || update.code === 'answer_cut') return;
      draft.warnings = [
        // Of several tries the last one counts.
        ...draft.warnings.filter(({ code }) => !(code === 'retrying' && update.code === code)),
        { code: update.code, message: inPage(update.message) },
      ].slice(-WARNINGS);
      return;
    default:
      return;
  }
};

const waitingSince = (activity: Activity): { at?: number } =>
  'at' in activity && activity.at !== undefined ? { at: activity.at } : {};

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
    : // What came in this moment, maybe all that was written before, says nothing of how quickly it came.
      { type: 'writing', since: now, characters: 0 };

/** Reasoning, then text, then calls: the order that the whole answer will have. */
const addLive = (draft: Draft, kind: 'text' | 'reasoning', delta: string, since?: number): void => {
  const key = answerKey(draft, kind === 'text' ? 't' : 'r');
  const index = draft.items.findLastIndex((item) => item.key === key);
  const item = draft.items[index] as TextItem | ReasoningItem | undefined;
  if (item) draft.items[index] = { ...item, text: item.text + delta };
  else draft.items.push({ kind, key, text: delta, live: true, ...(since === undefined ? {} : { since }) });
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

/** The first word that is no thought says how long the thoughts took. */
const endThinking = (draft: Draft, now: number): void => {
  const key = answerKey(draft, 'r');
  const index = draft.items.findLastIndex((item) => item.key === key);
  const item = draft.items[index];
  if (item?.kind !== 'reasoning' || item.since === undefined || item.seconds !== undefined) return;
  draft.items[index] = { ...item, seconds: (now - item.since) / 1_000 };
};
