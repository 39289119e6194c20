/** A conversation as messages, out of a session's log and into a new one. */
import { BEGINNING } from '../core/alternating.ts';
import { withDigits } from '../core/call-arguments.ts';
import { formProblem } from '../core/copy-events.ts';
import { type Event, type EventBody, SESSION_VERSION } from '../core/events.ts';
import type { CallEntry } from '../core/executor.ts';
import { isObject, withoutUndefined } from '../core/json.ts';
import type { Limits } from '../core/limits.ts';
import type {
  AssistantMessage,
  ContentPart,
  ModelMessage,
  SystemMessage,
  ToolCall,
  UserMessage,
} from '../core/message.ts';
import { createProjection, PICTURES_NOTE } from '../core/model-projection.ts';
import { callOfHeading } from '../core/result-pictures.ts';
import { activePath } from '../core/session-tree.ts';
import { accepts, initialState, type State } from '../core/state.ts';
import { step } from '../core/step.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { checkHistory } from './given-content.ts';
import { fromOtherForms, type OtherMessage } from './other-histories.ts';

/** One message of a history as a program keeps it: what `messages()` gives, or as much of it as there is. */
export type HistoryMessage =
  | SystemMessage
  | UserMessage
  | (Pick<AssistantMessage, 'role' | 'content'> &
      Partial<Omit<AssistantMessage, 'tool_calls'>> & { tool_calls?: readonly HistoryCall[] })
  | {
      role: 'tool';
      tool_call_id: string;
      content: string;
      name?: string;
      /** Default: a success whose data is `content`. */
      result?: ToolResult;
    };

/** A call as much of it as there is. */
type HistoryCall = Pick<ToolCall, 'id' | 'name' | 'arguments'> & Partial<ToolCall>;

/**
 * All that was said, whatever a compaction left out of the window, without the system prompt, which is an option. Calls
 * that still run are left out: they have no results.
 */
export const messagesOf = (events: readonly Event[]): ModelMessage[] => {
  const projection = createProjection({ system: '', results: 'full', summaryCharacters: 0 });
  for (const event of activePath(events)) if (event.type !== 'context_compacted') projection.add(asSaid(event));
  const messages = projection.messages().map(withoutUndefined);
  const last = messages.at(-1);
  if (last?.role !== 'assistant' || last.tool_calls.length === 0) return messages;
  return last.content === '' ? messages.slice(0, -1) : [...messages.slice(0, -1), { ...last, tool_calls: [] }];
};

/** What the model was told beside the words of the person is not theirs. */
const asSaid = (event: Event): Event => {
  if (event.type !== 'user_message_added' || event.context_note === undefined) return event;
  const { context_note: _note, ...said } = event;
  return said;
};

export type HistoryFacts = { id: string; workspace: string; model: string; limits: Limits; now: number };

/** What a call without a result comes to; undefined where it is to run. */
type Decide = (call: ToolCall) => ToolResult | undefined;

/** A log whose last run may go on. */
type OpenLog = {
  events: Event[];
  /** The answer whose calls waited, and what was decided of those that do not run. */
  decided: readonly Event[];
  /** Calls that are still to run. */
  open: readonly ToolCall[];
};

/**
 * The log of a session in which that was said already. Throws `TypeError` for a message that has no place there. With
 * `waiting`, calls of the last answer may have no result: `decide` says what becomes of them, and `goesOn` whether the run
 * goes on.
 */
export const openEventsOf = (
  given: readonly (HistoryMessage | OtherMessage)[],
  facts: HistoryFacts,
  waiting: { decide: Decide; goesOn: boolean } | undefined,
): OpenLog => {
  const messages = fromOtherForms(given) as readonly HistoryMessage[];
  const waits = checkHistory(messages, waiting !== undefined);
  const last = waits ? messages.findLastIndex(({ role }) => role === 'assistant') : -1;
  const log = new HistoryLog(roomyLimits(messages, facts.limits), facts, waiting?.goesOn === true);
  for (const [index, message] of messages.entries()) log.add(withoutUndefined(message), index, index === last);
  const decided = waiting && waits ? log.decide(waiting.decide) : { decided: [], open: [] };
  if (waiting?.goesOn && !waits) throw new TypeError(NOTHING_WAITS);
  return { events: log.end(waiting?.goesOn === true), ...decided };
};

const NOTHING_WAITS =
  'approvals: no call at the end of `messages` waits for an answer. Give the history that fromUIMessages made of the same request.';

const sameLimits = (one: Limits, other: Limits): boolean =>
  one.iterations === other.iterations && one.toolCallsPerIteration === other.toolCallsPerIteration;

/** What was said under other limits stays said. */
const roomyLimits = (messages: readonly HistoryMessage[], limits: Limits): Limits => ({
  ...limits,
  iterations: Math.max(limits.iterations, messages.length + 1),
  toolCallsPerIteration: messages.reduce(
    (most, message) => Math.max(most, (message.role === 'assistant' && message.tool_calls?.length) || 0),
    limits.toolCallsPerIteration,
  ),
});

/** A call of the last answer that has no result yet, and the id that it has in the log. */
type OpenCall = { givenId: string; call: ToolCall };

/** Writes messages down as the events that a run would have left, and asks `step` what is due. */
class HistoryLog {
  readonly #facts: HistoryFacts;
  readonly #events: Event[] = [];
  readonly #ids = new Set<string>();
  #state: State;
  #place = 'messages';
  #open: OpenCall[] = [];
  /** Where the answer stands whose calls wait for a decision. */
  #waitsFrom: number | undefined;
  readonly #goesOn: boolean;

  constructor(limits: Limits, facts: HistoryFacts, goesOn: boolean) {
    const { id: session_id, workspace, model } = facts;
    this.#facts = facts;
    this.#goesOn = goesOn;
    this.#state = initialState(limits);
    this.#push({ type: 'session_started', version: SESSION_VERSION, session_id, workspace, model, limits });
  }

  /** `waits`: it is the answer whose calls have no results yet. */
  add(message: HistoryMessage, index: number, waits: boolean): void {
    this.#place = `messages[${index}]`;
    if (waits) this.#waitsFrom = this.#events.length;
    if (message.role === 'tool') this.#addResult(message);
    else if (message.role === 'user') this.#addUser(message);
    else if (message.role === 'assistant') this.#addAnswer(message);
  }

  /** Nothing of what waits was looked at: what may run is judged by the rules of today. */
  decide(decide: Decide): Pick<OpenLog, 'decided' | 'open'> {
    const [again] = this.#open.filter(({ givenId, call }) => givenId !== call.id);
    if (again) throw new TypeError(`${this.#place}: the call ${again.givenId} waits, and an earlier one has its id`);
    const answer = this.#events.slice(this.#waitsFrom).find(({ type }) => type === 'assistant_message_added');
    const decided = this.#open.map(({ call }) => ({ call, result: decide(call) }));
    const from = this.#events.length;
    for (const { call, result } of decided) {
      if (result === undefined) continue;
      this.#evaluate(call, 'deny');
      this.#push({ type: 'tool_finished', tool_call_id: call.id, result });
    }
    const told = this.#events.slice(from).filter(({ type }) => type === 'tool_finished');
    return {
      decided: answer ? [answer, ...told] : told,
      open: decided.flatMap(({ call, result }) => (result === undefined ? [call] : [])),
    };
  }

  /** Nothing goes on in it, and from here on the limits of today count. */
  end(goesOn: boolean): Event[] {
    if (!goesOn) this.#close();
    const { limits } = this.#facts;
    if (!sameLimits(this.#state.limits, limits)) this.#push({ type: 'limits_changed', limits });
    return this.#events;
  }

  #push(body: EventBody): void {
    const event: Event = { seq: this.#events.length + 1, at: this.#facts.now, ...body };
    const problem = formProblem(event) ?? (accepts(this.#state, event) ? undefined : 'it has no place there');
    if (problem !== undefined) throw new TypeError(`${this.#place}: ${problem}`);
    this.#events.push(event);
    this.#state = step(this.#state, event).state;
  }

  #addUser(message: UserMessage): void {
    const { content } = message;
    if (message.of_results) {
      this.#addPictures(message);
      return;
    }
    if (message.steers && this.#state.phase === 'between') {
      this.#push({ type: 'user_message_added', content, steers: true });
      return;
    }
    this.#close();
    this.#push({ type: 'user_message_added', content, ...(this.#goesOn && { unattended: true }) });
  }

  #addAnswer(message: Extract<HistoryMessage, { role: 'assistant' }>): void {
    // A log begins with words of the person; so does what a model reads.
    if (this.#state.phase === 'idle') this.#push({ type: 'user_message_added', content: BEGINNING });
    if (this.#state.phase === 'between') this.#push({ type: 'iteration_completed', iteration: this.#state.iteration });
    const answer = whole(message);
    this.#open = answer.tool_calls.map((call) => ({ givenId: call.id, call: { ...call, id: this.#freeId(call.id) } }));
    this.#push({
      type: 'assistant_message_added',
      message: { ...answer, tool_calls: this.#open.map(({ call }) => call) },
    });
  }

  /** Some servers number the calls of each answer anew; in a session an id stands for one call. */
  #freeId(id: string): string {
    let free = id;
    for (let number = 2; this.#ids.has(free); number += 1) free = `${id}_${number}`;
    this.#ids.add(free);
    return free;
  }

  #addResult(message: Extract<HistoryMessage, { role: 'tool' }>): void {
    const answered = this.#open.find(({ givenId }) => givenId === message.tool_call_id);
    if (answered === undefined) throw new Error('a history is checked before it is written down');
    this.#open = this.#open.filter((one) => one !== answered);
    const result = message.result ?? resultWith(message.content, this.#facts.now);
    const { id } = answered.call;
    if (this.#waitsFrom === undefined) this.#evaluateAll(id, result);
    const body: EventBody = { type: 'tool_started', tool_call_id: id };
    if (accepts(this.#state, body)) this.#push(body);
    const for_model = message.result && shownOf(message.content, message.result);
    this.#push({ type: 'tool_finished', tool_call_id: id, result, ...(for_model === undefined ? {} : { for_model }) });
  }

  /** Calls are looked at before the first of them runs; one that takes another's result, when that is there. */
  #evaluateAll(id: string, result: ToolResult): void {
    const isRefused = (call: ToolCall): boolean =>
      call.malformed !== undefined || (call.id === id && result.error_type === 'permission_denied');
    const isDue = ({ awaited }: CallEntry): boolean => awaited === 'policy';
    for (let due = this.#state.entries.find(isDue); due; due = this.#state.entries.find(isDue))
      this.#evaluate(due.call, isRefused(due.call) ? 'deny' : 'allow');
  }

  /** Where its turn has come. */
  #evaluate(call: ToolCall, verdict: 'allow' | 'deny'): void {
    const body: EventBody = {
      type: 'policy_evaluated',
      tool_call_id: call.id,
      verdict,
      risk: 'safe',
      exclusive: false,
      arguments: call.arguments,
      because: 'it is part of the history',
      // What repeated itself then is no loop now.
      polling: true,
    };
    if (accepts(this.#state, body)) this.#push(body);
  }

  /** Pictures that tools gave belong to their results. */
  #addPictures({ content }: UserMessage): void {
    if (typeof content === 'string') return;
    let of: string | undefined;
    for (const part of content) {
      if (part.type === 'text') of = callOfHeading(part.text) ?? of;
      else this.#addPicture(of, part);
    }
  }

  #addPicture(callId: string | undefined, picture: ContentPart): void {
    const isOf = (event: Event): boolean => event.type === 'tool_finished' && event.tool_call_id === callId;
    const named = this.#events.findLastIndex(isOf);
    const index = named >= 0 ? named : this.#events.findLastIndex(({ type }) => type === 'tool_finished');
    const event = this.#events[index];
    if (event?.type !== 'tool_finished') return;
    const shown = event.for_model ?? event.result.data ?? '';
    const parts: ContentPart[] =
      typeof shown === 'string' ? [{ type: 'text', text: shown.replace(PICTURES_NOTE, '') }] : shown;
    this.#events[index] = { ...event, for_model: [...parts, picture] };
  }

  /** A run that was not ended in words was stopped. */
  #close(): void {
    const { phase } = this.#state;
    if (phase === 'idle') return;
    const last = this.#events.at(-1);
    if (phase === 'between' && last?.type === 'assistant_message_added') {
      this.#push({ type: 'run_completed', sources: [] });
      return;
    }
    if (phase === 'calling_model') this.#push({ type: 'model_failed', code: 'cancelled', message: UNANSWERED });
    this.#push({ type: 'run_stopped', reason: 'model_unusable', name: 'cancelled', message: UNANSWERED });
  }
}

const UNANSWERED = 'It was not answered.';

/** What the model read in place of the result; undefined where it was the result. */
const shownOf = (content: string, result: ToolResult): string | undefined => {
  const told = parsed(content);
  const isResult =
    isObject(told) &&
    !('note' in told) &&
    told['success'] === result.success &&
    told['data'] === result.data &&
    told['error_message'] === result.error_message;
  return isResult ? undefined : content;
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const resultWith = (data: string, now: number): ToolResult => ({
  success: true,
  data,
  error_message: null,
  error_type: 'none',
  metadata: { execution_time_ms: 0, data_size_bytes: new TextEncoder().encode(data).length, timestamp: now },
});

const whole = (message: Extract<HistoryMessage, { role: 'assistant' }>): AssistantMessage => {
  const calls = (message.tool_calls ?? []).map((call) => ({
    ...withDigits(call),
    source: call.source ?? 'native',
    repairs: call.repairs ?? [],
  }));
  // An answer that broke off has no calls.
  const finish = message.finish === 'disconnected' && calls.length > 0 ? undefined : message.finish;
  return { ...message, tool_calls: calls, finish: finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') };
};
