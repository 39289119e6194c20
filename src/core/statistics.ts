/** What models did in a session, by model and day: tokens, speed, how much of the prompts was reused, what was repaired. Pure. */
import type { Event } from './events.ts';
import type { AssistantMessage } from './message.ts';

export type ModelDay = {
  /** As `dayOf` says it. */
  day: string;
  model: string;
  /** Answers of the model, each a request. */
  answers: number;
  prompt_tokens: number;
  /** Prompt tokens of answers whose server said how many it had already, and those. */
  told_prompt_tokens: number;
  cached_tokens: number;
  completion_tokens: number;
  /** How long the tokens above took to be read and written, as far as that was told apart. */
  read_tokens: number;
  read_seconds: number;
  write_tokens: number;
  write_seconds: number;
  calls: number;
  /** Calls that were repaired before they ran, and calls that were sent back to the model. */
  repaired_calls: number;
  rejected_calls: number;
};

const NOTHING: Omit<ModelDay, 'day' | 'model'> = {
  answers: 0,
  prompt_tokens: 0,
  told_prompt_tokens: 0,
  cached_tokens: 0,
  completion_tokens: 0,
  read_tokens: 0,
  read_seconds: 0,
  write_tokens: 0,
  write_seconds: 0,
  calls: 0,
  repaired_calls: 0,
  rejected_calls: 0,
};

/** Every branch counts: it was all computed. What another session was copied from counts there. */
export const statisticsOf = (events: readonly Event[], dayOf: (at: number) => string): ModelDay[] => {
  const rows = new Map<string, ModelDay>();
  const repaired = new Set<string>();
  let model = '';
  let copiedTo = 0;
  const rowAt = (at: number): ModelDay => {
    const day = dayOf(at);
    const key = `${day} ${model}`;
    const row = rows.get(key) ?? { day, model, ...NOTHING };
    rows.set(key, row);
    return row;
  };
  for (const event of events) {
    if (event.type === 'session_started') copiedTo = event.forked_from?.seq ?? 0;
    if (event.type === 'session_started' || event.type === 'model_changed' || event.type === 'branch_selected')
      model = event.model;
    if (event.seq <= copiedTo) continue;
    if (event.type === 'assistant_message_added') {
      if (event.message.edited || event.message.by_halter) continue;
      addAnswer(rowAt(event.at), event.message);
      for (const { id, repairs } of event.message.tool_calls) if ((repairs?.length ?? 0) > 0) repaired.add(id);
      rowAt(event.at).repaired_calls += event.message.tool_calls.filter(({ id }) => repaired.has(id)).length;
    } else if (event.type === 'policy_evaluated' && (event.repairs?.length ?? 0) > 0) {
      // One call is repaired once, however many things were wrong with it.
      if (!repaired.has(event.tool_call_id)) rowAt(event.at).repaired_calls += 1;
      repaired.add(event.tool_call_id);
    } else if (event.type === 'arguments_rejected') rowAt(event.at).rejected_calls += 1;
  }
  return [...rows.values()];
};

const addAnswer = (row: ModelDay, { usage, tool_calls: calls }: AssistantMessage): void => {
  row.answers += 1;
  row.calls += calls.length;
  if (usage === undefined) return;
  const { prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion, seconds } = usage;
  row.prompt_tokens += prompt;
  row.completion_tokens += completion;
  if (cached !== undefined) {
    row.told_prompt_tokens += prompt;
    row.cached_tokens += cached;
  }
  const readSeconds = usage.prompt_seconds;
  if (readSeconds === undefined || readSeconds > seconds) return;
  row.read_tokens += Math.max(0, prompt - (cached ?? 0));
  row.read_seconds += readSeconds;
  row.write_tokens += completion;
  row.write_seconds += seconds - readSeconds;
};

/** Newest day first, then by the name of the model. */
export const mergeStatistics = (parts: readonly (readonly ModelDay[])[]): ModelDay[] => {
  const rows = new Map<string, ModelDay>();
  for (const row of parts.flat()) {
    const key = `${row.day} ${row.model}`;
    const known = rows.get(key);
    rows.set(key, known === undefined ? { ...row } : sumOf(known, row));
  }
  return [...rows.values()].sort((a, b) => b.day.localeCompare(a.day) || a.model.localeCompare(b.model));
};

const sumOf = (one: ModelDay, other: ModelDay): ModelDay => {
  const sum = { ...one };
  for (const key of Object.keys(NOTHING) as (keyof typeof NOTHING)[]) sum[key] += other[key];
  return sum;
};
