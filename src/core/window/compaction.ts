/**
 * Makes room in a window that is nearly full, by rules alone: the oldest tool results become one line each, and where
 * that is not enough, the oldest turns become a summary that keeps what was asked, the files that were touched and the
 * tasks that are open. The log itself keeps everything.
 */
import type { Event, EventOf } from '../events.ts';
import { LIMITS } from '../limits.ts';
import { type ModelMessage, shownText, type ToolCall } from '../message.ts';
import type { Task } from '../ports.ts';
import { type ProjectionOptions, projectForModel } from '../project.ts';
import { activePath } from '../session-tree.ts';
import { firstWords } from './text.ts';

export type Compacted = EventOf<'context_compacted'>;

export type CompactionOptions = {
  projection: ProjectionOptions;
  /** Tokens of what the model would read. */
  size(messages: readonly ModelMessage[]): number;
  targetTokens: number;
  /** What a call did to which file, or which command it ran. */
  trace(call: ToolCall): { kind: 'read' | 'changed' | 'ran'; what: string } | undefined;
  tasks: readonly Task[];
};

export type CompactionPlan = { event: Compacted; before: number; after: number };

/** The gentlest step that reaches the target, else the one that frees most; undefined where nothing would be freed. */
export const planCompaction = (events: readonly Event[], options: CompactionOptions): CompactionPlan | undefined => {
  const log = activePath(events);
  const before = options.size(projectForModel(log, options.projection));
  let best: CompactionPlan | undefined;
  for (const step of steps(log)) {
    const event: Compacted = {
      type: 'context_compacted',
      kept_from_seq: step.keptFrom,
      results_from_seq: step.resultsFrom,
      summary: step.keptFrom > 0 ? summaryOf(log, step.keptFrom, options) : '',
    };
    const after = options.size(
      projectForModel([...log, { seq: (log.at(-1)?.seq ?? 0) + 1, at: 0, ...event }], options.projection),
    );
    if (after >= (best?.after ?? before)) continue;
    best = { event, before, after };
    if (after <= options.targetTokens && freesEnough(best)) break;
  }
  return best;
};

/** Less is not worth what the server has to read again. */
export const freesEnough = ({ before, after }: CompactionPlan): boolean =>
  before - after >= before * LIMITS.compactionFreedShareMin;

type CompactionStep = { keptFrom: number; resultsFrom: number };

/** From the gentlest to the hardest. The last turn's messages and its newest results always stay. */
const steps = (log: readonly Event[]): CompactionStep[] => {
  const turns: number[] = [];
  let rounds: number[] = [];
  let last: Extract<Event, { type: 'context_compacted' }> | undefined;
  for (const event of log) {
    if (event.type === 'user_message_added') {
      turns.push(event.seq);
      rounds = [];
    } else if (event.type === 'assistant_message_added' && event.message.tool_calls.length > 0) rounds.push(event.seq);
    else if (event.type === 'context_compacted') last = event;
  }
  const floor: CompactionStep = { keptFrom: last?.kept_from_seq ?? 0, resultsFrom: last?.results_from_seq ?? 0 };
  // Older than the last two turns, than the last turn, than the newest three, two, one rounds of calls.
  const results = [turns.at(-2), turns.at(-1), rounds.at(-3), rounds.at(-2), rounds.at(-1)];
  const newest = rounds.at(-1) ?? turns.at(-1) ?? 0;
  const kept = [turns.at(-4), turns.at(-2), turns.at(-1)];
  return [
    ...results.map((seq) => ({ keptFrom: 0, resultsFrom: seq ?? 0 })),
    ...kept.map((seq) => ({ keptFrom: seq ?? 0, resultsFrom: newest })),
  ].map((step) => ({
    keptFrom: Math.max(step.keptFrom, floor.keptFrom),
    resultsFrom: Math.max(step.resultsFrom, floor.resultsFrom),
  }));
};

/** What is kept of turns that are left out. */
const summaryOf = (log: readonly Event[], keptFrom: number, options: CompactionOptions): string => {
  const asked: string[] = [];
  const traces = { read: new Set<string>(), changed: new Set<string>(), ran: new Set<string>() };
  let answer = '';
  const started = new Set(log.flatMap((event) => (event.type === 'tool_started' ? [event.tool_call_id] : [])));
  for (const event of log) {
    if (event.seq >= keptFrom) break;
    if (event.type === 'user_message_added') {
      asked.push(firstWords(shownText(event.content), LIMITS.compactionItemCharacters));
    } else if (event.type === 'assistant_message_added') {
      if (event.message.content !== '') answer = event.message.content;
      for (const call of event.message.tool_calls) {
        const trace = started.has(call.id) ? options.trace(call) : undefined;
        if (trace) traces[trace.kind].add(firstWords(trace.what, LIMITS.compactionItemCharacters));
      }
    }
  }
  const list = (label: string, items: readonly string[]): string[] => {
    if (items.length === 0) return [];
    const shown = items.slice(-LIMITS.compactionItems);
    const left = items.length - shown.length;
    return [`- ${label}: ${left > 0 ? `(${left} earlier ones) ` : ''}${shown.join('; ')}`];
  };
  const open = options.tasks.filter(({ status }) => status !== 'completed');
  return [
    'Earlier in this conversation, left out here to save room:',
    ...list('the user asked', asked),
    ...list('files changed', [...traces.changed]),
    ...list('files read', [...traces.read]),
    ...list('commands run', [...traces.ran]),
    ...list(
      'open tasks',
      open.map(
        ({ id, content, status }) => `${id} ${firstWords(content, LIMITS.compactionItemCharacters)} (${status})`,
      ),
    ),
    ...(answer === ''
      ? []
      : [`- the last answer of that part: ${firstWords(answer, 4 * LIMITS.compactionItemCharacters)}`]),
    'Look at files again before you rely on what they held.',
  ].join('\n');
};
