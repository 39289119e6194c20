/** What `useChat` of the AI SDK sends to a route, as the history and the message of a harness. */
import type { ContentPart } from '../../core/content-part.ts';
import { isObject, type JsonObject, type JsonValue } from '../../core/json.ts';
import { deniedByPerson } from '../../core/policy/refusal-words.ts';
import { failedResult, type ToolResult } from '../../core/tool-result.ts';

/** A message of `useChat`, as far as it is looked at. */
export type UIMessageLike = { role: string; parts: readonly { type: string }[] };

type Part = { type: string; [field: string]: unknown };
type Call = { id: string; name: string; arguments: JsonObject; source: 'native'; repairs: [] };
type HistoryOf =
  | { role: 'user'; content: string | ContentPart[] }
  | { role: 'assistant'; content: string; tool_calls: Call[] }
  | { role: 'tool'; tool_call_id: string; name: string; content: string; result?: ToolResult };

export type UIConversation = {
  /** For `createHarness({ messages })`. */
  history: HistoryOf[];
  /** For `chat(message)`: what the person said last. Empty where they answered questions instead. */
  message: string | ContentPart[];
  /** For `chat(message, { approvals })`: what the person answered about the calls that the history ends with. */
  approvals?: UIApproval[];
};

/** Read as the page wrote it: only an `approved` that is `true`, with the id of the question, runs a call. */
export type UIApproval = { id: string; tool_call_id: string; approved: boolean; reason?: string };

/**
 * Throws `TypeError` for what is no list of such messages, where the last message is neither the person's nor one with
 * answers of theirs, and for a file that is no picture in a `data:` URL. System messages are left out: a browser does not
 * decide what the system prompt is. So is reasoning.
 */
export const fromUIMessages = (messages: readonly UIMessageLike[]): UIConversation => {
  checkMessages(messages);
  const history = messages.flatMap(({ role, parts }, index): HistoryOf[] => {
    if (role === 'user') return [{ role, content: saidIn(parts as readonly Part[], `messages[${index}]`) }];
    if (role !== 'assistant') return [];
    const steps = stepsIn(parts as readonly Part[]);
    const open = index === messages.length - 1 && steps.at(-1)?.some(isAnswered) ? steps.pop() : undefined;
    return [...steps.flatMap((step) => answerOf(step, isCall)), ...answerOf(open ?? [], hasEnded)];
  });
  const last = messages.at(-1);
  if (last?.role === 'assistant')
    return { history, message: [], approvals: approvalsIn(last.parts as readonly Part[]) };
  const said = history.pop();
  if (said?.role !== 'user') throw new TypeError('messages: the last one must be of the user.');
  return { history, message: said.content };
};

const isAnswered = (part: Part): boolean => isCall(part) && part['state'] === 'approval-responded';
const hasEnded = (part: Part): boolean => isCall(part) && String(part['state']).startsWith('output-');

/** What the person said about calls of the last step. */
const approvalsIn = (parts: readonly Part[]): UIApproval[] => {
  const step = stepsIn(parts).at(-1) ?? [];
  const answered = step.filter(isAnswered);
  const [asked] = step.filter(({ state }) => state === 'approval-requested');
  if (answered.length === 0)
    throw new TypeError(
      asked
        ? `messages: the question about the call ${String(asked['toolCallId'])} has no answer yet: send them when each has one (sendAutomaticallyWhen).`
        : 'messages: the last one must be of the user, or of the assistant with answers to its questions.',
    );
  return answered.map(({ toolCallId, approval }) => {
    const { id, approved, reason } = isObject(approval as JsonValue) ? (approval as JsonObject) : {};
    const said = typeof reason === 'string' ? { reason } : {};
    return { id: String(id), tool_call_id: String(toolCallId), approved: approved as boolean, ...said };
  });
};

/** It comes out of a request, so it may be anything. */
const checkMessages = (messages: unknown): void => {
  if (!Array.isArray(messages)) throw new TypeError('messages must be a list, as useChat sends it.');
  for (const [index, message] of (messages as unknown[]).entries()) {
    const place = `messages[${index}]`;
    if (!isObject(message) || typeof message['role'] !== 'string')
      throw new TypeError(`${place} is no message of useChat: it has no role.`);
    const { parts } = message;
    if (!Array.isArray(parts)) throw new TypeError(`${place} is no message of useChat: it has no list of parts.`);
    const wrong = parts.findIndex((part) => !isObject(part) || typeof part['type'] !== 'string');
    if (wrong >= 0) throw new TypeError(`${place}.parts[${wrong}] has no type.`);
  }
};

const saidIn = (parts: readonly Part[], place: string): ContentPart[] =>
  parts.flatMap((part, index): ContentPart[] => {
    if (part.type === 'text') return [{ type: 'text', text: String(part['text']) }];
    if (part.type !== 'file') return [];
    const [, mime_type, data_base64] = /^data:(image\/[\w.+-]+);base64,(.*)$/s.exec(String(part['url'])) ?? [];
    if (mime_type && data_base64) return [{ type: 'image', mime_type, data_base64 }];
    const what = `${place}.parts[${index}] is a file of the type ${String(part['mediaType'])}`;
    throw new TypeError(`${what}: only pictures in data: URLs can be shown to a model.`);
  });

const isCall = ({ type }: Part): boolean => type.startsWith('tool-') || type === 'dynamic-tool';

/** A message of `useChat` holds all the steps of a run: text and calls, then what follows their results. */
const stepsIn = (parts: readonly Part[]): Part[][] => {
  const steps: Part[][] = [[]];
  for (const part of parts) {
    const step = steps.at(-1) ?? [];
    if (part.type === 'step-start' || (part.type === 'text' && step.some(isCall))) steps.push([part]);
    else step.push(part);
  }
  return steps;
};

/** `hasResult`: of the others it is to be decided whether they run. */
const answerOf = (step: readonly Part[], hasResult: (part: Part) => boolean): HistoryOf[] => {
  const text = step.flatMap((part) => (part.type === 'text' ? [String(part['text'])] : [])).join('');
  const calls = step.filter(isCall);
  if (text === '' && calls.length === 0) return [];
  return [
    { role: 'assistant', content: text, tool_calls: calls.map(callOf) },
    ...calls.filter(hasResult).map(resultOf),
  ];
};

const nameOf = (part: Part): string => String(part['toolName'] ?? part.type.slice('tool-'.length));

const callOf = (part: Part): Call => {
  const input = part['input'] as JsonValue;
  const args = isObject(input) ? input : {};
  return { id: String(part['toolCallId']), name: nameOf(part), arguments: args, source: 'native', repairs: [] };
};

const resultOf = (part: Part): HistoryOf => {
  const of = { role: 'tool', tool_call_id: String(part['toolCallId']), name: nameOf(part) } as const;
  if (part['state'] === 'output-available') {
    const output = part['output'];
    return { ...of, content: typeof output === 'string' ? output : JSON.stringify(output ?? null) };
  }
  const denial = denialOf(part);
  const error = denial ?? String(part['errorText'] ?? 'The call was broken off and has no result.');
  const result = failedResult(error, denial === undefined ? 'io_error' : 'permission_denied');
  return { ...of, content: error, result };
};

/** What a model may not try again, in the words of every other denial. */
const denialOf = ({ state, approval }: Part): string | undefined => {
  const { approved, reason } = isObject(approval as JsonValue) ? (approval as JsonObject) : {};
  const isDenied = state === 'output-denied' || (state === 'approval-responded' && approved === false);
  return isDenied ? deniedByPerson(typeof reason === 'string' ? reason : undefined) : undefined;
};
