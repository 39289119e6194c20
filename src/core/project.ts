/**
 * Two readings of one log (Z11): messages for the model, and lines for the person. Nothing is stored twice. The model's
 * reading only ever grows at its end, so that a server can reuse what it has already read (B4).
 */
import type { Event } from './events.ts';
import { ROUNDS_TOLD, type Round, repeatNote, roundOf, timesRepeated, withRound } from './loop-guard.ts';
import type { AssistantMessage, DisplayMessage, ModelMessage, ToolCall, ToolMessage } from './message.ts';
import { summarizeResult } from './summarize.ts';
import type { ToolResult } from './tool-result.ts';

export type ProjectionOptions = {
  system: string;
  /** What the model reads of a result: all of it as JSON, or E7's summary. */
  results: 'full' | 'summary';
  summaryCharacters: number;
  /** The tool's own choice of items for a summary. */
  summaryItems?(name: string, result: ToolResult): string[] | undefined;
};

export type Projection = {
  /** Takes the next event of the log. */
  add(event: Event): void;
  /** The same array, grown; callers must not change it. */
  messages(): readonly ModelMessage[];
};

/** Folds a log into the messages that a model reads, one event at a time, so that long sessions stay cheap. */
export const createProjection = (options: ProjectionOptions): Projection => {
  const messages: ModelMessage[] = options.system === '' ? [] : [{ role: 'system', content: options.system }];
  let open: readonly ToolCall[] = [];
  let results = new Map<string, ToolResult>();
  let polling = new Set<string>();
  let rounds: readonly Round[] = [];
  let toolNumber = 0;

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
      messages.push(toolMessage(call, own, repeated && !polls));
    open = [];
    results = new Map();
    polling = new Set();
  };
  const toolMessage = (call: ToolCall, result: ToolResult, repeated: boolean): ToolMessage => {
    toolNumber += 1;
    const note = repeated ? repeatNote(result) : undefined;
    const items = options.summaryItems?.(call.name, result);
    const summary = (): string =>
      `Tool ${toolNumber} [${call.name}]: ${summarizeResult(call.name, result, {
        maxCharacters: options.summaryCharacters,
        ...(items ? { items } : {}),
      })}${note ? `\n${note}` : ''}`;
    const content = options.results === 'summary' ? summary() : JSON.stringify(note ? { ...result, note } : result);
    return { role: 'tool', tool_call_id: call.id, name: call.name, content, result };
  };

  return {
    add(event) {
      if (event.type === 'user_message_added') {
        messages.push({ role: 'user', content: event.content });
        rounds = [];
      } else if (event.type === 'policy_evaluated') {
        if (event.polling) polling.add(event.tool_call_id);
      } else if (event.type === 'assistant_message_added') {
        messages.push(event.message);
        open = event.message.tool_calls;
      } else if (event.type === 'tool_finished' || event.type === 'arguments_rejected') {
        finish(event.tool_call_id, event.result);
      }
    },
    messages: () => messages,
  };
};

export const projectForModel = (events: readonly Event[], options: ProjectionOptions): readonly ModelMessage[] => {
  const projection = createProjection(options);
  for (const event of events) projection.add(event);
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
  for (const event of events) {
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
  for (const event of events) {
    if (event.type === 'assistant_message_added') for (const call of event.message.tool_calls) calls.set(call.id, call);
    if (event.type !== 'tool_finished' && event.type !== 'arguments_rejected') continue;
    const call = calls.get(event.tool_call_id);
    if (call !== undefined) history.push({ call, result: event.result });
  }
  return history;
};

export const lastAnswer = (events: readonly Event[]): AssistantMessage | undefined => {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index];
    if (event?.type === 'assistant_message_added') return event.message;
    if (event?.type === 'user_message_added') return undefined;
  }
  return undefined;
};
