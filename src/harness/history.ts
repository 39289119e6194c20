/** A conversation as messages, out of a session's log and into a new one. */
import { checkEvents } from '../core/copy-events.ts';
import { type Event, type EventBody, SESSION_VERSION } from '../core/events.ts';
import type { Limits } from '../core/limits.ts';
import type {
  AssistantMessage,
  ContentPart,
  ModelMessage,
  SystemMessage,
  ToolCall,
  UserMessage,
} from '../core/message.ts';
import { createProjection } from '../core/model-projection.ts';
import { activePath } from '../core/session-tree.ts';
import { picturesIn } from '../core/tool/model-content.ts';
import type { ToolResult } from '../core/tool-result.ts';
import { checkHistory } from './given-content.ts';

/** One message of a history as a program keeps it: what `messages()` gives, or as much of it as there is. */
export type HistoryMessage =
  | SystemMessage
  | UserMessage
  | (Pick<AssistantMessage, 'role' | 'content'> & Partial<AssistantMessage>)
  | {
      role: 'tool';
      tool_call_id: string;
      content: string;
      name?: string;
      /** Default: a success whose data is `content`. */
      result?: ToolResult;
    };

/** Without the system prompt, which is an option and no part of what was said. */
export const messagesOf = (events: readonly Event[]): ModelMessage[] => {
  const projection = createProjection({ system: '', results: 'full', summaryCharacters: 0 });
  for (const event of activePath(events)) projection.add(event);
  return [...projection.messages()];
};

export type HistoryFacts = { id: string; workspace: string; model: string; limits: Limits; now: number };

/** The log of a session in which that was said already. Throws `TypeError` for a message that has no place there. */
export const eventsOf = (messages: readonly HistoryMessage[], facts: HistoryFacts): Event[] => {
  checkHistory(messages);
  const bodies: EventBody[] = [
    {
      type: 'session_started',
      version: SESSION_VERSION,
      session_id: facts.id,
      workspace: facts.workspace,
      model: facts.model,
      limits: facts.limits,
    },
  ];
  let open: ToolCall[] = [];
  let iteration = 0;
  for (const [index, message] of messages.entries()) {
    const isAnswer = message.role === 'tool';
    if (open.length > 0 && !isAnswer) throw misplaced(index, `the call ${open[0]?.id} before it has no result`);
    if (message.role === 'user' && message.of_results) withPictures(bodies, message);
    else if (message.role === 'user' && bodies.at(-1)?.type === 'iteration_completed') {
      // Said to the run in its middle, before its next step.
      bodies.splice(-1, 0, { type: 'user_message_added', content: message.content, steers: true });
    } else if (message.role === 'user') {
      if (bodies.at(-1)?.type === 'assistant_message_added') bodies.push({ type: 'run_completed', sources: [] });
      bodies.push({ type: 'user_message_added', content: message.content });
      iteration = 0;
    } else if (message.role === 'assistant') {
      if (iteration === 0 && bodies.at(-1)?.type !== 'user_message_added')
        throw misplaced(index, 'no message of the user comes before it');
      open = [...(message.tool_calls ?? [])];
      bodies.push({ type: 'assistant_message_added', message: whole(message) });
      iteration += 1;
    } else if (isAnswer) {
      const call = open.find(({ id }) => id === message.tool_call_id);
      if (call === undefined) throw misplaced(index, `no open call has the id ${message.tool_call_id}`);
      open = open.filter(({ id }) => id !== call.id);
      bodies.push(...ranBodies(call, message.result ?? resultWith(message.content, facts.now)));
      if (open.length === 0) bodies.push({ type: 'iteration_completed', iteration });
    } else throw misplaced(index, 'the system prompt is the option `systemPrompt`');
  }
  if (bodies.at(-1)?.type === 'assistant_message_added' && open.length === 0)
    bodies.push({ type: 'run_completed', sources: [] });
  if (open.length > 0) throw misplaced(messages.length - 1, `its call ${open[0]?.id} has no result`);
  const events = bodies.map((body, index) => ({ seq: index + 1, at: facts.now, ...body }));
  const checked = checkEvents(
    events.map((value) => ({ value, place: `event ${value.seq} of the history` })),
    facts.limits,
  );
  if (!checked.ok) throw new TypeError(`messages: ${checked.error.message}`);
  return events;
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
    ...call,
    source: call.source ?? 'native',
    repairs: call.repairs ?? [],
  }));
  return { ...message, tool_calls: calls, finish: message.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop') };
};

/** Pictures that a tool gave belong to its result. */
const withPictures = (bodies: EventBody[], { content }: UserMessage): void => {
  const index = bodies.findLastIndex(({ type }) => type === 'tool_finished');
  const body = bodies[index];
  if (body?.type !== 'tool_finished' || typeof content === 'string') return;
  const text: ContentPart = { type: 'text', text: body.result.data ?? '' };
  bodies[index] = { ...body, for_model: [text, ...picturesIn(content)] };
};

const ranBodies = (call: ToolCall, result: ToolResult): EventBody[] => [
  {
    type: 'policy_evaluated',
    tool_call_id: call.id,
    verdict: 'allow',
    risk: 'safe',
    exclusive: false,
    arguments: call.arguments,
    because: 'it is part of the history',
  },
  { type: 'tool_started', tool_call_id: call.id },
  { type: 'tool_finished', tool_call_id: call.id, result },
];

const misplaced = (index: number, why: string): TypeError => new TypeError(`messages[${index}] has no place: ${why}.`);
