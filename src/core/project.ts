/**
 * Two readings of one log (Z11): messages for the model, and lines for the person. Nothing is stored twice. The model's
 * reading only ever grows at its end, so that a server can reuse what it has already read (B4).
 */
import { undoneNote } from './changes.ts';
import type { Event, EventOf } from './events.ts';
import { LIMITS } from './limits.ts';
import { ROUNDS_TOLD, type Round, repeatNote, roundOf, timesRepeated, withRound } from './loop-guard.ts';
import {
  type AssistantMessage,
  type DisplayMessage,
  type ModelMessage,
  messageText,
  type ToolCall,
  type ToolMessage,
  type UserMessage,
} from './message.ts';
import { activePath } from './session-tree.ts';
import { summarizeResult } from './summarize.ts';
import type { ToolResult } from './tool-result.ts';
import { cutResultText, droppedResultText } from './window/text.ts';

export type ProjectionOptions = {
  system: string;
  /** What the model reads of a result: all of it as JSON, or E7's summary. */
  results: 'full' | 'summary';
  summaryCharacters: number;
  /** The tool's own choice of items for a summary. */
  summaryItems?(name: string, result: ToolResult): string[] | undefined;
  /** What is put to the end of a message of the person: the same words have the same end, whenever they are read. */
  ending?(text: string): string | undefined;
};

export type Projection = {
  /** Takes the next event of the log. */
  add(event: Event): void;
  /** The same array, grown; another one after a compaction. Callers must not change it. */
  messages(): readonly ModelMessage[];
  /** What the messages would be after such a compaction. */
  preview(event: EventOf<'context_compacted'>): readonly ModelMessage[];
};

/** Folds a path (`activePath`) into the messages that a model reads, event by event, so that long sessions stay cheap. */
export const createProjection = (options: ProjectionOptions): Projection => {
  let messages: ModelMessage[] = options.system === '' ? [] : [{ role: 'system', content: options.system }];
  /** Each message as it was first, with the event that its turn or its round of calls began with. */
  let whole: { message: ModelMessage; origin: number }[] = messages.map((message) => ({ message, origin: 0 }));
  let openSince = 0;
  let open: readonly ToolCall[] = [];
  let results = new Map<string, ToolResult>();
  let polling = new Set<string>();
  let rounds: readonly Round[] = [];
  let toolNumber = 0;
  /** Told with the next message of the person: nothing that was sent changes. */
  let undone: EventOf<'change_undone'>[] = [];

  const push = (origin: number, message: ModelMessage): void => {
    messages.push(message);
    whole.push({ message, origin });
  };
  /** A new list: what was left out is gone from it, and the rest stays as it was. */
  const compact = (event: EventOf<'context_compacted'>): void => {
    whole = keptOf(event);
    messages = compacted(whole, event);
  };
  const keptOf = (event: EventOf<'context_compacted'>): typeof whole =>
    whole.filter(({ message, origin }) => message.role === 'system' || origin >= event.kept_from_seq);
  const compacted = (kept: typeof whole, event: EventOf<'context_compacted'>): ModelMessage[] => {
    const calls = new Map(
      kept.flatMap(({ message }) =>
        message.role === 'assistant' ? message.tool_calls.map((call) => [call.id, call] as const) : [],
      ),
    );
    return kept.map(({ message, origin }) => {
      if (message.role === 'tool') {
        return origin < (event.results_from_seq ?? 0)
          ? withoutResult(message, calls.get(message.tool_call_id))
          : cutResult(message, event.results_characters);
      }
      return message.role === 'user' && origin === event.kept_from_seq && event.summary !== ''
        ? withSummary(message, event.summary)
        : message;
    });
  };
  const finish = (id: string, result: ToolResult): void => {
    if (!open.some((call) => call.id === id) || results.has(id)) return;
    results.set(id, result);
    // Results enter in the order of the calls, whatever order they came in.
    if (results.size < open.length) return;
    const ended = open.map((call) => ({
      call,
      result: results.get(call.id) as ToolResult,
      polling: polling.has(call.id),
    }));
    rounds = withRound(rounds, roundOf(ended));
    const repeated = timesRepeated(rounds) >= ROUNDS_TOLD;
    for (const { call, result: own, polling: polls } of ended)
      push(openSince, toolMessage(call, own, repeated && !polls));
    open = [];
    results = new Map();
    polling = new Set();
  };
  const toolMessage = (call: ToolCall, result: ToolResult, repeated: boolean): ToolMessage => {
    toolNumber += 1;
    const note = repeated ? repeatNote(result) : undefined;
    if (options.results === 'full' && note === undefined) return wholeResult(call, result);
    const summary = (): string => {
      const items = options.summaryItems?.(call.name, result);
      return `Tool ${toolNumber} [${call.name}]: ${summarizeResult(call.name, result, {
        maxCharacters: options.summaryCharacters,
        ...(items ? { items } : {}),
      })}${note ? `\n${note}` : ''}`;
    };
    const content = options.results === 'summary' ? summary() : JSON.stringify({ ...result, note });
    return { role: 'tool', tool_call_id: call.id, name: call.name, content, result };
  };

  return {
    add(event) {
      if (event.type === 'user_message_added') {
        const note = undoneNote(undone);
        const said = withEnding({ role: 'user', content: event.content }, options.ending?.(messageText(event.content)));
        push(event.seq, withNote(event.context_note ? withSummary(said, event.context_note) : said, note));
        undone = [];
        rounds = [];
      } else if (event.type === 'policy_evaluated') {
        if (event.polling) polling.add(event.tool_call_id);
      } else if (event.type === 'assistant_message_added') {
        push(event.seq, event.message);
        open = event.message.tool_calls;
        openSince = event.seq;
      } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
        finish(event.tool_call_id, event.result);
      } else if (event.type === 'context_compacted') compact(event);
      else if (event.type === 'change_undone') undone.push(event);
    },
    messages: () => messages,
    preview: (event) => compacted(keptOf(event), event),
  };
};

/** The call stays, so that the model knows what it did; what came back is a line. */
const withoutResult = (message: ToolMessage, call: ToolCall | undefined): ToolMessage => {
  if (message.content.length <= LIMITS.compactionResultCharacters) return message;
  const { result } = message;
  const text = droppedResultText(message.name, call?.arguments ?? {}, result.success, message.content.length);
  return { ...message, content: text, result: { ...result, data: text } };
};

/** A result that was larger than the window: its beginning, and a word about the rest. */
const cutResult = (message: ToolMessage, characters: number | undefined): ToolMessage => {
  if (characters === undefined || message.content.length <= characters) return message;
  const content = cutResultText(message.content, characters);
  return { ...message, content, result: { ...message.result, data: content } };
};

const withNote = (message: UserMessage, note: string): UserMessage =>
  note === ''
    ? message
    : withSummary(
        message,
        `[Undone by the user since your last answer: ${note}. Read the files again before you change them.]`,
      );

/** In front of the first message that is left: templates want the person's and the model's messages in turns. */
const withSummary = (message: UserMessage, summary: string): UserMessage => ({
  role: 'user',
  content:
    typeof message.content === 'string'
      ? `${summary}\n\n${message.content}`
      : [{ type: 'text', text: summary }, ...message.content],
});

const withEnding = (message: UserMessage, ending: string | undefined): UserMessage => {
  if (ending === undefined) return message;
  const { content } = message;
  return {
    role: 'user',
    content: typeof content === 'string' ? `${content}\n\n${ending}` : [...content, { type: 'text', text: ending }],
  };
};

export const projectForModel = (events: readonly Event[], options: ProjectionOptions): readonly ModelMessage[] => {
  const projection = createProjection(options);
  for (const event of activePath(events)) projection.add(event);
  return projection.messages();
};

/** The documents' display message: what the person sees of a finished call. */
export const displayMessage = (call: Pick<ToolCall, 'id' | 'name'>, result: ToolResult): DisplayMessage => ({
  role: 'system',
  tool_call_id: call.id,
  content: [
    `[Tool: ${call.name}]`,
    `Status: ${result.success ? '✅ SUCCESS' : `❌ ${result.error_type}: ${result.error_message ?? ''}`}`,
    `Result: ${result.data ?? '(none)'}`,
    `Execution Time: ${result.metadata.execution_time_ms}ms`,
  ].join('\n'),
});

/** Everything a person reads of a session, in the order of the log. */
export const projectForPerson = (events: readonly Event[]): (ModelMessage | DisplayMessage)[] => {
  const lines: (ModelMessage | DisplayMessage)[] = [];
  const calls = new Map<string, ToolCall>();
  for (const event of activePath(events)) {
    if (event.type === 'user_message_added') lines.push({ role: 'user', content: event.content });
    else if (event.type === 'assistant_message_added') {
      lines.push(event.message);
      for (const call of event.message.tool_calls) calls.set(call.id, call);
    } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
      const call = calls.get(event.tool_call_id);
      if (call !== undefined) lines.push(displayMessage(call, event.result));
    }
  }
  return lines;
};

/** Z11 and K6: the calls of a log with what came of them. */
export const callHistory = (events: readonly Event[]): { call: ToolCall; result: ToolResult }[] => {
  const calls = new Map<string, ToolCall>();
  const history: { call: ToolCall; result: ToolResult }[] = [];
  for (const event of activePath(events)) {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    if (event.type !== 'tool_finished' && event.type !== 'arguments_rejected') continue;
    const call = calls.get(event.tool_call_id);
    if (call !== undefined) history.push({ call, result: event.result });
  }
  return history;
};

export const lastAnswer = (log: readonly Event[]): AssistantMessage | undefined => {
  const events = activePath(log);
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.type === 'assistant_message_added') return event.message;
    if (event?.type === 'user_message_added') return undefined;
  }
  return undefined;
};

/**
 * What most of a prompt consists of, and what never changes: written once for each result, so that who looks at a session
 * again and again (to make room in the window) neither writes nor counts it anew.
 */
const wholeResults = new WeakMap<ToolResult, ToolMessage>();
const wholeResult = (call: ToolCall, result: ToolResult): ToolMessage => {
  const known = wholeResults.get(result);
  if (known?.tool_call_id === call.id && known.name === call.name) return known;
  const message: ToolMessage = {
    role: 'tool',
    tool_call_id: call.id,
    name: call.name,
    content: JSON.stringify(result),
    result,
  };
  wholeResults.set(result, message);
  return message;
};
